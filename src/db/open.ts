import type { Log } from '../log.ts';
import type { MigrateMode } from './migrate.ts';
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
export async function openDatabase({ file, url, ...options }: DatabaseOptions): Promise<OpenDatabase> {
  if (url === undefined) return openSqlite({ file, ...options });
  const { openPostgres } = await import('./postgres/open.ts');
  return openPostgres({ url, ...options });
}

/**
 * Tries to open an existing database and changes nothing.
 * @returns what was found, for people
 * @throws Error as `openDatabase`
 */
export async function checkDatabase({ file, url }: Pick<DatabaseOptions, 'file' | 'url'>): Promise<string> {
  if (url === undefined) return checkSqlite({ file });
  const { checkPostgres } = await import('./postgres/open.ts');
  return checkPostgres({ url });
}
