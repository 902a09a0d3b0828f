import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

// Facts that the service stores about itself, by name.

/** Returns the stored value of a name; undefined without one. */
export async function readSetting(db: Kysely<Schema>, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

/** Stores a value, in place of an earlier one. */
export async function writeSetting(db: Kysely<Schema>, name: string, value: string): Promise<void> {
  const row = db.insertInto('setting').values({ name, value });
  await row.onConflict((conflict) => conflict.column('name').doUpdateSet({ value })).execute();
}

export async function removeSetting(db: Kysely<Schema>, name: string): Promise<void> {
  await db.deleteFrom('setting').where('name', '=', name).execute();
}
