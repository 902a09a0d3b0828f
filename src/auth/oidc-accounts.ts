import type { Kysely, Transaction } from 'kysely';
import { inTransaction, lockUntilEnd, type Within } from '../db/locks.ts';
import type { Schema } from '../db/schema.ts';
import { newAccount, newUser } from './accounts.ts';
import { OidcFailure } from './oidc-failure.ts';

/** A person at an identity provider. Nothing else identifies one: whoever changes an address is the same person. */
export interface Identity {
  issuer: string;
  subject: string;
}

export interface NewUser {
  email: string;
  name: string;
  isVerified: boolean;
}

/** The user of an identity. */
export interface SignedIn {
  userId: string;
  /** True if this sign-in has created the account. */
  isNew: boolean;
}

/** The user of an identity; undefined for an unknown one. */
export async function findUser(db: Kysely<Schema>, identity: Identity): Promise<string | undefined> {
  const account = await accountOf(db, identity);
  return account?.userId;
}

/**
 * Creates the user of an identity.
 * @returns the user; not a new one if a concurrent sign-in has created it
 * @throws OidcFailure when another user has the address
 */
export function createUser(db: Kysely<Schema>, identity: Identity, user: NewUser): Promise<SignedIn> {
  return inTransaction(db, async (transaction) => {
    await lockUntilEnd(transaction, 'oidc accounts');
    const known = await accountOf(transaction, identity);
    if (known !== undefined) return { ...known, isNew: false };
    const row = newUser(user);
    const users = transaction.selectFrom('user').select('id').where('email', '=', row.email);
    if ((await users.executeTakeFirst()) !== undefined) throw new OidcFailure('account_exists');
    await transaction.insertInto('user').values(row).execute();
    await insertIdentity(transaction, identity, row.id);
    return { userId: row.id, isNew: true };
  });
}

/**
 * Connects an identity with a user, instead of the one of the same issuer before.
 * @param within called with the user in the transaction, unless nothing changes
 * @throws OidcFailure when it belongs to another user
 */
export function connectIdentity(
  db: Kysely<Schema>,
  identity: Identity,
  userId: string,
  within: Within<string>,
): Promise<void> {
  return inTransaction(db, async (transaction) => {
    await lockUntilEnd(transaction, 'oidc accounts');
    const known = await accountOf(transaction, identity);
    if (known?.userId === userId) return;
    if (known !== undefined) throw new OidcFailure('account_connected');
    const previous = transaction.deleteFrom('account').where('userId', '=', userId);
    await previous.where('providerId', '=', providerOf(identity)).execute();
    await insertIdentity(transaction, identity, userId);
    await within(transaction, userId);
  });
}

/** True if an account is connected with an identity of an issuer. */
export async function hasIdentity(db: Kysely<Schema>, issuer: string, userId: string): Promise<boolean> {
  const accounts = db.selectFrom('account').select('providerId').where('userId', '=', userId);
  const wanted = withoutSlash(providerOf({ issuer }));
  return (await accounts.execute()).some(({ providerId }) => withoutSlash(providerId) === wanted);
}

/** Tokens may name an issuer with a slash at its end that the setting lacks, or without it. */
const withoutSlash = (text: string) => text.replace(/\/$/, '');

/** A subject is unique within its issuer only, so both name an account. */
const providerOf = ({ issuer }: Pick<Identity, 'issuer'>) => `oidc:${issuer}`;

function accountOf(db: Kysely<Schema>, identity: Identity) {
  return db
    .selectFrom('account')
    .select('userId')
    .where('providerId', '=', providerOf(identity))
    .where('accountId', '=', identity.subject)
    .executeTakeFirst();
}

async function insertIdentity(transaction: Transaction<Schema>, identity: Identity, userId: string): Promise<void> {
  const { subject } = identity;
  const account = newAccount({ userId, providerId: providerOf(identity), accountId: subject, password: null });
  await transaction.insertInto('account').values(account).execute();
}
