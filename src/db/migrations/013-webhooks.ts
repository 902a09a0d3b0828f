import { type Kysely, sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import { isPostgres } from '../dialect.ts';

/** Who wants to hear of events, and what each of them was told or is still to be told. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createWebhooks(db);
  await createDeliveries(db);
}

async function createWebhooks(db: Kysely<unknown>): Promise<void> {
  const { text, time, integer } = columnTypes(db);
  await db.schema
    .createTable('webhook')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('url', text, (column) => column.notNull())
    .addColumn('events', text, (column) => column.notNull())
    .addColumn('folder', text, (column) => column.notNull())
    .addColumn('enabled', integer, (column) => column.notNull())
    .addColumn('disabledReason', text)
    .addColumn('secret', text, (column) => column.notNull())
    .addColumn('previousSecret', text)
    .addColumn('previousUntil', time)
    .addColumn('failingSince', time)
    .addColumn('createdAt', time, (column) => column.notNull())
    .execute();
}

async function createDeliveries(db: Kysely<unknown>): Promise<void> {
  const { text, time, integer } = columnTypes(db);
  const isSerial = isPostgres(db);
  await db.schema
    .createTable('webhook_delivery')
    .addColumn('sequence', isSerial ? 'bigserial' : 'integer', (column) =>
      isSerial ? column.primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('webhook', text, (column) => column.notNull())
    .addColumn('event', text, (column) => column.notNull())
    .addColumn('payload', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('attempts', integer, (column) => column.notNull())
    .addColumn('log', text, (column) => column.notNull())
    .addColumn('dueAt', time, (column) => column.notNull())
    .addColumn('lease', text)
    .addColumn('leaseUntil', time)
    .addColumn('createdAt', time, (column) => column.notNull())
    .addColumn('endedAt', time)
    .execute();
  await db.schema
    .createIndex('webhook_delivery_webhook_idx')
    .on('webhook_delivery')
    .columns(['webhook', 'sequence'])
    .execute();
  await db.schema
    .createIndex('webhook_delivery_due_idx')
    .on('webhook_delivery')
    .columns(['webhook', 'dueAt'])
    .where(sql.ref('status'), '=', sql.lit('pending'))
    .execute();
  await db.schema.createIndex('webhook_delivery_createdAt_idx').on('webhook_delivery').column('createdAt').execute();
}
