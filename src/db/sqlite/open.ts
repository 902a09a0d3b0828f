import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { type Compilable, Kysely } from 'kysely';
import { HttpProblem, hasCode } from '../../errors.ts';
import { type MigrateMode, missingMigrations, refuseMissing, runMigrations } from '../migrate.ts';
import type { OpenDatabase, Schema } from '../schema.ts';
import { BackgroundCheck } from './background-check.ts';
import { Checkpoints, MAX_PAGES } from './checkpoints.ts';
import { DatabaseFile } from './database-file.ts';
import { PreparedStatements } from './prepared-statements.ts';
import { createReader } from './reader.ts';
import { createRetryingDialect } from './retrying-dialect.ts';
import { whenUnlocked } from './when-unlocked.ts';

/** SQLite's name for a database without a file. */
const IN_MEMORY = ':memory:';

/** Timeout of the start for a lock of another process, in ms. */
const START_WAIT_MS = 30_000;

/** Delay of a check in the background, in ms, which lets the start and the first requests come first. */
const CHECK_DELAY_MS = 10_000;

/** Default timeout of later statements, in ms. */
const WAIT_MS = 2000;

/**
 * Opens the SQLite database, creating it (readable by its owner alone) and migrating its tables first. Two processes
 * may do this concurrently on the same file.
 * @param options.file path of the database; its folder is created as well
 * @param options.waitMs timeout of a statement while another process holds the lock, in ms; then it is 503
 * @param options.checkedFirstBytes size above which the file is checked in the background; by default it never is
 * @param options.checkDelayMs delay of that check, in ms
 * @throws Error with the reason: not a database, damaged, unreadable, from a newer version
 */
export async function openSqlite(options: {
  file: string;
  waitMs?: number;
  migrate?: MigrateMode;
  checkedFirstBytes?: number;
  checkDelayMs?: number;
}): Promise<OpenDatabase> {
  const { file, waitMs = WAIT_MS, migrate = 'auto' } = options;
  const { checkedFirstBytes = Number.POSITIVE_INFINITY, checkDelayMs = CHECK_DELAY_MS } = options;
  let sqlite: Database | undefined;
  try {
    if (file !== IN_MEMORY) await createPrivately(file);
    sqlite = openUnwaiting(file);
    await configure(sqlite);
    const isLarge = file !== IN_MEMORY && (await stat(file)).size > checkedFirstBytes;
    if (!isLarge) await assertUndamaged(sqlite);
    await bringUpToDate(sqlite, migrate);
    const statements = new PreparedStatements(sqlite);
    const isInMemory = file === IN_MEMORY;
    const databaseFile = isInMemory ? DatabaseFile.none() : await DatabaseFile.of(file);
    // A database in memory has no other users and no log.
    const checkpoints = isInMemory ? undefined : new Checkpoints(sqlite, databaseFile);
    const reader = isInMemory ? undefined : createReader(file, waitMs);
    const check = isLarge ? new BackgroundCheck(sqlite, databaseFile, checkDelayMs) : undefined;
    const dialect = createRetryingDialect(sqlite, waitMs, statements, () => checkpoints?.written());
    const db = new Kysely<Schema>({ dialect });
    return {
      db,
      reader: reader?.db ?? db,
      dialect: 'sqlite',
      location: file,
      file: databaseFile,
      whenAvailable: (step) => step(),
      prepare: createPrepare(statements, waitMs),
      async close() {
        await check?.close();
        await reader?.close();
        await checkpoints?.close();
        closeOnce(sqlite);
      },
    };
  } catch (cause) {
    closeOnce(sqlite);
    throw cannotOpen(file, cause);
  }
}

/**
 * Tries to open an existing database. Its tables are migrated on trial, and then rolled back.
 * @returns the result, for people
 * @throws Error as `openSqlite`
 */
