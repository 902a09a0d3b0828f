import { type Kysely, sql } from 'kysely';
import { copyRequirement, SCHEMA_SETTINGS } from './migrate.ts';
import type { OpenDatabase, Schema } from './schema.ts';

/**
 * Tables in the order of their references: referenced rows come first. Derived data is not copied: triggers count
 * usage, and the service indexes metadata for search where the index lacks it. Nor are download tickets and events of
 * jobs, which are short-lived.
 */
const TABLES = [
  'user',
  'session',
  'account',
  'sign_in_client',
  'verification',
  'api_key',
  'setting',
  'job',
  'storage_total',
  'outbox',
  'webhook',
  'space',
  'member',
  'invitation',
  'twoFactor',
  'used_code',
  'audit',
  'usage_day',
  'activity_hour',
  'folder',
  'asset',
  'asset_tag',
  'asset_change',
  'trash',
  'asset_version',
  'redirect',
] as const satisfies readonly (keyof Schema)[];

/** Tables with generated numbers, and their number columns. */
const SERIAL = {
  job: 'sequence',
  outbox: 'sequence',
  audit: 'id',
  folder: 'id',
  asset: 'id',
} as const satisfies Partial<Record<keyof Schema, string>>;

type Table = (typeof TABLES)[number];

/** A statement may have 65,535 values; a row has at most about forty. */
const ROW_BATCH = 500;

/**
 * Copies all rows of a SQLite database into an empty PostgreSQL database, or none.
 * @returns the number of copied rows per table
 * @throws Error when the target is not empty, naming what it holds
 */
export function copyDatabase(from: OpenDatabase, to: OpenDatabase): Promise<Record<Table, number>> {
  return from.db.transaction().execute((source) =>
    to.db.transaction().execute(async (target) => {
      // Blocks other writers. The next statement sees rows that were written just before.
      await sql`lock table ${sql.join(TABLES.map((table) => sql.table(table)))} in exclusive mode`.execute(target);
      await assertEmpty(target, to.location);
      await target.deleteFrom('folder').execute();
      const counts: [Table, number][] = [];
      for (const table of TABLES) counts.push([table, await copyTable(table, source, target)]);
      await copySequences(source, target);
      await copyRequirement(source, target);
      return Object.fromEntries(counts) as Record<Table, number>;
    }),
  );
}

/** Advances the sequences: a number is never reused by another row, even after its row is deleted. */
async function copySequences(from: Kysely<Schema>, to: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ name: string; seq: number }>`select name, seq from sqlite_sequence`.execute(from);
  for (const { name, seq } of rows) {
    const column = SERIAL[name as keyof typeof SERIAL];
    if (column && seq > 0) await sql`select setval(pg_get_serial_sequence(${name}, ${column}), ${seq})`.execute(to);
  }
}

/** @returns the number of copied rows */
async function copyTable(table: Table, from: Kysely<Schema>, to: Kysely<Schema>): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const batch = sql<{ row: number }>`
      select rowid as "row", * from ${sql.table(table)}
      where rowid > ${after} and ${isOwn(table)} order by rowid limit ${ROW_BATCH}
    `;
    const { rows } = await batch.execute(from);
    const last = rows.at(-1);
    if (!last) return count;
    const values = rows.map(({ row: _, ...row }) => (table === 'asset' ? { ...row, searchable: 0 } : row));
    await to
      .insertInto(table)
      .values(values as never)
      .execute();
    count += rows.length;
    after = last.row;
  }
}

/** Excludes rows that each database writes about its own tables from the start. */
function isOwn(table: Table) {
  if (table === 'setting') return sql`name not like ${`${SCHEMA_SETTINGS}%`}`;
  return sql`true`;
}

async function assertEmpty(db: Kysely<Schema>, location: string): Promise<void> {
  const found: string[] = [];
  for (const table of TABLES) {
    const isForeign = table === 'folder' ? sql`path <> ''` : isOwn(table);
    const counted = sql<{ count: number }>`select count(*) as "count" from ${sql.table(table)} where ${isForeign}`;
    const { count = 0 } = (await counted.execute(db)).rows[0] ?? {};
    if (count > 0) found.push(`${table} ${count}`);
  }
  if (found.length === 0) return;
  throw new Error(`Expected an empty database, found rows in ${location} (${found.join(', ')}): nothing was copied.`);
}
