import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';

/** What several nodes have told about jobs. One node alone remembers it in memory. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await db.schema
    .createTable('job_event')
    .addColumn('id', integer, (column) => column.notNull().primaryKey())
    .addColumn('key', text, (column) => column.notNull().unique())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('data', text, (column) => column.notNull())
    .execute();
}
