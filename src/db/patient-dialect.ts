import type Database from 'better-sqlite3';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import { whenUnlocked } from './when-unlocked.ts';

/**
 * Kysely's SQLite on one connection, with two changes. SQLite itself would wait for a lock of another process with the whole service
 * standing still; here only the one statement waits. And a transaction takes the lock when it begins, so that nothing that it has
 * read can change before it writes.
 * @param waitMs how long a statement may wait, in milliseconds
 */
export function createPatientDialect(sqlite: Database, waitMs: number): Dialect {
  const dialect = new SqliteDialect({ database: sqlite });
  return {
    createDriver: () => new PatientDriver(sqlite, waitMs),
    createAdapter: () => new SharedConnectionAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}

/** Kysely would let nothing else run while one statement waits. The driver separates the statements that must not mix. */
class SharedConnectionAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

interface OpenTransaction {
  by: DatabaseConnection;
  ended: Promise<void>;
  end(): void;
}

class PatientDriver implements Driver {
  readonly #sqlite: Database;
  readonly #waitMs: number;
  readonly #inner: SqliteDriver;
  #transaction: OpenTransaction | undefined;

  constructor(sqlite: Database, waitMs: number) {
    this.#sqlite = sqlite;
    this.#waitMs = waitMs;
    this.#inner = new SqliteDriver({ database: sqlite });
  }

  init(): Promise<void> {
    return this.#inner.init();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const statements = await this.#inner.acquireConnection();
    const connection: DatabaseConnection = {
      executeQuery: <Row>(query: CompiledQuery) => this.#execute<Row>(connection, statements, query),
      streamQuery: (query, chunkSize) => statements.streamQuery(query, chunkSize),
    };
    return connection;
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#alone(connection, () => {
      this.#sqlite.exec('begin immediate');
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      this.#transaction = { by: connection, ended, end };
    });
  }

  async commitTransaction(): Promise<void> {
    await whenUnlocked(this.#waitMs, () => this.#sqlite.exec('commit'));
    this.#endTransaction();
  }

  async rollbackTransaction(): Promise<void> {
    try {
      // Some failures have rolled it back already.
      if (this.#sqlite.inTransaction) this.#sqlite.exec('rollback');
    } finally {
      this.#endTransaction();
    }
  }

  async releaseConnection(): Promise<void> {
    // There is only one connection, and it stays.
  }

  destroy(): Promise<void> {
    return this.#inner.destroy();
  }

  #execute<Row>(connection: DatabaseConnection, statements: DatabaseConnection, query: CompiledQuery) {
    return this.#alone(connection, (): Promise<QueryResult<Row>> => statements.executeQuery<Row>(query));
  }

  /** Runs a statement that must not become a part of somebody else's transaction. */
  #alone<T>(connection: DatabaseConnection, run: () => T | Promise<T>): Promise<T> {
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
