import type { Transaction } from 'kysely';
import { clockOf, type TimeIn } from '../db/clock.ts';
import { isUniqueViolation } from '../db/conflicts.ts';
import type { Within } from '../db/locks.ts';
import type { OpenDatabase, Schema, UserRow } from '../db/schema.ts';
import { badRequest, conflict, HttpProblem, notFound } from '../errors.ts';
import { INSTALLATION } from '../installation.ts';
import { CREDENTIAL } from './accounts.ts';
import { type Commit, createCommit } from './commit.ts';
import { type Passwords, withPriority } from './passwords.ts';
import type { SessionHolder } from './session-holder.ts';
import type { SignInBackoff } from './sign-in-backoff.ts';

/** Session without its token, for its owner. */
export interface ListedSession {
  id: string;
  createdAt: string;
  expiresAt: string;
  /** Address of the sign-in. */
  address: string | null;
  userAgent: string | null;
}

export interface OwnAccountOptions {
  database: Pick<OpenDatabase, 'db' | 'file'>;
  passwords: Passwords;
  /** Delays guesses of the password. */
  signInBackoff: Pick<SignInBackoff, 'tryInSession'>;
  /** Called after sessions may have ended, so that caches evict them. */
  onChange(): Promise<void>;
}

export interface AccountChange {
  name?: string | undefined;
  email?: string | undefined;
  currentPassword?: string | undefined;
}

/** The session of a request. One that is restricted to a space sees and ends those of that space only. */
type Current = Pick<SessionHolder, 'sessionId' | 'userId' | 'space'>;

/** Limit of the list, newest first. Only hundreds of sign-ins in a week reach it. */
const MAX_LISTED = 1000;

/**
 * Changes the own account and its sessions. The endpoints of better-auth are not used: they show the tokens of sessions
 * and refuse a session that is older than a day.
 */
export class OwnAccount {
  readonly #options: OwnAccountOptions;
  readonly #commit: Commit;
  readonly #time: TimeIn;

  constructor(options: OwnAccountOptions) {
    this.#options = options;
    this.#time = clockOf(options.database.db);
    this.#commit = createCommit(options);
  }

  /**
   * Sets the password.
   * @param change.revokeOthers ends all other sessions
   * @param within called in the transaction of the change, as in the other methods
   * @throws HttpProblem 403 for a wrong current password, 429 after too many of them
   */
  async changePassword(
    { sessionId, userId }: Current,
    change: { currentPassword: string; newPassword: string; revokeOthers: boolean },
    within?: Within,
  ): Promise<void> {
    await this.#assertPassword({ sessionId, userId }, change.currentPassword);
    const password = await withPriority(() => this.#options.passwords.hash(change.newPassword));
    await this.#commit(async (transaction) => {
      const account = transaction.updateTable('account').set({ password, updatedAt: new Date().toISOString() });
      await account.where('userId', '=', userId).where('providerId', '=', CREDENTIAL).execute();
      if (change.revokeOthers) await sessionsOf(transaction, userId).where('id', '<>', sessionId).execute();
      await within?.(transaction);
    });
  }

  /**
   * Changes the name or the address. The address is used to sign in, so it needs the password.
   * @throws HttpProblem 400 for an address without the password, 409 for one with an account or an open invitation, else
   * as `changePassword`
   */
  async update(
    { sessionId, userId }: Current,
    { name, email, currentPassword }: AccountChange,
    within?: Within,
  ): Promise<UserRow> {
    const user = await this.#user(userId);
    const isMoving = email !== undefined && email.toLowerCase() !== user.email;
    if (isMoving && currentPassword === undefined) {
      throw badRequest('Expected "currentPassword" with another "email", received none.', 'missing_input');
    }
    // A provided password has to be correct even where none is needed.
    if (currentPassword !== undefined) await this.#assertPassword({ sessionId, userId }, currentPassword);
    const changed = { ...(name !== undefined && { name }), ...(isMoving && { email: email.toLowerCase() }) };
    const work = async (transaction: Transaction<Schema>) => {
      if (isMoving) await assertNotInvited(transaction, this.#time, email.toLowerCase());
      const row = transaction.updateTable('user').set({ ...changed, updatedAt: new Date().toISOString() });
      await row.where('id', '=', userId).execute();
      await within?.(transaction);
    };
    // Nodes cache no names and addresses.
    await this.#commit(work, () => false).catch((error: unknown) => {
      throw isMoving && isUniqueViolation(error) ? addressTaken(email) : error;
    });
    return this.#user(userId);
  }

  /** Lists active sessions, newest first. */
  async sessions({ userId, space }: Current): Promise<ListedSession[]> {
    let all = this.#options.database.db.selectFrom('session').where('userId', '=', userId);
    if (space !== INSTALLATION) all = all.where('space', '=', space);
    const rows = await all
      .select(['id', 'createdAt', 'expiresAt', 'ipAddress', 'userAgent'])
      .where('expiresAt', '>', new Date().toISOString())
      .orderBy('createdAt', 'desc')
      .orderBy('id')
      .limit(MAX_LISTED)
      .execute();
    return rows.map(({ ipAddress, ...row }) => ({
      ...row,
      address: ipAddress || null,
      userAgent: row.userAgent || null,
    }));
  }

  /** @throws HttpProblem 404 */
  async endSession({ userId, space }: Current, id: string, within?: Within): Promise<void> {
    await this.#commit(async (transaction) => {
      const ended = sessionsOf(transaction, userId, space).where('id', '=', id);
      const { numDeletedRows } = await ended.executeTakeFirst();
      if (Number(numDeletedRows) === 0) throw notFound('Session not found.', 'session_not_found');
      await within?.(transaction);
    });
  }

  async endOtherSessions({ sessionId, userId, space }: Current, within?: Within): Promise<void> {
    await this.#commit(async (transaction) => {
      await sessionsOf(transaction, userId, space).where('id', '<>', sessionId).execute();
      await within?.(transaction);
    });
  }

  async #user(id: string): Promise<UserRow> {
    return this.#options.database.db.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }

  /** @throws HttpProblem 403 for a wrong password, 429 after too many of them */
  async #assertPassword({ sessionId, userId }: Pick<Current, 'sessionId' | 'userId'>, password: string): Promise<void> {
    const { database, passwords, signInBackoff } = this.#options;
    const accounts = database.db.selectFrom('account').select('password').where('userId', '=', userId);
    const account = await accounts.where('providerId', '=', CREDENTIAL).executeTakeFirst();
    const hash = account?.password;
    await signInBackoff.tryInSession(sessionId, async () => {
      const isRight = typeof hash === 'string' && (await passwords.verify({ hash, password }));
      if (!isRight) throw new HttpProblem('wrong_password', 'The current password is wrong.');
    });
  }
}

/** An address that was invited is for the person who has the link. @throws HttpProblem 409 */
async function assertNotInvited(transaction: Transaction<Schema>, time: TimeIn, email: string): Promise<void> {
  const open = transaction.selectFrom('invitation').select('id').where('email', '=', email);
  const found = await open.where('expiresAt', '>', time()).limit(1).executeTakeFirst();
  if (found) throw addressTaken(email);
}

/** The same for both, so that the answer does not tell who is invited. */
function addressTaken(email: string) {
  return conflict(`The address ${email} has an account, or an open invitation.`, 'account_exists');
}

/** @param space only sessions that are restricted to this space; all for the installation */
function sessionsOf(transaction: Transaction<Schema>, userId: string, space = INSTALLATION) {
  const sessions = transaction.deleteFrom('session').where('userId', '=', userId);
  return space === INSTALLATION ? sessions : sessions.where('space', '=', space);
}
