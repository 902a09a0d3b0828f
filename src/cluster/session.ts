import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { Client } from 'pg';
import type { Log } from '../log.ts';
import { lockId } from './lock-id.ts';

export interface SessionOptions {
  /** URL of PostgreSQL with the password, or of a pooler with session pooling. */
  url: string;
  /** Name of the lock that proves to other nodes that this one lives. */
  node: string;
  log: Log;
  /** Interval of the heartbeat, in ms. */
  heartbeatMs?: number;
  /** Timeout after which PostgreSQL counts as lost, in ms. TCP does not notice a process that is stopped. */
  answerMs?: number;
  /** Maximum delay before a reconnect, in ms. */
  longestPauseMs?: number;
}

/** There is no connection, or it was lost before the answer. */
export class SessionDown extends Error {
  override name = 'SessionDown';
  constructor(cause?: unknown) {
    super('There is no connection to PostgreSQL.', { cause });
  }
}

/** Delay before the first reconnect, in ms. It doubles with each attempt, with jitter. */
const FIRST_PAUSE_MS = 100;

/** Name of the connection in PostgreSQL. It says that this node knows spaces: those that do not lack the addition. */
const SESSION_NAME = 'darkroom session, spaces';

/** Channel of the notifications. */
export const CHANNEL = 'darkroom';

/**
 * Makes PostgreSQL detect a host without power or network within 30 s (values in s, the timeout in ms). By default this
 * takes hours, in which other nodes cannot take the locks of that host.
 */
const NOTICE_LOSS = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 25_000,
} as const;

/** Statements that set this for a session, or with `local` for a transaction. */
export const noticeLoss = (scope: 'session' | 'local') =>
  Object.entries(NOTICE_LOSS)
    .map(([name, value]) => `set ${scope} ${name} = ${value}`)
    .join('; ');

/** Nothing written here has to be durable. */
const PREPARE = `set synchronous_commit = off; ${noticeLoss('session')}`;

interface Events {
  /** The text of a notification. */
  notification: [string];
  /** A connection was made, the first or another one. */
  up: [];
}

interface Connection {
  client: Client;
  socket: Socket;
}

/**
 * One permanent connection to PostgreSQL for notifications and locks. It reconnects when it is lost; the locks are lost
 * then.
 */
export class Session extends EventEmitter<Events> {
  readonly #options: Required<SessionOptions>;
  #connection: Connection | undefined;
  #epoch = 0;
  #timer: NodeJS.Timeout | undefined;
  #attempts = 0;
  #isClosed = false;
  /** Last statement: they are sent one after another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: SessionOptions) {
    super();
    this.#options = { heartbeatMs: 5000, answerMs: 2000, longestPauseMs: 5000, ...options };
  }

  get isUp(): boolean {
    return this.#connection !== undefined;
  }

  /** Number of the connection. Locks taken under an earlier number are lost. */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * Connects. While PostgreSQL is unreachable, it retries in the background.
   * @throws Error when PostgreSQL refuses: a wrong password, an unknown database
   */
  async start(): Promise<void> {
    try {
      await this.#connect();
    } catch (error) {
      if (isRefusal(error)) throw error;
      this.#options.log.warn({ err: error }, 'no connection to PostgreSQL: this node works alone for now');
      this.#connectLater();
    }
  }

  /** Sends one statement. @throws SessionDown; an error of PostgreSQL about the statement */
  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const connection = this.#connection;
    if (!connection) throw new SessionDown();
    const answer = this.#last.then(() => this.#send<Row>(connection, text, values));
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
    await this.#withTimeout(connection, connection.client.end()).catch(() => undefined);
  }

  async #send<Row>(connection: Connection, text: string, values: readonly unknown[]): Promise<Row[]> {
    const isLost = () => connection.socket.destroyed;
    if (isLost()) throw new SessionDown();
    try {
      const { rows } = await this.#withTimeout(connection, connection.client.query(text, [...values]));
      return rows as Row[];
    } catch (error) {
      throw isLost() ? new SessionDown(error) : error;
    }
  }

  /** Destroys the connection when the work takes too long, so that it fails. */
  async #withTimeout<T>({ socket }: Connection, work: Promise<T>): Promise<T> {
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
      // Our own socket can be destroyed at any time.
      stream: () => socket,
      connectionTimeoutMillis: answerMs,
      application_name: SESSION_NAME,
    });
    const connection = { client, socket };
    // Without a listener an error would end the process. `end` follows each error.
    client.on('error', () => undefined);
    client.on('end', () => this.#lose(connection));
    client.on('notification', ({ payload = '' }) => this.emit('notification', payload));
    try {
      await client.connect();
      const statements = [PREPARE, `listen ${CHANNEL}`, `select pg_advisory_lock_shared(${lockId('node', node)})`];
      for (const text of statements) await this.#withTimeout(connection, client.query(text));
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
      // A failed heartbeat loses the connection, which is logged there.
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
    const { longestPauseMs, log } = this.#options;
    const pause = Math.min(longestPauseMs, FIRST_PAUSE_MS * 2 ** this.#attempts++);
    // All nodes lose their connections together; jitter spreads the reconnects.
    const shortened = pause * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => {
      this.#connect().then(
        () => log.info('the connection to PostgreSQL is back'),
        () => this.#connectLater(),
      );
    }, shortened);
  }
}

/** True for errors of credentials (class 28) and of a missing database (3D). */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^(28|3D)/.test(code);
}
