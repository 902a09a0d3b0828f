import { generateRandomString } from 'better-auth/crypto';
import type { Kysely, Transaction } from 'kysely';
import { inTransaction, type Within } from '../db/locks.ts';
import type { AccountRow, Schema, UserRow } from '../db/schema.ts';
import { conflict } from '../errors.ts';
import { INSTALLATION } from '../installation.ts';
import { insertMember, lockMembers } from './member-rows.ts';
import { type Passwords, PLAIN_PASSWORDS } from './passwords.ts';

/** Length of a password in characters. A longer one makes the hash slow and no safer. */
export const PASSWORD_LENGTH = { min: 8, max: 128 };

/** Provider under which better-auth stores passwords. */
export const CREDENTIAL = 'credential';

export interface FirstAccount {
  db: Kysely<Schema>;
  email: string;
  /** Of a length within `PASSWORD_LENGTH`. */
  password: string;
  name: string;
  passwords?: Passwords;
}

/**
 * Creates the first owner of the installation. Does nothing when there is one. People may have accounts before: an
 * invitation may be accepted, or the identity provider may sign them in.
 * @returns its user; undefined if it was not created
 * @throws HttpProblem 409 when the address has an account
 */
export async function createOwner(account: FirstAccount): Promise<UserRow | undefined> {
  const { db, email, password, name, passwords = PLAIN_PASSWORDS } = account;
  if (await hasOwner(db)) return undefined;
  const user = newUser({ email, name });
  const credential = newPassword(user.id, await passwords.hash(password));
  return inTransaction(db, async (transaction) => {
    await lockMembers(transaction);
    // Another process may have created the account meanwhile.
    if (await hasOwner(transaction)) return undefined;
    await insertUser(transaction, user);
    await transaction.insertInto('account').values(credential).execute();
    await insertMember(transaction, { userId: user.id, space: INSTALLATION, role: 'owner', source: 'given' });
    return user;
  });
}

export async function hasOwner(db: Kysely<Schema>): Promise<boolean> {
  const owners = db.selectFrom('member').select('userId').where('space', '=', INSTALLATION);
  return (await owners.where('role', '=', 'owner').limit(1).executeTakeFirst()) !== undefined;
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
  await insertUser(transaction, user);
  await transaction.insertInto('account').values(newPassword(user.id, options.passwordHash)).execute();
  return user;
}

/** @throws HttpProblem 409 when the address has an account */
async function insertUser(transaction: Transaction<Schema>, user: UserRow): Promise<void> {
  const added = transaction.insertInto('user').values(user);
  const { numInsertedOrUpdatedRows = 0n } = await added
    .onConflict((on) => on.column('email').doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) throw accountExists(user.email);
}

export function accountExists(email: string) {
  return conflict(`The address ${email} has an account.`, 'account_exists');
}

/**
 * Sets the password of a user and ends all sessions. A user who had no password gets one.
 * @param within called in the transaction of the change
 */
export async function resetPassword(
  db: Kysely<Schema>,
  userId: string,
  password: string,
  within?: Within,
): Promise<void> {
  const hash = await PLAIN_PASSWORDS.hash(password);
  await inTransaction(db, async (transaction) => {
    const accounts = transaction.updateTable('account').set({ password: hash, updatedAt: new Date().toISOString() });
    const { numUpdatedRows } = await accounts
      .where('userId', '=', userId)
      .where('providerId', '=', CREDENTIAL)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) await transaction.insertInto('account').values(newPassword(userId, hash)).execute();
    await transaction.deleteFrom('session').where('userId', '=', userId).execute();
    await within?.(transaction);
  });
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
