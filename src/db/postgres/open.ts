import { type Compilable, Kysely, PostgresAdapter, PostgresDialect, sql } from 'kysely';
import type { Pool } from 'pg';
import { codeOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { lockUntilEnd } from '../locks.ts';
import { type MigrateMode, missingMigrations, refuseMissing, runMigrations } from '../migrate.ts';
import type { OpenDatabase, Schema } from '../schema.ts';
import { DatabaseFile } from '../sqlite/database-file.ts';
import { createAvailability } from './availability.ts';
import { driverError, isUnavailable } from './outage.ts';
import { createPool, createRetryingPool, endPool, guardPool } from './pool.ts';

const POOL_MAX = 5;
const OLDEST_MAJOR = 14;

/** Timeout of a start for others that migrate the tables, and of a migration for statements that use them. */
const START_WAIT = '60s';
const LOCK_WAIT = '5s';

export interface PostgresOptions {
  /** With user and password, which no error shows. */
  url: string;
  poolMax?: number;
  migrate?: MigrateMode;
  /** Receives a line when the server is unreachable. Without it, an unreachable server cannot be opened. */
  log?: Log | undefined;
}

/**
 * Opens a PostgreSQL database and migrates its tables first. Several processes may do this concurrently. With a `log`,
 * an unreachable server is awaited in the background; until then every query fails with 503.
 * @throws Error with the reason: no answer, no such database, too old, from a newer version
 */
export async function openPostgres({ url, poolMax = POOL_MAX, migrate = 'auto', log }: PostgresOptions) {
  const verify = () => prepareTables(url, migrate);
  const availability = log && createAvailability(verify, log);
  await verify().catch((error) => {
    if (!availability || !isUnavailable(driverError(error))) throw error;
    availability.open(error);
  });
  const pool = createPool(url, poolMax);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: guardPool(pool, availability) }) });
  const opened: OpenDatabase = {
    db,
    reader: db,
    dialect: 'postgres',
    location: locationOf(url),
    file: DatabaseFile.none(),
    whenAvailable: (step) => (availability ? availability.whenAvailable(step) : step()),
    prepare<Row>(query: Compilable<Row>) {
      const compiled = query.compile();
      return async (...parameters) => (await db.executeQuery<Row>({ ...compiled, parameters })).rows;
    },
    async close() {
      availability?.close();
      await endPool(pool);
    },
  };
  return opened;
}

/**
 * Migrates the tables. The probe has a time limit, because the server may be frozen; the migrations themselves have
 * none.
 */
async function prepareTables(url: string, migrate: MigrateMode): Promise<void> {
  const missing = await withConnection(url, createPool(url, 1), async (db) => {
    await assertUsable(db);
    return missingMigrations(db);
  });
  if (missing.length === 0) return;
  await withConnection(url, createRetryingPool(url), async (db) => {
    if (migrate === 'off') refuseMissing(missing);
    else await bringUpToDate(db);
  });
}

/**
 * Checks that the database could be opened. Changes nothing, and locks nothing that a running service needs.
 * @returns the result, for people
 * @throws Error as `openPostgres`
 */
export async function checkPostgres({ url }: { url: string }): Promise<string> {
  return withConnection(url, createPool(url, 1), async (db) => {
    await assertUsable(db);
    const missing = await missingMigrations(db);
    const state = missing.length === 0 ? 'up to date' : `lacks ${missing.join(', ')}`;
    return `${locationOf(url)} answers, its tables: ${state}`;
  });
}

/** Formats an address for people, without user and password. */
function locationOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

async function withConnection<T>(url: string, pool: Pool, work: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
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

/** Migrates in one transaction: a start that is killed half way leaves nothing behind. */
async function bringUpToDate(db: Kysely<Schema>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await setUntilEnd('statement_timeout', START_WAIT).execute(transaction);
    await lockUntilEnd(transaction, 'migrate');
    await setUntilEnd('statement_timeout', '0').execute(transaction);
    await setUntilEnd('lock_timeout', LOCK_WAIT).execute(transaction);
    // Another start may have migrated meanwhile, perhaps one of a newer version.
    if ((await missingMigrations(transaction)).length > 0) await runMigrations(transaction);
  });
}

const setUntilEnd = (name: string, value: string) => sql`select set_config(${name}, ${value}, true)`;

/**
 * Disables Kysely's own lock for migrations, which would be taken too late, wait for an hour, and outlive the
 * transaction behind a pooler.
 */
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
  '55P03': `other sessions had its tables locked for ${LOCK_WAIT}`,
  '57014': `another start had it locked for ${START_WAIT}`,
};

function reasonOf(cause: unknown): string {
  const error = driverError(cause);
  return REASONS[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
}
