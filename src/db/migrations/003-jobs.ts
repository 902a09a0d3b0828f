import { type Kysely, sql } from 'kysely';

/** Transcodes that are asked for, under way or done. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('job')
    .addColumn('sequence', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('variantKey', 'text', (column) => column.notNull())
    .addColumn('transformation', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('priority', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('progress', 'integer', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('lostLeases', 'integer', (column) => column.notNull())
    .addColumn('dueAt', 'text', (column) => column.notNull())
    .addColumn('lease', 'text')
    .addColumn('leaseUntil', 'text')
    .addColumn('createdAt', 'text', (column) => column.notNull())
    .addColumn('startedAt', 'text')
    .addColumn('completedAt', 'text')
    .addColumn('error', 'text')
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
