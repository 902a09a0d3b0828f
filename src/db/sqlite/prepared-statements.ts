import type Database from 'better-sqlite3';
import { boundedCache } from '../../bounded-cache.ts';

const STATEMENTS = 200;
/** A longer one contains a list of values and is seldom repeated. */
const MAX_LENGTH = 4000;

type Statement = ReturnType<Database['prepare']>;

/** The statements of one connection, each prepared once for many runs: most take longer to prepare than to run. */
export class PreparedStatements {
  readonly #sqlite: Database;
  readonly #cache = boundedCache<string, Statement>(STATEMENTS);

  constructor(sqlite: Database) {
    this.#sqlite = sqlite;
  }

  /** Returns a statement that can run immediately: a new one while the cached one is still being read from. */
  prepare(text: string): Statement {
    const known = this.#cache.get(text);
    if (known && !known.busy) return known;
    const statement = this.#sqlite.prepare(text);
    if (!known && text.length <= MAX_LENGTH) this.#cache.set(text, statement);
    return statement;
  }

  /** Closes the connection. */
  close(): void {
    this.#sqlite.close();
  }
}
