import { randomBytes } from 'node:crypto';
import { generateRandomString } from 'better-auth/crypto';
import type { Transaction } from 'kysely';
import { clockOf, type TimeIn } from '../db/clock.ts';
import type { Within } from '../db/locks.ts';
import { requireMigration } from '../db/migrate.ts';
import { ROLES_MIGRATION } from '../db/migrations.ts';
import type { InvitationRow, MemberRow, OpenDatabase, Schema, UserRow } from '../db/schema.ts';
import { badRequest, conflict, HttpProblem, notFound, unauthorized } from '../errors.ts';
import { quote } from '../path.ts';
import { insertAccount } from './accounts.ts';
import { hashKey } from './api-key.ts';
import { createCommit } from './commit.ts';
import { type Actor, assertMayGrant, insertMember, lockMembers } from './member-rows.ts';
import type { PasswordSignIn } from './password-sign-in.ts';
import { type Passwords, withPriority } from './passwords.ts';
import { compareRoles, isRole, type Role, storedRole } from './roles.ts';

/** Default and limits of the term of an invitation, in seconds. */
export const INVITATION_SECONDS = { min: 3600, max: 30 * 24 * 3600, standard: 7 * 24 * 3600 };

/** Limit of open invitations of a space, and of the installation. */
export const MAX_OPEN_INVITATIONS = 100;

/** An invitation without its token. */
export interface Invitation {
  id: string;
  /** The only address that may accept it; null for any. */
  email: string | null;
  role: Role;
  /** Id of the user; null for an API key. */
  createdBy: string | null;
  createdAt: string;
  expiresAt: string;
}

/** An invitation for the holder of its token. */
export interface InvitationTerms {
  /** Null for the installation. */
  space: { id: string; name: string } | null;
  role: Role;
  email: string | null;
  /** Name of the person who created it; null for an API key. */
  invitedBy: string | null;
}

interface Change {
  space: string;
  actor: Actor;
  within?: Within | undefined;
}

export interface NewInvitation extends Change {
  role: Role;
  email?: string | undefined;
  expiresInSeconds?: number | undefined;
}

/** Who accepts: a new person, or the user of a session. */
export type Guest =
  | { readonly userId: string }
  | { readonly email?: string | undefined; readonly name?: string | undefined; readonly password?: string | undefined };

export interface Acceptance {
  user: UserRow;
  /** True if the account was created. */
  isNew: boolean;
  /** Where the role applies; empty for the installation. */
  space: string;
  role: Role;
}

export interface InvitationsOptions {
  database: Pick<OpenDatabase, 'db' | 'file'>;
  passwords: Passwords;
  /** Who may sign in with a password. Default: everyone. */
  passwordSignIn?: PasswordSignIn;
  /** Called after the role of an account with sessions may have changed. */
  onChange(): Promise<void>;
  /** Unix milliseconds, instead of the clock of the database. */
  now?: () => number;
}

type Database = OpenDatabase['db'];

/** Creates, lists, deletes and accepts invitations. The database has hashes of their tokens only. */
export function createInvitations(options: InvitationsOptions) {
  const { database, passwords, passwordSignIn = 'true', now } = options;
  const { db } = database;
  const time = clockOf(db, now);
  const commit = createCommit(options);
  // Nodes cache nothing of invitations and of new accounts.
  const isCached = () => false;
  return {
    /**
     * Creates an invitation.
     * @returns the invitation, and its token, which is shown once
     * @throws HttpProblem 403 for a role above the own one, 409 when too many are open
     */
    create: (invitation: NewInvitation) =>
      commit((transaction) => createInvitation(transaction, time, invitation), isCached),
    /** Lists open invitations of a space, oldest first. */
    list: (space: string) => openInvitations(db, time, space),
    /** @throws HttpProblem 403 for a role above the own one, 404 */
    remove: (id: string, change: Change) =>
      commit((transaction) => removeInvitation(transaction, time, id, change), isCached),
    /** The terms of the invitation with this token; undefined for an unknown, used or expired one. */
    describe: (token: string) => describeInvitation(db, time, token),
    /**
     * Uses an invitation up: its role goes to the user of a session, or to a new account.
     * @throws HttpProblem 400 for another address or a missing field, 403 where the new account could
     * not sign in with its password, 404, 409 for an address with an account
     */
    async accept(token: string, guest: Guest, within?: Within<Acceptance>): Promise<Acceptance> {
      const terms = await describeInvitation(db, time, token);
      if (terms === undefined) throw unknownInvitation();
      if ('userId' in guest) {
        return commit((transaction) => acceptAsUser(transaction, time, { token, userId: guest.userId, within }));
      }
      assertMayHavePassword(passwordSignIn, terms);
      const account = newcomer(terms, guest);
      // Only holders of a token get here, so anonymous clients cannot delay them.
      const passwordHash = await withPriority(() => passwords.hash(account.password));
      const accepting = { token, within, ...account, passwordHash };
      return commit((transaction) => acceptAsNewcomer(transaction, time, accepting), isCached);
    },
  };
}

