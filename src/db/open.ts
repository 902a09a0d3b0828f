import type { Log } from '../log.ts';
import type { MigrateMode } from './migrate.ts';
import { checkPostgres, openPostgres } from './postgres/open.ts';
import type { OpenDatabase } from './schema.ts';
import { checkSqlite, openSqlite } from './sqlite/open.ts';

/** Where the database is, and how it is to be opened. */
export interface DatabaseOptions {
  /** The path of the SQLite database; not used with `url`. */
  file: string;
  /** The address of a PostgreSQL database, with user and password. */
  url?: string | undefined;
  /** For how long a statement waits while another process holds the SQLite database, in milliseconds. */
  waitMs?: number;
  /** How many connections to PostgreSQL there may be. */
  poolMax?: number;
  migrate?: MigrateMode;
  /** Where a PostgreSQL that is away is reported, which is then waited for; without it, it cannot be opened. */
  log?: Log;
}

/**
 * Opens the database and brings its tables up to date first. Several processes may do this to the same database at once.
 * @throws Error that says what is wrong with it, without its password
 */
export function openDatabase({ file, url, ...options }: DatabaseOptions): Promise<OpenDatabase> {
  return url === undefined ? openSqlite({ file, ...options }) : openPostgres({ url, ...options });
}

/**
 * Tries to open an existing database and changes nothing.
 * @returns what was found, for people
 * @throws Error as `openDatabase`
 */
export function checkDatabase({ file, url }: Pick<DatabaseOptions, 'file' | 'url'>): Promise<string> {
  return url === undefined ? checkSqlite({ file }) : checkPostgres({ url });
}
