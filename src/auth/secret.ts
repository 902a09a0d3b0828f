import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { databaseUnavailable } from '../db/postgres/outage.ts';
import type { OpenDatabase, Schema } from '../db/schema.ts';

const NAME = 'auth.secret';

/**
 * Reads the secret that signs session cookies: 43 random characters, created once and stored in the database, which
 * only its owner can read and which holds the sessions themselves. So sessions outlive a restart without any
 * configuration.
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

/**
 * Reads the secret as soon as the database is available.
 * @returns a function that returns the secret
 * @throws HttpProblem 503 from that function, before
 */
export async function openAuthSecret({ db, whenAvailable }: OpenDatabase): Promise<() => string> {
  let secret: string | undefined;
  await whenAvailable(async () => {
    secret = await readAuthSecret(db);
  });
  return () => {
    if (secret !== undefined) return secret;
    throw databaseUnavailable();
  };
}
