import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';

/** Adds redirects: previous paths of files and folders whose URLs keep working. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await db.schema
    .createTable('redirect')
    .addColumn('from', text, (column) => column.notNull().primaryKey())
    .addColumn('to', text, (column) => column.notNull())
    .addColumn('isFolder', integer, (column) => column.notNull())
    .addColumn('createdAt', integer, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('redirect_to_idx').on('redirect').column('to').execute();
}
