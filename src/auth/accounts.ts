import { generateRandomString, hashPassword } from 'better-auth/crypto';
import { type Kysely, sql } from 'kysely';
import { insertWhere } from '../db/insert.ts';
import type { AccountRow, Schema, UserRow } from '../db/schema.ts';

/**
 * Creates the one account when there is no user yet. There is never a second one: with a user present nothing changes,
 * whatever its address.
 * @param options.password at least 8 characters
 * @returns whether the account was created
 */
export async function ensureAdmin(options: {
  db: Kysely<Schema>;
  email: string;
  password: string;
  name: string;
}): Promise<boolean> {
  const { db, email, password, name } = options;
  const existing = await db.selectFrom('user').select('id').limit(1).executeTakeFirst();
  if (existing !== undefined) return false;
  const user = newUser(email, name);
  const account = newAccount(user, await hashPassword(password));
  return db.transaction().execute(async (transaction) => {
    // Asked again by the statement that writes, because another process may have come first.
    const isFirst = sql`not exists (select 1 from ${sql.table('user')})`;
    const created = await insertWhere(transaction, 'user', user, isFirst);
    if (created) await transaction.insertInto('account').values(account).execute();
    return created;
  });
}

function newUser(email: string, name: string): UserRow {
  const now = new Date().toISOString();
  return {
    id: generateRandomString(32),
    name,
    // Sign-in looks for the address in lower case.
    email: email.toLowerCase(),
    emailVerified: 1,
    image: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** better-auth keeps the password with the account of the provider `credential`, whose id is the user's. */
function newAccount(user: UserRow, passwordHash: string): AccountRow {
  return {
    id: generateRandomString(32),
    accountId: user.id,
    providerId: 'credential',
    userId: user.id,
    accessToken: null,
    refreshToken: null,
    idToken: null,
    accessTokenExpiresAt: null,
    refreshTokenExpiresAt: null,
    scope: null,
    password: passwordHash,
    createdAt: user.createdAt,
    updatedAt: user.updatedAt,
  };
}
