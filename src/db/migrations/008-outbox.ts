import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';
import { isPostgres } from '../dialect.ts';

/** What other services are still to be told. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, time, integer } = columnTypes(db);
  const isSerial = isPostgres(db);
  await db.schema
    .createTable('outbox')
    .addColumn('sequence', isSerial ? 'bigserial' : 'integer', (column) =>
      isSerial ? column.primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('target', text, (column) => column.notNull())
    .addColumn('payload', text, (column) => column.notNull())
    .addColumn('attempts', integer, (column) => column.notNull())
    .addColumn('dueAt', time, (column) => column.notNull())
    .addColumn('lease', text)
    .addColumn('leaseUntil', time)
    .addColumn('createdAt', time, (column) => column.notNull())
    .addColumn('failedAt', time)
    .addColumn('error', text)
    .execute();
  await db.schema.createIndex('outbox_target_idx').on('outbox').columns(['target', 'failedAt', 'sequence']).execute();
  await db.schema.createIndex('outbox_lease_idx').on('outbox').column('lease').execute();
}
