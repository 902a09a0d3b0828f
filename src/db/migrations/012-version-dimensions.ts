import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';

/** How large the picture or video of a version is, as far as it was known when others took its place. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { integer } = columnTypes(db);
  // SQLite adds one column at a time.
  for (const name of ['width', 'height'])
    await db.schema.alterTable('asset_version').addColumn(name, integer).execute();
}
