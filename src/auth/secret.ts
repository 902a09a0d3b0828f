import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';

const NAME = 'auth.secret';

/**
 * The secret that signs session cookies: 43 random characters, made once and kept in the database, which only its
 * owner can read and which holds the sessions themselves. Sessions so outlive a restart without any configuration.
 */
export async function readAuthSecret(db: Kysely<Schema>): Promise<string> {
  await db
    .insertInto('setting')
    .values({ name: NAME, value: randomBytes(32).toString('base64url') })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { value } = await db.selectFrom('setting').select('value').where('name', '=', NAME).executeTakeFirstOrThrow();
  return value;
}
