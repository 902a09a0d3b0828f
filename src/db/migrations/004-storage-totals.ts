import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';

/** How much is stored, where that is too costly to count; and the changes under way, which say whether it can be trusted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await db.schema
    .createTable('storage_total')
    .addColumn('id', integer, (column) => column.notNull().primaryKey())
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('fileCount', integer, (column) => column.notNull())
    .addColumn('updatedAt', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('storage_change')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .execute();
}
