import type { Transaction } from 'kysely';
import { isUniqueViolation } from '../db/conflicts.ts';
import type { Within } from '../db/locks.ts';
import type { OpenDatabase, Schema, SessionRow, UserRow } from '../db/schema.ts';
import { badRequest, HttpProblem, notFound, unauthorized } from '../errors.ts';
import { accountExists } from './accounts.ts';
import { type Passwords, withPriority } from './passwords.ts';
import { tokenOf } from './session-holder.ts';

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
  /** Called after sessions ended, so that caches evict them. */
  onChange(): Promise<void>;
}

export interface AccountChange {
  name?: string | undefined;
  email?: string | undefined;
  currentPassword?: string | undefined;
}

/** Runs a check of the account's password, unless too many have failed. @throws HttpProblem 429 */
export type Try = (check: () => Promise<void>) => Promise<void>;

type Current = Pick<SessionRow, 'id' | 'userId'>;

/** Limit of the list, newest first. Only hundreds of sign-ins in a week reach it. */
const MAX_LISTED = 1000;

/**
 * Changes the own account and its sessions. The endpoints of better-auth are not used: they show the tokens of sessions
 * and refuse a session that is older than a day.
 */
export class OwnAccount {
  readonly #options: OwnAccountOptions;

  constructor(options: OwnAccountOptions) {
    this.#options = options;
  }

  /**
   * Finds the session of a verified cookie.
   * @param presented raw value of the cookie
   * @throws HttpProblem 401 when the session has ended since
   */
  async current(presented: string): Promise<Current> {
    const { db } = this.#options.database;
    const found = db.selectFrom('session').select(['id', 'userId']).where('token', '=', tokenOf(presented));
    const session = await found.executeTakeFirst();
    if (!session) throw unauthorized('The session has ended.');
    return session;
  }

  /** Finds the user of a verified cookie; undefined when the session has ended since. */
  holder(presented: string): Promise<Pick<UserRow, 'id' | 'name' | 'twoFactorEnabled'> | undefined> {
    return this.#options.database.db
      .selectFrom('session')
      .innerJoin('user', 'user.id', 'session.userId')
      .select(['user.id', 'user.name', 'user.twoFactorEnabled'])
      .where('session.token', '=', tokenOf(presented))
      .executeTakeFirst();
  }

  /**
   * Sets the password.
   * @param change.revokeOthers ends all other sessions
   * @param within called in the transaction of the change, as in the other methods
   * @throws HttpProblem 403 for a wrong current password, 429 after too many of them
   */
  async changePassword(
    { id, userId }: Current,
    change: { currentPassword: string; newPassword: string; revokeOthers: boolean },
    attempt: Try,
    within?: Within,
  ): Promise<void> {
    await this.#assertPassword(userId, change.currentPassword, attempt);
    const password = await withPriority(() => this.#options.passwords.hash(change.newPassword));
    await this.#write(async (transaction) => {
      const account = transaction.updateTable('account').set({ password, updatedAt: new Date().toISOString() });
      await account.where('userId', '=', userId).where('providerId', '=', 'credential').execute();
      if (change.revokeOthers) await othersOf(transaction, { id, userId }).execute();
    }, within);
  }

  /**
   * Changes the name or the address. The address is used to sign in, so it needs the password.
   * @throws HttpProblem 400 for an address without the password, 409 for one with an account, else as `changePassword`
   */
  async update(
    { userId }: Current,
    { name, email, currentPassword }: AccountChange,
    attempt: Try,
    within?: Within,
  ): Promise<UserRow> {
    const user = await this.#user(userId);
    const isMoving = email !== undefined && email.toLowerCase() !== user.email;
    if (isMoving && currentPassword === undefined) {
      throw badRequest('Expected "currentPassword" with another "email", received none.', 'missing_input');
    }
    // A provided password has to be correct even where none is needed.
    if (currentPassword !== undefined) await this.#assertPassword(userId, currentPassword, attempt);
    const changed = { ...(name !== undefined && { name }), ...(isMoving && { email: email.toLowerCase() }) };
    const write = this.#write(async (transaction) => {
      const row = transaction.updateTable('user').set({ ...changed, updatedAt: new Date().toISOString() });
      await row.where('id', '=', userId).execute();
    }, within);
    await write.catch((error: unknown) => {
      throw isMoving && isUniqueViolation(error) ? accountExists(email) : error;
    });
    return this.#user(userId);
  }

  /** Lists active sessions, newest first. */
  async sessions({ userId }: Current): Promise<ListedSession[]> {
    const all = this.#options.database.db.selectFrom('session').where('userId', '=', userId);
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
  async endSession({ userId }: Current, id: string, within?: Within): Promise<void> {
    await this.#write(async (transaction) => {
      const ended = transaction.deleteFrom('session').where('userId', '=', userId).where('id', '=', id);
      const { numDeletedRows } = await ended.executeTakeFirst();
      if (Number(numDeletedRows) === 0) throw notFound('Session not found.', 'session_not_found');
    }, within);
  }

  async endOtherSessions(current: Current, within?: Within): Promise<void> {
    await this.#write(async (transaction) => {
      await othersOf(transaction, current).execute();
    }, within);
  }

  async #user(id: string): Promise<UserRow> {
    return this.#options.database.db.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }

  async #assertPassword(userId: string, password: string, attempt: Try): Promise<void> {
    const { database, passwords } = this.#options;
    const accounts = database.db.selectFrom('account').select('password').where('userId', '=', userId);
    const account = await accounts.where('providerId', '=', 'credential').executeTakeFirst();
    const hash = account?.password;
    await attempt(async () => {
      const isRight = typeof hash === 'string' && (await passwords.verify({ hash, password }));
      if (!isRight) throw new HttpProblem('wrong_password', 'The current password is wrong.');
    });
  }

  async #write(work: (transaction: Transaction<Schema>) => Promise<void>, within?: Within): Promise<void> {
    const { database, onChange } = this.#options;
    await database.db.transaction().execute(async (transaction) => {
      await work(transaction);
      await within?.(transaction);
    });
    await onChange();
    await database.file.assertDurable();
  }
}

function othersOf(transaction: Transaction<Schema>, { id, userId }: Current) {
  return transaction.deleteFrom('session').where('userId', '=', userId).where('id', '<>', id);
}
