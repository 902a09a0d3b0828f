import type Database from 'better-sqlite3';
import type { SqliteDatabase } from 'kysely';
import { LRUCache } from 'lru-cache';

const STATEMENTS = 200;
/** A longer one has a list of values and seldom comes again. */
const MAX_LENGTH = 2000;

/** A database that prepares a statement once for many runs: for most statements, to prepare them takes longer than to run them. */
export function keepStatements(sqlite: Database): SqliteDatabase {
  const kept = new LRUCache<string, ReturnType<Database['prepare']>>({ max: STATEMENTS });
  return {
    close: () => void sqlite.close(),
    prepare(text) {
      const known = kept.get(text);
      if (known) return known as never;
      const statement = sqlite.prepare(text);
      if (text.length <= MAX_LENGTH) kept.set(text, statement);
      return statement as never;
    },
  };
}
