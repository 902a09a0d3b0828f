import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteDialect,
} from 'kysely';
import { codeOf, unavailable } from '../../errors.ts';
import { programFile } from '../../runtime/packed.ts';
import { QuestionThread, ThreadEnded } from '../../runtime/question-thread.ts';
import type { Schema } from '../schema.ts';

/** A request to the thread, which responds with rows. */
export interface Statement {
  sql: string;
  parameters: readonly unknown[];
}

type ReaderThread = QuestionThread<Statement, unknown[]>;

const RETRY_SECONDS = 2;

/** The codes that blame the disk, the file or a transient state, not the statement. */
const OUT_OF_ORDER = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)/;

/**
 * Opens a database for reading in a thread of its own: long reads do not block the event loop. It sees all that was
 * committed before the request. Only statements that read are possible, and no transactions.
 * @param waitMs timeout of a statement for a lock of another process, in ms
 */
export function createReader(file: string, waitMs: number): { db: Kysely<Schema>; close(): Promise<void> } {
  const thread: ReaderThread = new QuestionThread(programFile('./reader-thread', import.meta.url), { file, waitMs });
  const sqlite = new SqliteDialect({ database: async () => Promise.reject(new Error('The reader has a thread.')) });
  const dialect: Dialect = {
    createDriver: () => new ReaderDriver(thread),
    createAdapter: () => sqlite.createAdapter(),
    createQueryCompiler: () => sqlite.createQueryCompiler(),
    createIntrospector: (db) => sqlite.createIntrospector(db),
  };
  return { db: new Kysely<Schema>({ dialect }), close: () => thread.close() };
}

/** @throws HttpProblem 503 where the statement is not to blame */
async function rowsOf(thread: ReaderThread, { sql, parameters }: CompiledQuery): Promise<unknown[]> {
  try {
    return await thread.ask({ sql, parameters });
  } catch (error) {
    if (!(error instanceof ThreadEnded) && !OUT_OF_ORDER.test(codeOf(error))) throw error;
    throw unavailable('The database cannot be read at the moment.', 'database_unavailable', RETRY_SECONDS, error);
  }
}

class ReaderDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(thread: ReaderThread) {
    this.#connection = {
      async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
        return { rows: (await rowsOf(thread, query)) as Row[] };
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
