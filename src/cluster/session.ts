import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { Client } from 'pg';
import type { Log } from '../log.ts';
import { lockId } from './lock-id.ts';

export interface SessionOptions {
  /** The address of PostgreSQL itself, with its password. A pooler in between must give each client a connection of its own. */
  url: string;
  /** Whoever asks whether this node lives finds a lock of this name. */
  node: string;
  log: Log;
  /** How often PostgreSQL is asked whether it is there. */
  heartbeatMs?: number;
  /** PostgreSQL counts as lost when it does not answer within this time. TCP would not notice a process that is stopped. */
  answerMs?: number;
  /** The pause before the first attempt to connect again. It doubles with each, and is shortened at random. */
  firstPauseMs?: number;
  longestPauseMs?: number;
}

/** Why something was not asked: there is no connection, or it was lost before the answer. */
export class SessionDown extends Error {
  override name = 'SessionDown';
  constructor(cause?: unknown) {
    super('There is no connection to PostgreSQL.', { cause });
  }
}

/** The channel of the notifications. */
export const CHANNEL = 'darkroom';

/**
 * Has PostgreSQL notice in half a minute that a machine is gone without a word, in milliseconds and seconds. By default it would take
 * hours, and keep the locks of that machine from all others.
 */
const NOTICE_LOSS = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 25_000,
} as const;

/** The statements that set this for a session, or with `local` for a transaction. */
export const noticeLoss = (scope: 'session' | 'local') =>
  Object.entries(NOTICE_LOSS)
    .map(([name, value]) => `set ${scope} ${name} = ${value}`)
    .join('; ');

/** Nothing that is written here has to survive, so nothing waits for a disk. */
const PREPARE = `set synchronous_commit = off; ${noticeLoss('session')}`;

interface Events {
  /** The text of a notification. */
  notification: [string];
  /** There is a connection, for the first time or again. */
  up: [];
}

interface Connection {
  client: Client;
  socket: Socket;
}

/**
 * One lasting connection to PostgreSQL, which listens for notifications and holds locks. It connects again when it is lost; locks do
 * not come back.
 */
export class Session extends EventEmitter<Events> {
  readonly #options: Required<SessionOptions>;
  #connection: Connection | undefined;
  #epoch = 0;
  #timer: NodeJS.Timeout | undefined;
  #attempts = 0;
  #isClosed = false;
  /** The statement that was sent last: one is sent after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: SessionOptions) {
    super();
    this.#options = { heartbeatMs: 5000, answerMs: 2000, firstPauseMs: 100, longestPauseMs: 5000, ...options };
  }

  get isUp(): boolean {
    return this.#connection !== undefined;
  }

  /** The number of the connection: locks that were taken under another one are gone. */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * Connects. When PostgreSQL is not there, it is tried again in the background.
   * @throws Error when PostgreSQL is there and refuses: a wrong password, an unknown database
   */
  async start(): Promise<void> {
    try {
      await this.#connect();
    } catch (error) {
      if (isRefusal(error)) throw error;
      this.#options.log.warn({ err: error }, 'no connection to PostgreSQL: this node works alone until there is one');
      this.#connectLater();
    }
  }

  /** Sends one statement. @throws SessionDown; an error of PostgreSQL about the statement */
  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const asked = this.#connection;
    if (!asked) throw new SessionDown();
    const answer = this.#last.then(() => this.#send<Row>(asked, text, values));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const connection = this.#connection;
    if (!connection) return;
    this.#connection = undefined;
    await this.#last;
    await this.#inTime(connection, connection.client.end()).catch(() => undefined);
  }

  async #send<Row>(asked: Connection, text: string, values: readonly unknown[]): Promise<Row[]> {
    const isLost = () => asked.socket.destroyed;
    if (isLost()) throw new SessionDown();
    try {
      const { rows } = await this.#inTime(asked, asked.client.query(text, [...values]));
      return rows as Row[];
    } catch (error) {
      throw isLost() ? new SessionDown(error) : error;
    }
  }

  /** Gives the connection up when the work takes too long, which then fails. */
  async #inTime<T>({ socket }: Connection, work: Promise<T>): Promise<T> {
    const late = setTimeout(() => socket.destroy(), this.#options.answerMs);
    try {
      return await work;
    } finally {
      clearTimeout(late);
    }
  }

  async #connect(): Promise<void> {
    const { url, node, answerMs } = this.#options;
    const socket = new Socket();
    const client = new Client({
      connectionString: url,
      // A socket of our own can be destroyed, whatever the client is waiting for.
      stream: () => socket,
      connectionTimeoutMillis: answerMs,
      application_name: 'darkroom session',
    });
    const connection = { client, socket };
    // Without a listener it would end the process. What follows an error is the end.
    client.on('error', () => undefined);
    client.on('end', () => this.#lose(connection));
    client.on('notification', ({ payload = '' }) => this.emit('notification', payload));
    try {
      await client.connect();
      const statements = [PREPARE, `listen ${CHANNEL}`, `select pg_advisory_lock_shared(${lockId('node', node)})`];
      for (const text of statements) await this.#inTime(connection, client.query(text));
      if (this.#isClosed) throw new SessionDown();
    } catch (error) {
      socket.destroy();
      throw error;
    }
    this.#connection = connection;
    this.#epoch++;
    this.#attempts = 0;
    this.#beatLater();
    this.emit('up');
  }

  #beatLater(): void {
    this.#timer = setTimeout(() => {
      // Its failure is that of the connection, which says so itself.
      this.query('select 1').then(
        () => this.isUp && this.#beatLater(),
        () => undefined,
      );
    }, this.#options.heartbeatMs);
  }

  #lose(connection: Connection): void {
    connection.socket.destroy();
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    clearTimeout(this.#timer);
    this.#options.log.warn('the connection to PostgreSQL is lost: this node works alone until it is back');
    this.#connectLater();
  }

  #connectLater(): void {
    if (this.#isClosed) return;
    const { firstPauseMs, longestPauseMs, log } = this.#options;
    const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** this.#attempts++);
    // All nodes lose their connections together, and should not come back together.
    const shortened = pause * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => {
      this.#connect().then(
        () => log.info('the connection to PostgreSQL is back'),
        () => this.#connectLater(),
      );
    }, shortened);
  }
}

/** Whether PostgreSQL has answered that it will not have us: credentials (class 28) or a database that does not exist (3D). */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^(28|3D)/.test(code);
}
