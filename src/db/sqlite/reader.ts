import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
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
  const dialect: Dialect = {
    createDriver: () => new ReaderDriver(thread),
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
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

class ReaderDriver extends DummyDriver {
  readonly #connection: DatabaseConnection;

  constructor(thread: ReaderThread) {
    super();
    this.#connection = {
      async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
        return { rows: (await rowsOf(thread, query)) as Row[] };
      },
      streamQuery: () => {
        throw new Error('The reader has no streams.');
      },
    };
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  override async beginTransaction(): Promise<void> {
    throw new Error('The reader has no transactions.');
  }
}
