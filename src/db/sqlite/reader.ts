import { Worker } from 'node:worker_threads';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteDialect,
} from 'kysely';
import { unavailable } from '../../errors.ts';
import type { Schema } from '../schema.ts';

/** What the thread is asked. */
export interface Question {
  id: number;
  sql: string;
  parameters: readonly unknown[];
}

/** What it answers. */
export type Reply = { id: number; rows: unknown[] } | { id: number; failure: { message: string; code: string } };

const RETRY_SECONDS = 2;

/** The codes that blame the disk, the file or the moment, and not the statement. */
const OUT_OF_ORDER = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)/;

/**
 * A database to read from in a thread of its own: what reads much does not keep the event loop from anything else. It sees all that was
 * committed before it is asked. Only statements that read are possible, and no transactions.
 * @param waitMs how long a statement waits for a lock of another process, in milliseconds
 */
export function createReader(file: string, waitMs: number): { db: Kysely<Schema>; close(): Promise<void> } {
  const thread = new ReaderThread(file, waitMs);
  const sqlite = new SqliteDialect({ database: async () => Promise.reject(new Error('The reader has a thread.')) });
  const dialect: Dialect = {
    createDriver: () => new ReaderDriver(thread),
    createAdapter: () => sqlite.createAdapter(),
    createQueryCompiler: () => sqlite.createQueryCompiler(),
    createIntrospector: (db) => sqlite.createIntrospector(db),
  };
  return { db: new Kysely<Schema>({ dialect }), close: () => thread.close() };
}

interface Waiting {
  resolve(rows: unknown[]): void;
  reject(error: Error): void;
}

/** The thread. It begins with the first question, and another one begins after it has died. */
class ReaderThread {
  readonly #options: { file: string; waitMs: number };
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #asked = 0;
  #isClosed = false;

  constructor(file: string, waitMs: number) {
    this.#options = { file, waitMs };
  }

  ask(sql: string, parameters: readonly unknown[]): Promise<unknown[]> {
    if (this.#isClosed) return Promise.reject(new Error('The database is closed.'));
    this.#worker ??= this.#start();
    const id = this.#asked++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
    this.#waiting.set(id, { resolve, reject });
    this.#worker.ref();
    this.#worker.postMessage({ id, sql, parameters } satisfies Question);
    return promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./reader-thread.ts', import.meta.url), { workerData: this.#options });
    let cause: unknown;
    worker.on('message', (reply: Reply) => this.#settle(worker, reply));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      for (const { reject } of this.#waiting.values()) reject(failed(cause));
      this.#waiting.clear();
    });
    return worker;
  }

  #settle(worker: Worker, reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    // A thread that nobody waits for does not keep the process.
    if (this.#waiting.size === 0) worker.unref();
    if ('rows' in reply) waiting?.resolve(reply.rows);
    else waiting?.reject(toError(reply.failure));
  }
}

function toError({ message, code }: { message: string; code: string }): Error {
  const error = Object.assign(new Error(message), { code });
  return OUT_OF_ORDER.test(code) ? failed(error) : error;
}

const failed = (cause: unknown) =>
  unavailable('The database cannot be read at the moment.', 'database_unavailable', RETRY_SECONDS, cause);

class ReaderDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(thread: ReaderThread) {
    this.#connection = {
      async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
        return { rows: (await thread.ask(sql, parameters)) as Row[] };
      },
      streamQuery: () => {
        throw new Error('The reader has no streams.');
      },
    };
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async beginTransaction(): Promise<void> {
    throw new Error('The reader has no transactions.');
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}
