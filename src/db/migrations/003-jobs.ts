import { type Kysely, sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import { isPostgres } from '../dialect.ts';

/** Transcodes that are asked for, under way or done. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  const isSerial = isPostgres(db);
  await db.schema
    .createTable('job')
    .addColumn('sequence', isSerial ? 'bigserial' : 'integer', (column) =>
      isSerial ? column.primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('path', text, (column) => column.notNull())
    .addColumn('variantKey', text, (column) => column.notNull())
    .addColumn('transformation', text, (column) => column.notNull())
    .addColumn('version', text, (column) => column.notNull())
    .addColumn('priority', integer, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('progress', integer, (column) => column.notNull())
    .addColumn('attempts', integer, (column) => column.notNull())
    .addColumn('lostLeases', integer, (column) => column.notNull())
    .addColumn('dueAt', text, (column) => column.notNull())
    .addColumn('lease', text)
    .addColumn('leaseUntil', text)
    .addColumn('createdAt', text, (column) => column.notNull())
    .addColumn('startedAt', text)
    .addColumn('completedAt', text)
    .addColumn('error', text)
    .execute();
  await db.schema
    .createIndex('job_open_variant_idx')
    .unique()
    .on('job')
    .column('variantKey')
    .where(sql.ref('status'), '<>', sql.lit('completed'))
    .execute();
  await db.schema.createIndex('job_variantKey_idx').on('job').column('variantKey').execute();
  await db.schema.createIndex('job_path_idx').on('job').column('path').execute();
  await db.schema.createIndex('job_status_idx').on('job').columns(['status', 'priority', 'sequence']).execute();
}
