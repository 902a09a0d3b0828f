import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { type MigrationProvider, Migrator } from 'kysely/migration';
import { hasCode } from '../errors.ts';
import { MIGRATIONS } from './migrations.ts';
import type { OpenDatabase, Schema } from './schema.ts';

/** What SQLite calls a database without a file. */
const IN_MEMORY = ':memory:';

/** How long a statement waits for a lock of another process, in milliseconds. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens the SQLite database, creating it (readable by its owner alone) and bringing its tables up to date first.
 * Two processes may do this to the same file at once.
 * @param options.file path of the database; its folder is created as well
 * @throws Error that says what is wrong with the file: not a database, damaged, unreadable, from a newer version
 */
export async function openDatabase(options: { file: string }): Promise<OpenDatabase> {
  const { file } = options;
  let sqlite: Database | undefined;
  try {
    if (file !== IN_MEMORY) await createPrivately(file);
    sqlite = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    configure(sqlite);
    const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database: sqlite }) });
    await migrate(sqlite, db);
    return { db, sqlite, close: () => closeOnce(sqlite) };
  } catch (cause) {
    closeOnce(sqlite);
    throw new Error(`Cannot open the database ${file}: ${reasonOf(cause)}.`, { cause });
  }
}

/** SQLite gives `-wal` and `-shm` the mode of the database, so it has to be right before SQLite sees the file. */
async function createPrivately(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const handle = await open(file, 'a', 0o600);
  await handle.close();
}

function configure(sqlite: Database): void {
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = NORMAL');
  sqlite.pragma('foreign_keys = ON');
  const state = sqlite.pragma('quick_check(1)', { simple: true });
  if (state !== 'ok') throw Object.assign(new Error(String(state)), { code: 'SQLITE_CORRUPT' });
}

/**
 * Kysely takes no lock on SQLite and runs its migrations outside a transaction. An immediate transaction on the one
 * connection gives both: a second process waits here, and a start that is killed half way leaves nothing behind.
 */
async function migrate(sqlite: Database, db: Kysely<Schema>): Promise<void> {
  const provider: MigrationProvider = { getMigrations: async () => ({ ...MIGRATIONS }) };
  sqlite.exec('begin immediate');
  try {
    const { error } = await new Migrator({ db, provider }).migrateToLatest();
    if (error !== undefined) throw error;
    sqlite.exec('commit');
  } catch (error) {
    if (sqlite.inTransaction) sqlite.exec('rollback');
    throw error;
  }
}

function closeOnce(sqlite: Database | undefined): void {
  if (sqlite?.open) sqlite.close();
}

function reasonOf(cause: unknown): string {
  if (hasCode(cause, 'SQLITE_NOTADB')) return 'the file is not a SQLite database';
  if (hasCode(cause, 'SQLITE_CORRUPT')) return 'the file is damaged; restore a backup of it';
  if (hasCode(cause, 'EACCES', 'EPERM', 'EROFS', 'SQLITE_CANTOPEN', 'SQLITE_READONLY')) {
    return 'it cannot be read and written by this user';
  }
  if (hasCode(cause, 'EISDIR')) return 'expected a file, found a folder';
  if (hasCode(cause, 'SQLITE_BUSY')) return `another process kept it locked for ${BUSY_TIMEOUT_MS} ms`;
  return cause instanceof Error ? cause.message : String(cause);
}
