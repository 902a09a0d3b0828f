import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';

/** What the service remembers about itself, such as the secret that signs its session cookies. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  await db.schema
    .createTable('setting')
    .addColumn('name', text, (column) => column.notNull().primaryKey())
    .addColumn('value', text, (column) => column.notNull())
    .execute();
}
