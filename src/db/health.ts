import { type Kysely, sql } from 'kysely';
import { succeeds } from '../concurrency.ts';
import { readServer } from './postgres/health.ts';
import type { OpenDatabase, Schema } from './schema.ts';
import { readFile, readJournal } from './sqlite/health.ts';

/** The `database` object of `GET /health/database`, field for field. An undefined field could not be read. */
export interface DatabaseHealth {
  connected: boolean;
  /** Path of the file; the address of a server, without user and password. */
  path: string;
  /** Human-readable, such as `84 KB`. */
  size?: string;
  /** Octal, such as `600`. */
  permissions?: string;
  tables?: TableCounts;
  /** Version of the server. */
  version?: string;
  /** Connections to this database, of all clients. */
  connections?: number;
  /** A problem that does not prevent operation. */
  warning?: string;
  /** Set when others than the owner may open the file. */
  security_warning?: string;
  /** Reason why size and permissions are missing. */
  file_error?: string;
  /** Reason why the record counts are missing. */
  table_error?: string;
}

export type TableCounts = Record<'user' | 'session' | 'account' | 'verification' | 'apiKey', number>;

/**
 * Reads the state of the database, and of its file or its server. Never fails: the result names what cannot be read,
 * and `connected: false` means that the database does not answer at all.
 */
export async function readDatabaseHealth(
  database: Pick<OpenDatabase, 'db' | 'dialect' | 'location'>,
): Promise<DatabaseHealth> {
  const { db, dialect, location: path } = database;
  const connected = await succeeds(sql`select 1`.execute(db));
  const health: DatabaseHealth = { connected, path };
  if (dialect === 'sqlite') Object.assign(health, await readFile(path));
  if (!connected) return health;
  const about = dialect === 'sqlite' ? await readJournal(db) : await readServer(db);
  return { ...health, ...(await readTables(db)), ...about };
}

async function readTables(db: Kysely<Schema>): Promise<Partial<DatabaseHealth>> {
  try {
    const count = (table: 'user' | 'session' | 'account' | 'verification' | 'api_key') =>
      db.selectFrom(table).select((row) => row.fn.countAll<number>().as('count'));
    const tables = await db
      .selectNoFrom([
        count('user').as('user'),
        count('session').as('session'),
        count('account').as('account'),
        count('verification').as('verification'),
        count('api_key').as('apiKey'),
      ])
      .executeTakeFirstOrThrow();
    return { tables: tables as TableCounts };
  } catch (error) {
    return { table_error: `The records cannot be counted: ${error instanceof Error ? error.message : 'error'}.` };
  }
}
