import { type Kysely, sql } from 'kysely';
import { SCHEMA_SETTINGS } from './migrate.ts';
import type { OpenDatabase, Schema } from './schema.ts';

/** Rows that are referred to come before those that refer to them. */
const TABLES = [
  'user',
  'session',
  'account',
  'verification',
  'apikey',
  'setting',
  'job',
  'storage_total',
  'storage_change',
  'outbox',
] as const satisfies readonly (keyof Schema)[];

/** Those that number their rows. */
const SERIAL = ['job', 'outbox'] as const satisfies readonly (typeof TABLES)[number][];

type Table = (typeof TABLES)[number];

/** A statement may have 65,535 values; a row has at most some thirty. */
const ROWS_AT_ONCE = 500;

/**
 * Copies everything that a SQLite database holds into an empty PostgreSQL database: all of it or nothing.
 * @returns how many rows of each table were copied
 * @throws Error when the target holds anything, and says what
 */
export async function copyDatabase(from: OpenDatabase, to: OpenDatabase): Promise<Record<Table, number>> {
  const rows = await from.db.transaction().execute(readAll);
  await to.db.transaction().execute(async (transaction) => {
    // Nobody else writes meanwhile; whoever does so in this moment is seen by the next statement.
    await sql`lock table ${sql.join(TABLES.map((table) => sql.table(table)))} in exclusive mode`.execute(transaction);
    await assertEmpty(transaction, to.location);
    for (const [table, found] of rows) await insertAll(transaction, table, found);
    for (const table of SERIAL) {
      const sequence = sql`pg_get_serial_sequence(${table}, 'sequence')`;
      await sql`select setval(${sequence}, max(sequence)) from ${sql.table(table)}`.execute(transaction);
    }
  });
  return Object.fromEntries(rows.map(([table, found]) => [table, found.length])) as Record<Table, number>;
}

async function readAll(db: Kysely<Schema>): Promise<(readonly [Table, readonly object[]])[]> {
  const read: (readonly [Table, readonly object[]])[] = [];
  for (const table of TABLES) read.push([table, await ownRows(db, table)]);
  return read;
}

/** The rows of a table, without what each database says of its own tables. */
async function ownRows(db: Kysely<Schema>, table: Table): Promise<readonly object[]> {
  const isOwn = table === 'setting' ? sql`where name not like ${`${SCHEMA_SETTINGS}%`}` : sql``;
  return (await sql<object>`select * from ${sql.table(table)} ${isOwn}`.execute(db)).rows;
}

async function assertEmpty(db: Kysely<Schema>, location: string): Promise<void> {
  const found: string[] = [];
  for (const table of TABLES) {
    const { length } = await ownRows(db, table);
    if (length > 0) found.push(`${table} ${length}`);
  }
  if (found.length === 0) return;
  throw new Error(`Expected an empty database, found rows in ${location} (${found.join(', ')}): nothing was copied.`);
}

async function insertAll(db: Kysely<Schema>, table: Table, rows: readonly object[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const names = sql.join(columns.map((name) => sql.ref(name)));
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const values = rows.slice(start, start + ROWS_AT_ONCE).map((row) => sql`(${sql.join(valuesOf(row, columns))})`);
    await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(db);
  }
}

const valuesOf = (row: object, columns: readonly string[]) =>
  columns.map((name) => (row as Record<string, unknown>)[name]);
