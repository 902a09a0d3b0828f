import Database from 'better-sqlite3';
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely';
import { Pool } from 'pg';
import { up } from '../src/db/migrations/001-initial.ts';
import { MERGED_INTO_INITIAL } from '../src/db/migrations.ts';
import type { DatabaseOptions } from '../src/db/open.ts';
import { createDatabase } from './postgres/create.ts';

/**
 * Creates a database as left by the version before the merged migrations, on PostgreSQL if the tests run there.
 * @param recorded the migrations recorded as run
 * @param fill adds rows
 */
export async function createPreviousDatabase(
  file: string,
  recorded: readonly string[] = MERGED_INTO_INITIAL,
  fill: (db: Kysely<unknown>) => Promise<unknown> = async () => undefined,
): Promise<Pick<DatabaseOptions, 'file' | 'url'>> {
  const server = process.env.DARKROOM_TEST_POSTGRES;
  const url = server === undefined ? undefined : await createDatabase(server);
  const dialect = url
    ? new PostgresDialect({ pool: new Pool({ connectionString: url }) })
    : new SqliteDialect({ database: new Database(file) });
  const db = new Kysely<unknown>({ dialect });
  await up(db);
  await sql`create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(
    db,
  );
  for (const name of recorded) await sql`insert into kysely_migration values (${name}, '2026-01-01')`.execute(db);
  await sql`insert into setting (name, value) values ('schema.compatible_from', '006-several-machines')`.execute(db);
  await fill(db);
  await db.destroy();
  return { file, url };
}
