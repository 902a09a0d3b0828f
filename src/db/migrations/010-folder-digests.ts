import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';

/** By what it is seen that nothing in a folder has changed, without comparing its files one by one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('folder').addColumn('digest', columnTypes(db).text).execute();
}