export async function checkSqlite({ file }: { file: string }): Promise<string> {
  let sqlite: Database | undefined;
  try {
    sqlite = openUnwaiting(file, { fileMustExist: true });
    await configure(sqlite);
    await assertUndamaged(sqlite);
    await bringUpToDate(sqlite, 'auto', 'rollback');
    return `${file} opens`;
  } catch (cause) {
    throw cannotOpen(file, cause);
  } finally {
    closeOnce(sqlite);
  }
}

/**
 * Creates the file with its mode. SQLite gives `-wal` and `-shm` the mode of the database, so it has to be right before
 * SQLite sees the file.
 */
async function createPrivately(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const handle = await open(file, 'a', 0o600);
  await handle.close();
}

/**
 * Opens without SQLite's own timeout, which would block the whole process, and does not apply to a change of the
 * journal mode.
 */
function openUnwaiting(file: string, options: { fileMustExist?: boolean } = {}): Database {
  return new Database(file, { ...options, timeout: 0 });
}

async function configure(sqlite: Database): Promise<void> {
  await whenUnlocked(START_WAIT_MS, () => sqlite.pragma('journal_mode = WAL'));
  sqlite.pragma('synchronous = NORMAL');
  sqlite.pragma(`wal_autocheckpoint = ${MAX_PAGES}`);
  sqlite.pragma('foreign_keys = ON');
}

async function assertUndamaged(sqlite: Database): Promise<void> {
  const state = await whenUnlocked(START_WAIT_MS, () => sqlite.pragma('quick_check(1)', { simple: true }));
  if (state !== 'ok') throw Object.assign(new Error(String(state)), { code: 'SQLITE_CORRUPT' });
}

/**
 * Migrates the tables. Kysely takes no lock on SQLite and runs its migrations outside a transaction. An immediate
 * transaction on the one connection gives both: a second process waits here, and a start that is killed half way leaves
 * nothing behind.
 */
async function bringUpToDate(
  sqlite: Database,
  mode: MigrateMode,
  end: 'commit' | 'rollback' = 'commit',
): Promise<void> {
  const db = new Kysely<Schema>({ dialect: createRetryingDialect(sqlite, START_WAIT_MS) });
  await whenUnlocked(START_WAIT_MS, () => sqlite.exec('begin immediate'));
  try {
    const missing = await missingMigrations(db);
    if (mode === 'off') refuseMissing(missing);
    else if (missing.length > 0) await runMigrations(db);
    sqlite.exec(end);
  } catch (error) {
    if (sqlite.inTransaction) sqlite.exec('rollback');
    throw error;
  }
}

/**
 * Prepares queries, which wait for a lock as other statements do. Only queries outside transactions may be prepared.
 */
function createPrepare(statements: PreparedStatements, waitMs: number): OpenDatabase['prepare'] {
  return <Row>(query: Compilable<Row>) => {
    const { sql } = query.compile();
    return (...values) => whenUnlocked(waitMs, () => statements.prepare(sql).all(...values) as Row[]);
  };
}

function closeOnce(sqlite: Database | undefined): void {
  if (sqlite?.open) sqlite.close();
}

/** Describes for people what is wrong with a database file. */
export function cannotOpen(file: string, cause: unknown): Error {
  // A statement fails with the problem for the client; its cause is the error of the file.
  const reason = reasonOf(cause instanceof HttpProblem ? cause.cause : cause);
  return new Error(`Cannot open the database ${file}: ${reason}.`, { cause });
}

function reasonOf(cause: unknown): string {
  if (hasCode(cause, 'SQLITE_NOTADB')) return 'the file is not a SQLite database';
  if (hasCode(cause, 'SQLITE_CORRUPT')) return 'the file is damaged; restore a backup of it';
  if (hasCode(cause, 'EACCES', 'EPERM', 'EROFS', 'SQLITE_CANTOPEN', 'SQLITE_READONLY')) {
    return 'it cannot be read and written by this user';
  }
  if (hasCode(cause, 'EISDIR')) return 'expected a file, found a folder';
  if (hasCode(cause, 'SQLITE_BUSY')) return `another process had it locked for ${START_WAIT_MS} ms`;
  return cause instanceof Error ? cause.message : String(cause);
}
