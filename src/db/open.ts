import type { Log } from '../log.ts';
import type { MigrateMode } from './migrate.ts';
import type { OpenDatabase } from './schema.ts';
import { checkSqlite, openSqlite } from './sqlite/open.ts';

/** The location of the database, and options for opening it. */
export interface DatabaseOptions {
  /** The path of the SQLite database; not used with `url`. */
  file: string;
  /** The address of a PostgreSQL database, with user and password. */
  url?: string | undefined;
  /** Timeout of a statement while another process holds the SQLite database, in ms. */
  waitMs?: number;
  /** Maximum number of connections to PostgreSQL. */
  poolMax?: number;
  migrate?: MigrateMode;
  /** Size above which a SQLite database is checked for damage only after it was opened, in bytes. Default: never. */
  checkedFirstBytes?: number;
  /**
   * Receives a line when PostgreSQL is unreachable, which is then awaited. Without it, an unreachable server cannot be
   * opened.
   */
  log?: Log;
}

/**
 * Opens the database and migrates its tables first. Several processes may do this to the same database concurrently.
 * @throws Error with the reason, without its password
 */
export async function openDatabase({ file, url, ...options }: DatabaseOptions): Promise<OpenDatabase> {
  if (url === undefined) return openSqlite({ file, ...options });
  const { openPostgres } = await import('./postgres/open.ts');
  return openPostgres({ url, ...options });
}

/**
 * Tries to open an existing database and changes nothing.
 * @returns the result, for people
 * @throws Error as `openDatabase`
 */
export async function checkDatabase({ file, url }: Pick<DatabaseOptions, 'file' | 'url'>): Promise<string> {
  if (url === undefined) return checkSqlite({ file });
  const { checkPostgres } = await import('./postgres/open.ts');
  return checkPostgres({ url });
}
