import { generateRandomString } from 'better-auth/crypto';
import { type Kysely, sql } from 'kysely';
import { insertWhere } from '../db/insert.ts';
import type { AccountRow, Schema, UserRow } from '../db/schema.ts';
import { type Passwords, PLAIN_PASSWORDS } from './passwords.ts';

/** In characters. Longer ones make the hash slow and no safer. */
export const PASSWORD_LENGTH = { min: 8, max: 128 };

/**
 * Creates the one account when there is no user yet. There is never a second one: with a user present nothing changes,
 * whatever its address.
 * @param options.password of a length within `PASSWORD_LENGTH`
 * @returns whether the account was created
 */
export async function ensureAdmin(options: {
  db: Kysely<Schema>;
  email: string;
  password: string;
  name: string;
  passwords?: Passwords;
}): Promise<boolean> {
  const { db, email, password, name, passwords = PLAIN_PASSWORDS } = options;
  if (await hasAccount(db)) return false;
  const user = newUser(email, name);
  const account = newAccount(user, await passwords.hash(password));
  return db.transaction().execute(async (transaction) => {
    // The statement that writes checks again, because another process may have come first.
    const isFirst = sql`not exists (select 1 from ${sql.table('user')})`;
    const created = await insertWhere(transaction, 'user', user, isFirst);
    if (created) await transaction.insertInto('account').values(account).execute();
    return created;
  });
}

export async function hasAccount(db: Kysely<Schema>): Promise<boolean> {
  return (await db.selectFrom('user').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/**
 * Gives the account another password and ends all its sessions.
 * @param options.email whose it has to be, when given
 * @returns the account's address; undefined when there is no such account
 */
export async function resetPassword(options: {
  db: Kysely<Schema>;
  email?: string | undefined;
  password: string;
}): Promise<string | undefined> {
  const { db, email, password } = options;
  const user = await db.selectFrom('user').select(['id', 'email']).executeTakeFirst();
  if (user === undefined || (email !== undefined && email.toLowerCase() !== user.email)) return undefined;
  const changed = { password: await PLAIN_PASSWORDS.hash(password), updatedAt: new Date().toISOString() };
  await db.transaction().execute(async (transaction) => {
    await transaction.updateTable('account').set(changed).where('userId', '=', user.id).execute();
    await transaction.deleteFrom('session').where('userId', '=', user.id).execute();
  });
  return user.email;
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
