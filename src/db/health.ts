import { stat } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { succeeds } from '../concurrency.ts';
import { codeOf, hasCode } from '../errors.ts';
import type { OpenDatabase, Schema } from './schema.ts';

/** The `database` object of `GET /health/database`, field for field. A field that is unset could not be read. */
export interface DatabaseHealth {
  connected: boolean;
  path: string;
  /** For people, such as `84 KB`. */
  size?: string;
  /** Octal, such as `600`. */
  permissions?: string;
  tables?: TableCounts;
  /** What works but should be put right. */
  warning?: string;
  /** Others than the owner may open the file. */
  security_warning?: string;
  /** Why size and permissions are missing. */
  file_error?: string;
  /** Why the record counts are missing. */
  table_error?: string;
}

export type TableCounts = Record<'user' | 'session' | 'account' | 'verification' | 'apiKey', number>;

/**
 * Looks at the database and its file. Nothing here fails: the answer says what cannot be read, and `connected: false` means that
 * the database does not answer at all.
 */
export async function readDatabaseHealth({ db }: Pick<OpenDatabase, 'db'>, file: string): Promise<DatabaseHealth> {
  const connected = await succeeds(sql`select 1`.execute(db));
  const health: DatabaseHealth = { connected, path: file, ...(await readFile(file)) };
  if (!connected) return health;
  return { ...health, ...(await readTables(db)), ...(await readWarning(db)) };
}

async function readFile(file: string): Promise<Partial<DatabaseHealth>> {
  try {
    const { size, mode } = await stat(file);
    const permissions = (mode & 0o777).toString(8).padStart(3, '0');
    const facts = { size: formatBytes(size), permissions };
    if ((mode & 0o177) === 0) return facts;
    return { ...facts, security_warning: `Expected permissions 600 or stricter, found ${permissions}.` };
  } catch (error) {
    const reason = hasCode(error, 'ENOENT') ? 'it is no longer there' : codeOf(error) || 'error';
    return { file_error: `The size and permissions of the database file cannot be read: ${reason}.` };
  }
}

async function readTables(db: Kysely<Schema>): Promise<Partial<DatabaseHealth>> {
  try {
    const count = (table: 'user' | 'session' | 'account' | 'verification' | 'apikey') =>
      db.selectFrom(table).select((row) => row.fn.countAll<number>().as('count'));
    const tables = await db
      .selectNoFrom([
        count('user').as('user'),
        count('session').as('session'),
        count('account').as('account'),
        count('verification').as('verification'),
        count('apikey').as('apiKey'),
      ])
      .executeTakeFirstOrThrow();
    return { tables: tables as TableCounts };
  } catch (error) {
    return { table_error: `The records cannot be counted: ${error instanceof Error ? error.message : 'error'}.` };
  }
}

/** Some network file systems refuse write-ahead logging. SQLite then keeps a rollback journal and does not say so. */
async function readWarning(db: Kysely<Schema>): Promise<Partial<DatabaseHealth>> {
  const { rows } = await sql<{ journal_mode: string }>`pragma journal_mode`.execute(db);
  const mode = rows[0]?.journal_mode;
  if (mode === 'wal') return {};
  return { warning: `The database uses the journal mode ${mode} instead of wal, so that readers and writers wait.` };
}

/** Bytes for people: three significant digits, KB is 1024 bytes. */
function formatBytes(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  const power = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${Number((bytes / 1024 ** power).toPrecision(3))} ${units[power]}`;
}
