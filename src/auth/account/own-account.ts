import type { Transaction } from 'kysely';
import type { OpenDatabase, Schema, SessionRow, UserRow } from '../../db/schema.ts';
import { badRequest, HttpProblem, notFound, unauthorized } from '../../errors.ts';
import { type Passwords, withPriority } from '../passwords.ts';

/** A session as its owner sees it: without its token. */
export interface ListedSession {
  id: string;
  createdAt: string;
  expiresAt: string;
  /** From where it was begun. */
  address: string | null;
  userAgent: string | null;
}

export interface OwnAccountOptions {
  database: Pick<OpenDatabase, 'db' | 'file'>;
  passwords: Passwords;
  /** Sessions have ended: nobody may remember them. */
  onChange(): Promise<void>;
}

export interface AccountChange {
  name?: string | undefined;
  email?: string | undefined;
  currentPassword?: string | undefined;
}

/** Runs a check of the password of this account, unless too many have failed. @throws HttpProblem 429 */
export type Try = (check: () => Promise<void>) => Promise<void>;

type Current = Pick<SessionRow, 'id' | 'userId'>;

/** The newest ones. There are more only after hundreds of sign-ins in a week. */
const MAX_LISTED = 1000;

/**
 * What the admin does to the account and its sessions. better-auth's own endpoints for it show the tokens of sessions, and refuse a
 * session that is older than a day.
 */
export class OwnAccount {
  readonly #options: OwnAccountOptions;

  constructor(options: OwnAccountOptions) {
    this.#options = options;
  }

  /**
   * The session of a cookie that was found good.
   * @param presented the value of the cookie, as it came
   * @throws HttpProblem 401 when the session has ended since
   */
  async current(presented: string): Promise<Current> {
    const { db } = this.#options.database;
    const found = db.selectFrom('session').select(['id', 'userId']).where('token', '=', tokenOf(presented));
    const session = await found.executeTakeFirst();
    if (!session) throw unauthorized('The session has ended.');
    return session;
  }

  /**
   * Sets another password.
   * @param change.revokeOthers ends all other sessions
   * @throws HttpProblem 403 for a wrong current password, 429 after too many of them
   */
  async changePassword(
    { id, userId }: Current,
    change: { currentPassword: string; newPassword: string; revokeOthers: boolean },
    attempt: Try,
  ): Promise<void> {
    await this.#assertPassword(userId, change.currentPassword, attempt);
    const password = await withPriority(() => this.#options.passwords.hash(change.newPassword));
    await this.#write(async (transaction) => {
      const account = transaction.updateTable('account').set({ password, updatedAt: new Date().toISOString() });
      await account.where('userId', '=', userId).where('providerId', '=', 'credential').execute();
      if (change.revokeOthers) await othersOf(transaction, { id, userId }).execute();
    });
  }

  /**
   * Changes the name or the address, which is the name to sign in with and therefore needs the password.
   * @throws HttpProblem 400 for an address without the password, else as `changePassword`
   */
  async update({ userId }: Current, { name, email, currentPassword }: AccountChange, attempt: Try): Promise<UserRow> {
    const user = await this.#user(userId);
    const isMoving = email !== undefined && email.toLowerCase() !== user.email;
    if (isMoving && currentPassword === undefined) {
      throw badRequest('Expected "currentPassword" with another "email", received none.', 'missing_input');
    }
    // A password that is given has to be right, whatever it is needed for.
    if (currentPassword !== undefined) await this.#assertPassword(userId, currentPassword, attempt);
    const changed = { ...(name !== undefined && { name }), ...(isMoving && { email: email.toLowerCase() }) };
    await this.#write(async (transaction) => {
      const row = transaction.updateTable('user').set({ ...changed, updatedAt: new Date().toISOString() });
      await row.where('id', '=', userId).execute();
    });
    return this.#user(userId);
  }

  /** The newest first. */
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
  async endSession({ userId }: Current, id: string): Promise<void> {
    await this.#write(async (transaction) => {
      const ended = transaction.deleteFrom('session').where('userId', '=', userId).where('id', '=', id);
      const { numDeletedRows } = await ended.executeTakeFirst();
      if (Number(numDeletedRows) === 0) throw notFound('There is no such session.', 'session_not_found');
    });
  }

  async endOtherSessions(current: Current): Promise<void> {
    await this.#write(async (transaction) => void (await othersOf(transaction, current).execute()));
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
      if (!isRight) throw new HttpProblem('wrong_password', 'This is not the current password of the account.');
    });
  }

  async #write(work: (transaction: Transaction<Schema>) => Promise<void>): Promise<void> {
    const { database, onChange } = this.#options;
    await database.db.transaction().execute(work);
    await onChange();
    await database.file.assertLasting();
  }
}

function othersOf(transaction: Transaction<Schema>, { id, userId }: Current) {
  return transaction.deleteFrom('session').where('userId', '=', userId).where('id', '<>', id);
}

/** The cookie is the token, a dot and its signature, which somebody else has checked. */
function tokenOf(presented: string): string {
  const [encoded = ''] = presented.split(/\.|%2E/i, 1);
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
