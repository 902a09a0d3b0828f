import { type Kysely, sql } from 'kysely';
import { type MigrationProvider, Migrator } from 'kysely/migration';
import { ADMIN } from '../runtime/packed.ts';
import { COMPATIBLE_FROM, MIGRATIONS } from './migrations.ts';
import type { Schema } from './schema.ts';

/** Whether a start brings the tables up to date, or refuses when they are not. */
export type MigrateMode = 'auto' | 'off';

/** Settings of this prefix are about the tables beside which they stand. */
export const SCHEMA_SETTINGS = 'schema.';

/** The setting that keeps `COMPATIBLE_FROM` of the version that changed the tables last. */
const COMPATIBLE_FROM_SETTING = `${SCHEMA_SETTINGS}compatible_from`;

/** The newest migration of this version. */
const LATEST = Object.keys(MIGRATIONS).at(-1) ?? '';

/**
 * The migrations that the tables lack, in their order. There are none when a newer version has brought them up to date and says that
 * this one can work beside it: so a node can start again while others are being updated.
 * @throws Error when a newer version has changed the tables so that this one cannot work on them
 */
export async function missingMigrations(db: Kysely<Schema>): Promise<string[]> {
  const known = await createMigrator(db).getMigrations();
  const missing = known.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
  if (missing.length === known.length) return missing;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  const newer = rows.map(({ name }) => name).filter((name) => !(name in MIGRATIONS));
  if (newer.length === 0) return missing;
  const needed = await readCompatibleFrom(db);
  if (missing.length === 0 && needed !== undefined && needed <= LATEST) return [];
  const names = newer.join(', ');
  throw new Error(
    `a newer version has changed its tables (${names}), and this one, which ends at ${LATEST}, does not know them`,
  );
}

/** @throws Error that says how the operator brings the tables up to date */
export function refuseMissing(missing: readonly string[]): void {
  if (missing.length === 0) return;
  const names = missing.join(', ');
  throw new Error(`its tables lack ${names}: run "${ADMIN} migrate", because DATABASE_MIGRATE is off`);
}

/** Brings the tables up to date. Nobody else may do so at the same time. */
export async function runMigrations(db: Kysely<Schema>): Promise<void> {
  const { error } = await createMigrator(db).migrateToLatest();
  if (error !== undefined) throw error;
  await db
    .insertInto('setting')
    .values({ name: COMPATIBLE_FROM_SETTING, value: COMPATIBLE_FROM })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: COMPATIBLE_FROM }))
    .execute();
}

async function readCompatibleFrom(db: Kysely<Schema>): Promise<string | undefined> {
  const setting = db.selectFrom('setting').select('value').where('name', '=', COMPATIBLE_FROM_SETTING);
  return (await setting.executeTakeFirst())?.value;
}

function createMigrator(db: Kysely<Schema>): Migrator {
  const provider: MigrationProvider = { getMigrations: async () => ({ ...MIGRATIONS }) };
  return new Migrator({ db, provider });
}
