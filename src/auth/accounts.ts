import { generateRandomString } from 'better-auth/crypto';
import { type Kysely, sql } from 'kysely';
import { insertWhere } from '../db/insert.ts';
import type { AccountRow, Schema, UserRow } from '../db/schema.ts';
import { type Passwords, PLAIN_PASSWORDS } from './passwords.ts';

/** Length of a password in characters. A longer one makes the hash slow and no safer. */
export const PASSWORD_LENGTH = { min: 8, max: 128 };

/**
 * Creates the only account. Does nothing when a user exists, with any address.
 * @param options.password of a length within `PASSWORD_LENGTH`
 * @returns true if the account was created
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
    // Another process may have created the account meanwhile, so the insert checks again.
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
 * Sets the password of the account and ends all its sessions.
 * @param options.email required address of the account; any when omitted
 * @returns the address of the account; undefined without a matching account
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
    // better-auth looks up addresses in lower case.
    email: email.toLowerCase(),
    emailVerified: 1,
    image: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** better-auth stores the password in the account of the provider `credential`, whose id is that of the user. */
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
