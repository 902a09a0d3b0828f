import { generateRandomString } from 'better-auth/crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import { insertWhere } from '../db/insert.ts';
import { inTransaction, type Within } from '../db/locks.ts';
import type { AccountRow, Schema, UserRow } from '../db/schema.ts';
import { conflict } from '../errors.ts';
import { INSTALLATION } from '../installation.ts';
import { insertMember } from './member-rows.ts';
import { type Passwords, PLAIN_PASSWORDS } from './passwords.ts';

/** Length of a password in characters. A longer one makes the hash slow and no safer. */
export const PASSWORD_LENGTH = { min: 8, max: 128 };

/** Provider under which better-auth stores passwords. */
export const CREDENTIAL = 'credential';

/**
 * Creates the first account, an owner of the installation. Does nothing when a user exists, with any address.
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
  const user = newUser({ email, name });
  const account = newPassword(user.id, await passwords.hash(password));
  return db.transaction().execute(async (transaction) => {
    // Another process may have created the account meanwhile, so the insert checks again.
    const isFirst = sql`not exists (select 1 from ${sql.table('user')})`;
    const created = await insertWhere(transaction, 'user', user, isFirst);
    if (!created) return false;
    await transaction.insertInto('account').values(account).execute();
    await insertMember(transaction, { userId: user.id, space: INSTALLATION, role: 'owner', source: 'given' });
    return true;
  });
}

export async function hasAccount(db: Kysely<Schema>): Promise<boolean> {
  return (await db.selectFrom('user').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/**
 * Creates an account without any role.
 * @param options.passwordHash of a password of a length within `PASSWORD_LENGTH`
 * @throws HttpProblem 409 when the address has an account
 */
export async function insertAccount(
  transaction: Transaction<Schema>,
  options: { email: string; name: string; passwordHash: string },
): Promise<UserRow> {
  const user = newUser(options);
  const added = transaction.insertInto('user').values(user);
  const { numInsertedOrUpdatedRows = 0n } = await added
    .onConflict((on) => on.column('email').doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) throw accountExists(user.email);
  await transaction.insertInto('account').values(newPassword(user.id, options.passwordHash)).execute();
  return user;
}

export function accountExists(email: string) {
  return conflict(`The address ${email} has an account.`, 'account_exists');
}

/** Addresses of accounts, sorted; at most `limit`. */
export async function accountAddresses(db: Kysely<Schema>, limit: number): Promise<string[]> {
  const users = await db.selectFrom('user').select('email').orderBy('email').limit(limit).execute();
  return users.map(({ email }) => email);
}

/**
 * Sets the password of an account and ends all its sessions. An account that had no password gets one.
 * @param options.within called in the transaction of the change
 * @returns the address of the account; undefined without a matching account
 */
export async function resetPassword(options: {
  db: Kysely<Schema>;
  /** Required with several accounts; any when omitted. */
  email?: string | undefined;
  password: string;
  within?: Within<Pick<UserRow, 'id'>>;
}): Promise<string | undefined> {
  const { db, email, password, within } = options;
  const users = db.selectFrom('user').selectAll();
  const found = email === undefined ? users : users.where('email', '=', email.toLowerCase());
  const user = await found.executeTakeFirst();
  if (user === undefined) return undefined;
  const hash = await PLAIN_PASSWORDS.hash(password);
  await inTransaction(db, async (transaction) => {
    const accounts = transaction.updateTable('account').set({ password: hash, updatedAt: new Date().toISOString() });
    const { numUpdatedRows } = await accounts
      .where('userId', '=', user.id)
      .where('providerId', '=', CREDENTIAL)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) await transaction.insertInto('account').values(newPassword(user.id, hash)).execute();
    await transaction.deleteFrom('session').where('userId', '=', user.id).execute();
    await within?.(transaction, user);
  });
  return user.email;
}

export function newUser(options: { email: string; name: string; isVerified?: boolean }): UserRow {
  const now = new Date().toISOString();
  return {
    id: generateRandomString(32),
    name: options.name,
    // better-auth looks up addresses in lower case.
    email: options.email.toLowerCase(),
    emailVerified: Number(options.isVerified ?? true),
    image: null,
    createdAt: now,
    updatedAt: now,
    twoFactorEnabled: 0,
  };
}

/** Creates the account of a user with a provider. No tokens of it are stored. */
export function newAccount(options: Pick<AccountRow, 'userId' | 'providerId' | 'accountId' | 'password'>): AccountRow {
  const now = new Date().toISOString();
  return {
    id: generateRandomString(32),
    accountId: options.accountId,
    providerId: options.providerId,
    userId: options.userId,
    accessToken: null,
    refreshToken: null,
    idToken: null,
    accessTokenExpiresAt: null,
    refreshTokenExpiresAt: null,
    scope: null,
    password: options.password,
    createdAt: now,
    updatedAt: now,
  };
}

/** better-auth stores the password in the account of a provider, whose id is that of the user. */
function newPassword(userId: string, passwordHash: string): AccountRow {
  return newAccount({ userId, providerId: CREDENTIAL, accountId: userId, password: passwordHash });
}