export function unknownInvitation() {
  return notFound('The invitation is unknown, was used or has expired. Ask for a new one.', 'invitation_not_found');
}

async function createInvitation(transaction: Transaction<Schema>, time: TimeIn, invitation: NewInvitation) {
  const { space, actor, role, email, expiresInSeconds = INVITATION_SECONDS.standard, within } = invitation;
  await lockMembers(transaction);
  await assertMayGrant(transaction, actor, space, [role]);
  await transaction.deleteFrom('invitation').where('expiresAt', '<=', time()).execute();
  const open = transaction.selectFrom('invitation').select((eb) => eb.fn.countAll<number>().as('count'));
  const { count } = await open.where('space', '=', space).executeTakeFirstOrThrow();
  if (Number(count) >= MAX_OPEN_INVITATIONS) {
    const message = `${MAX_OPEN_INVITATIONS} invitations are open, which is the limit. Delete one, or wait until it is used.`;
    throw conflict(message, 'too_many_invitations');
  }
  const token = randomBytes(32).toString('base64url');
  const row = await transaction
    .insertInto('invitation')
    .values({
      id: generateRandomString(32),
      hash: hashKey(token),
      space,
      role,
      email: email?.toLowerCase() ?? null,
      createdBy: actor.type === 'user' ? actor.id : null,
      createdAt: time(),
      expiresAt: time(expiresInSeconds * 1000),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  // An older version would give the new person all permissions.
  await requireMigration(transaction, ROLES_MIGRATION);
  await within?.(transaction);
  return { token, invitation: toInvitation(row) };
}

async function openInvitations(db: Database, time: TimeIn, space: string): Promise<Invitation[]> {
  const rows = db.selectFrom('invitation').selectAll().where('space', '=', space).where('expiresAt', '>', time());
  return (await rows.orderBy('createdAt').orderBy('id').execute()).map(toInvitation);
}

async function removeInvitation(
  transaction: Transaction<Schema>,
  time: TimeIn,
  id: string,
  { space, actor, within }: Change,
): Promise<Invitation> {
  await lockMembers(transaction);
  const row = await transaction
    .deleteFrom('invitation')
    .where('id', '=', id)
    .where('space', '=', space)
    .where('expiresAt', '>', time())
    .returningAll()
    .executeTakeFirst();
  if (!row) throw notFound(`No open invitation has the id ${quote(id)}.`, 'invitation_not_found');
  const invitation = toInvitation(row);
  await assertMayGrant(transaction, actor, space, [invitation.role]);
  await within?.(transaction);
  return invitation;
}

async function describeInvitation(db: Database, time: TimeIn, token: string): Promise<InvitationTerms | undefined> {
  const row = await db
    .selectFrom('invitation')
    .leftJoin('space', 'space.id', 'invitation.space')
    .leftJoin('user', 'user.id', 'invitation.createdBy')
    .select(['invitation.role', 'invitation.email', 'space.id', 'space.name', 'user.name as invitedBy'])
    .where('invitation.hash', '=', hashKey(token))
    .where('invitation.expiresAt', '>', time())
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { id, name, email, invitedBy } = row;
  const space = id === null || name === null ? null : { id, name };
  return { space, role: storedRole(row.role), email, invitedBy };
}

/** @throws HttpProblem 403 where nobody with the role may sign in with a password */
function assertMayHavePassword(who: PasswordSignIn, { space, role }: InvitationTerms): void {
  if (who === 'true' || (who === 'owners' && space === null && role === 'owner')) return;
  const message =
    'Passwords are not accepted (PASSWORD_SIGN_IN). Sign in through the identity provider, then accept the invitation.';
  throw new HttpProblem('password_sign_in_disabled', message);
}

/** Checks the fields of a new account. @throws HttpProblem 400 */
function newcomer(terms: InvitationTerms, guest: Exclude<Guest, { userId: string }>) {
  const email = (guest.email ?? terms.email)?.toLowerCase();
  const { password } = guest;
  if (email === undefined || password === undefined) {
    const missing = email === undefined ? '"email"' : '"password"';
    throw badRequest(
      `Expected ${missing} for a new account, or the cookie of a session, received neither.`,
      'missing_input',
    );
  }
  assertInvited(terms, email);
  const { name = email.slice(0, email.lastIndexOf('@')) } = guest;
  return { email, password, name };
}

function assertInvited({ email: invited }: Pick<InvitationRow, 'email'>, email: string): void {
  if (invited === null || invited === email) return;
  throw badRequest(`The invitation is for another address than ${quote(email)}.`, 'bad_request');
}

interface Accepting {
  token: string;
  within: Within<Acceptance> | undefined;
}

async function acceptAsNewcomer(
  transaction: Transaction<Schema>,
  time: TimeIn,
  guest: Accepting & { email: string; name: string; passwordHash: string },
): Promise<Acceptance> {
  await lockMembers(transaction);
  const { space, role } = await redeem(transaction, time, guest.token);
  const user = await insertAccount(transaction, guest);
  await insertMember(transaction, { userId: user.id, space, role, source: 'given' });
  const acceptance = { user, isNew: true, space, role };
  await guest.within?.(transaction, acceptance);
  return acceptance;
}

async function acceptAsUser(
  transaction: Transaction<Schema>,
  time: TimeIn,
  { token, userId, within }: Accepting & { userId: string },
): Promise<Acceptance> {
  await lockMembers(transaction);
  const invitation = await redeem(transaction, time, token);
  const { space, role } = invitation;
  const user = await transaction.selectFrom('user').selectAll().where('id', '=', userId).executeTakeFirst();
  if (user === undefined) throw unauthorized('The session has ended.');
  assertInvited(invitation, user.email);
  const rows = transaction.selectFrom('member').selectAll().where('userId', '=', userId);
  const member = await rows.where('space', '=', space).executeTakeFirst();
  if (member === undefined) {
    await insertMember(transaction, { userId, space, role, source: 'given' });
  } else if (isRaised(member, role)) {
    const row = transaction.updateTable('member').set({ role, source: 'given' });
    await row.where('userId', '=', userId).where('space', '=', space).execute();
  }
  const acceptance = { user, isNew: false, space, role };
  await within?.(transaction, acceptance);
  return acceptance;
}

/** An invitation takes nothing away from a member with a higher role. */
function isRaised(member: MemberRow, role: Role): boolean {
  return !isRole(member.role) || compareRoles(role, member.role) > 0;
}

/** Deletes an open invitation. One transaction only gets it. @throws HttpProblem 404 */
async function redeem(transaction: Transaction<Schema>, time: TimeIn, token: string) {
  const used = transaction.deleteFrom('invitation').where('hash', '=', hashKey(token)).where('expiresAt', '>', time());
  const row = await used.returningAll().executeTakeFirst();
  if (row === undefined) throw unknownInvitation();
  return { ...row, role: storedRole(row.role) };
}

function toInvitation(row: InvitationRow): Invitation {
  const { id, email, createdBy, createdAt, expiresAt } = row;
  return { id, email, role: storedRole(row.role), createdBy, createdAt, expiresAt };
}
