import { type Compilable, Kysely, PostgresAdapter, PostgresDialect, sql } from 'kysely';
import { codeOf, HttpProblem } from '../../errors.ts';
import { lockUntilEnd } from '../locks.ts';
import { type MigrateMode, missingMigrations, refuseMissing, runMigrations } from '../migrate.ts';
import type { OpenDatabase, Schema } from '../schema.ts';
import { DatabaseFile } from '../sqlite/database-file.ts';
import { createPatientPool, createPool, endPool, guardPool } from './pool.ts';

const POOL_MAX = 5;
const OLDEST_MAJOR = 14;

/** How long a start waits for others that bring the tables up to date, and a migration for statements that use them. */
const START_WAIT = '60s';
const LOCK_WAIT = '5s';

/**
 * Opens a PostgreSQL database, bringing its tables up to date first. Several processes may do this at once.
 * @param options.url with user and password, which no error shows
 * @throws Error that says what is wrong: no answer, no such database, too old, from a newer version
 */
export async function openPostgres(options: {
  url: string;
  poolMax?: number;
  migrate?: MigrateMode;
}): Promise<OpenDatabase> {
  const { url, poolMax = POOL_MAX, migrate = 'auto' } = options;
  await withConnection(url, async (db) => {
    await assertUsable(db);
    const missing = await missingMigrations(db);
    if (migrate === 'off') refuseMissing(missing);
    else if (missing.length > 0) await bringUpToDate(db);
  });
  const pool = createPool(url, poolMax);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: guardPool(pool) }) });
  return {
    db,
    dialect: 'postgres',
    location: locationOf(url),
    file: DatabaseFile.none(),
    prepare<Row>(query: Compilable<Row>) {
      const compiled = query.compile();
      return async (...parameters) => (await db.executeQuery<Row>({ ...compiled, parameters })).rows;
    },
    close: () => endPool(pool),
  };
}

/**
 * Looks whether the database could be opened. Changes nothing, and locks nothing that a running service needs.
 * @returns what was found, for people
 * @throws Error as `openPostgres`
 */
export async function checkPostgres({ url }: { url: string }): Promise<string> {
  return withConnection(url, async (db) => {
    await assertUsable(db);
    const missing = await missingMigrations(db);
    const state = missing.length === 0 ? 'up to date' : `lacks ${missing.join(', ')}`;
    return `${locationOf(url)} answers, its tables: ${state}`;
  });
}

/** An address without user and password, for people. */
export function locationOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

async function withConnection<T>(url: string, work: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
  const pool = createPatientPool(url);
  const db = new Kysely<Schema>({ dialect: new UnlockedDialect({ pool: guardPool(pool) }) });
  try {
    return await work(db);
  } catch (cause) {
    throw new Error(`Cannot open the database ${locationOf(url)}: ${reasonOf(cause)}.`, { cause });
  } finally {
    await endPool(pool);
  }
}

async function assertUsable(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding
  `.execute(db);
  const { version = 0, encoding } = rows[0] ?? {};
  if (version < OLDEST_MAJOR) throw new Error(`expected PostgreSQL ${OLDEST_MAJOR} or later, found ${version}`);
  if (encoding !== 'UTF8') throw new Error(`expected the encoding UTF8, found ${encoding}`);
}

/** In one transaction: a start that is killed half way leaves nothing behind. */
async function bringUpToDate(db: Kysely<Schema>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await setUntilEnd('statement_timeout', START_WAIT).execute(transaction);
    await lockUntilEnd(transaction, 'migrate');
    await setUntilEnd('statement_timeout', '0').execute(transaction);
    await setUntilEnd('lock_timeout', LOCK_WAIT).execute(transaction);
    // Another start may have done it meanwhile, perhaps one of a newer version.
    if ((await missingMigrations(transaction)).length > 0) await runMigrations(transaction);
  });
}

const setUntilEnd = (name: string, value: string) => sql`select set_config(${name}, ${value}, true)`;

/** Kysely's own lock for migrations would be taken too late, wait for an hour, and outlive the transaction behind a pooler. */
class UnlockedDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new UnlockedAdapter();
  }
}

class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers at this address',
  ENOTFOUND: 'the host is not known',
  '28P01': 'the user or the password is wrong',
  '3D000': 'there is no database of this name',
  '42501': 'the user may not create tables in it',
  '55P03': `others kept its tables locked for ${LOCK_WAIT}`,
  '57014': `another start kept it locked for ${START_WAIT}`,
};

function reasonOf(cause: unknown): string {
  // A statement fails with the problem for the client; its cause is the error of the driver.
  const error = cause instanceof HttpProblem ? cause.cause : cause;
  return REASONS[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
}
