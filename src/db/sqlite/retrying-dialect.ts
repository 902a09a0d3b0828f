import type Database from 'better-sqlite3';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { PreparedStatements } from './prepared-statements.ts';
import { whenUnlocked } from './when-unlocked.ts';

/**
 * Creates Kysely's SQLite dialect on one connection, with two changes and a cache of statements. SQLite itself would
 * wait for a lock of another process and block the event loop; here only the one statement waits. And a transaction
 * takes the lock when it begins, so that nothing that it has read can change before it writes.
 * @param waitMs maximum wait of a statement, in ms
 * @param onWritten called when a commit may have happened
 */
export function createRetryingDialect(
  sqlite: Database,
  waitMs: number,
  statements = new PreparedStatements(sqlite),
  onWritten: () => void = () => undefined,
): Dialect {
  return {
    createDriver: () => new RetryingDriver(sqlite, waitMs, statements, onWritten),
    createAdapter: () => new SharedConnectionAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/**
 * By default Kysely runs nothing else while one statement waits. The driver separates the statements that must not mix.
 */
class SharedConnectionAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class RetryingDriver extends SqliteDriver {
  readonly #sqlite: Database;
  readonly #waitMs: number;
  readonly #onWritten: () => void;
  #transaction: { by: DatabaseConnection; ended: Promise<void>; end(): void } | undefined;

  constructor(sqlite: Database, waitMs: number, statements: PreparedStatements, onWritten: () => void) {
    // Kysely passes the values as one list, which better-sqlite3 accepts too.
    super({ database: statements as unknown as SqliteDatabase });
    this.#sqlite = sqlite;
    this.#waitMs = waitMs;
    this.#onWritten = onWritten;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const statements = await super.acquireConnection();
    const connection: DatabaseConnection = {
      executeQuery: async <Row>(query: CompiledQuery) => {
        const run = (): Promise<QueryResult<Row>> => statements.executeQuery<Row>(query);
        const result = await this.#exclusively(connection, run);
        if (this.#transaction?.by !== connection && query.query.kind !== 'SelectQueryNode') this.#onWritten();
        return result;
      },
      streamQuery: (query, chunkSize) => statements.streamQuery(query, chunkSize),
    };
    return connection;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#exclusively(connection, () => {
      this.#sqlite.exec('begin immediate');
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      this.#transaction = { by: connection, ended, end };
    });
  }

  override async commitTransaction(): Promise<void> {
    await whenUnlocked(this.#waitMs, () => this.#sqlite.exec('commit'));
    this.#endTransaction();
    this.#onWritten();
  }

  override async rollbackTransaction(): Promise<void> {
    try {
      // Some failures have rolled it back already.
      if (this.#sqlite.inTransaction) this.#sqlite.exec('rollback');
    } finally {
      this.#endTransaction();
    }
  }

  /** Runs a statement that must not become a part of another caller's transaction. */
  #exclusively<T>(connection: DatabaseConnection, run: () => T | Promise<T>): Promise<T> {
    return whenUnlocked(this.#waitMs, async () => {
      while (this.#transaction && this.#transaction.by !== connection) await this.#transaction.ended;
      return run();
    });
  }

  #endTransaction(): void {
    this.#transaction?.end();
    this.#transaction = undefined;
  }
}
