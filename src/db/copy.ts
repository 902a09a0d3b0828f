import { type Kysely, sql } from 'kysely';
import { SCHEMA_SETTINGS } from './migrate.ts';
import type { OpenDatabase, Schema } from './schema.ts';

/**
 * Rows that are referred to come before those that refer to them. What follows from other rows is not copied: triggers count usage, and
 * the service makes words searchable where it finds them not to be.
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
  'folder',
  'asset',
  'asset_tag',
  'asset_change',
  'trash',
  'asset_version',
] as const satisfies readonly (keyof Schema)[];

/** Those that number their rows, and how the number is called. */
const SERIAL = {
  job: 'sequence',
  outbox: 'sequence',
  folder: 'id',
  asset: 'id',
} as const satisfies Partial<Record<keyof Schema, string>>;

type Table = (typeof TABLES)[number];

/** A statement may have 65,535 values; a row has at most some forty. */
const ROWS_AT_ONCE = 500;

/**
 * Copies everything that a SQLite database holds into an empty PostgreSQL database: all of it or nothing.
 * @returns how many rows of each table were copied
 * @throws Error when the target holds anything, and says what
 */
export function copyDatabase(from: OpenDatabase, to: OpenDatabase): Promise<Record<Table, number>> {
  return from.db.transaction().execute((source) =>
    to.db.transaction().execute(async (target) => {
      // Nobody else writes meanwhile; whoever does so in this moment is seen by the next statement.
      await sql`lock table ${sql.join(TABLES.map((table) => sql.table(table)))} in exclusive mode`.execute(target);
      await assertEmpty(target, to.location);
      await target.deleteFrom('folder').execute();
      const counts: [Table, number][] = [];
      for (const table of TABLES) counts.push([table, await copyTable(table, source, target)]);
      await copySequences(source, target);
      return Object.fromEntries(counts) as Record<Table, number>;
    }),
  );
}

/** A number that was given to a row is not given to another, even when the row is gone. */
async function copySequences(from: Kysely<Schema>, to: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ name: string; seq: number }>`select name, seq from sqlite_sequence`.execute(from);
  for (const { name, seq } of rows) {
    const column = SERIAL[name as keyof typeof SERIAL];
    if (column && seq > 0) await sql`select setval(pg_get_serial_sequence(${name}, ${column}), ${seq})`.execute(to);
  }
}

/** @returns how many rows there were */
async function copyTable(table: Table, from: Kysely<Schema>, to: Kysely<Schema>): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const some = sql<{ row: number }>`
      select rowid as "row", * from ${sql.table(table)}
      where rowid > ${after} and ${isOwn(table)} order by rowid limit ${ROWS_AT_ONCE}
    `;
    const { rows } = await some.execute(from);
    const last = rows.at(-1);
    if (!last) return count;
    await insertAll(
      to,
      table,
      rows.map(({ row: _, ...values }) => (table === 'asset' ? { ...values, searchable: 0 } : values)),
    );
    count += rows.length;
    after = last.row;
  }
}

/** Not what each database says of its own tables, and has from the start. */
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

async function insertAll(db: Kysely<Schema>, table: Table, rows: readonly object[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const names = sql.join(columns.map((name) => sql.ref(name)));
  const values = rows.map((row) => sql`(${sql.join(valuesOf(row, columns))})`);
  await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(db);
}

const valuesOf = (row: object, columns: readonly string[]) =>
  columns.map((name) => (row as Record<string, unknown>)[name]);
