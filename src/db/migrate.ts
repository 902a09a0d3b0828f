import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration';
import { ADMIN } from '../runtime/packed.ts';
import { COMPATIBLE_FROM, MERGED_INTO_INITIAL, MIGRATIONS } from './migrations.ts';
import type { Schema } from './schema.ts';
import { readSetting, writeSetting } from './setting-rows.ts';

/** `auto` migrates the tables at a start; `off` refuses to start when migrations are missing. */
export type MigrateMode = 'auto' | 'off';

/** Settings with this prefix describe the tables of their database. */
export const SCHEMA_SETTINGS = 'schema.';

/**
 * The setting that stores the latest migration that a version has to know: `COMPATIBLE_FROM` of the version that changed
 * the tables last, or a later one whose rows an older version would misunderstand.
 */
const COMPATIBLE_FROM_SETTING = `${SCHEMA_SETTINGS}compatible_from`;

const INITIAL = '001-initial';

/** Latest migration of this version. */
const LATEST = Object.keys(MIGRATIONS).at(-1) ?? '';

/** Kysely's table of executed migrations. */
const RECORDS = sql.table(DEFAULT_MIGRATION_TABLE);

/**
 * Migrations that the tables lack, in order. None when a newer version has updated the tables and declares that this
 * one can run alongside it, so that a node can restart while others are being updated.
 * @throws Error when this version cannot run on the tables
 */
export async function missingMigrations(db: Kysely<Schema>): Promise<string[]> {
  const recorded = await readRecorded(db);
  const missing = Object.keys(MIGRATIONS).filter((name) => !recorded.includes(name));
  const newer = recorded.filter((name) => !(name in MIGRATIONS));
  if (newer.length === 0) return missing;
  const needed = missing.length === 0 ? await readSetting(db, COMPATIBLE_FROM_SETTING) : undefined;
  if (needed !== undefined && needed <= LATEST) return [];
  const names = newer.join(', ');
  throw new Error(
    `a newer version has changed its tables (${names}), and this one, which ends at ${LATEST}, does not know them`,
  );
}

/** @throws Error that says how the operator migrates the tables */
export function refuseMissing(missing: readonly string[]): void {
  if (missing.length === 0) return;
  const names = missing.join(', ');
  throw new Error(`its tables lack ${names}: run "${ADMIN} migrate", because DATABASE_MIGRATE is off`);
}

/** Migrates the tables. The caller holds a lock against other starts. */
export async function runMigrations(db: Kysely<Schema>): Promise<void> {
  await replaceMergedRecords(db);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  await requireMigration(db, COMPATIBLE_FROM);
}

/** Prevents versions that do not know a migration from starting on these tables, permanently. */
export async function requireMigration(db: Kysely<Schema>, name: string): Promise<void> {
  const required = await readSetting(db, COMPATIBLE_FROM_SETTING);
  // Development versions stored names that were merged since.
  const isKnown = required !== undefined && required in MIGRATIONS;
  if (!isKnown || required < name) await writeSetting(db, COMPATIBLE_FROM_SETTING, name);
}

/** Requires of a copy the migration that its source requires. */
export async function copyRequirement(from: Kysely<Schema>, to: Kysely<Schema>): Promise<void> {
  const required = await readSetting(from, COMPATIBLE_FROM_SETTING);
  if (required !== undefined && required in MIGRATIONS) await requireMigration(to, required);
}

/**
 * Names of the migrations that a database has recorded, in order; the merged ones as the one that replaces them.
 * @throws Error when only some of the merged ones have run
 */
async function readRecorded(db: Kysely<Schema>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return [];
  const { rows } = await sql<{ name: string }>`select name from ${RECORDS} order by name`.execute(db);
  const names = rows.map(({ name }) => name);
  const merged = names.filter((name) => MERGED_INTO_INITIAL.includes(name));
  if (merged.length === 0) return names;
  if (merged.length < MERGED_INTO_INITIAL.length) {
    throw new Error(
      `its tables are from a development version and end at ${merged.at(-1)}, too old for this version: ` +
        `start the version that ends at ${MERGED_INTO_INITIAL.at(-1)} on it once, then this one`,
    );
  }
  return [INITIAL, ...names.filter((name) => !MERGED_INTO_INITIAL.includes(name))];
}

/**
 * Kysely refuses to migrate a database that has recorded migrations without a file. Runs in the transaction of the
 * start.
 */
async function replaceMergedRecords(db: Kysely<Schema>): Promise<void> {
  const recorded = await readRecorded(db);
  if (!recorded.includes(INITIAL)) return;
  const timestamp = new Date().toISOString();
  await sql`insert into ${RECORDS} (name, timestamp) values (${INITIAL}, ${timestamp}) on conflict do nothing`.execute(
    db,
  );
  await sql`delete from ${RECORDS} where name in (${sql.join(MERGED_INTO_INITIAL)})`.execute(db);
}
