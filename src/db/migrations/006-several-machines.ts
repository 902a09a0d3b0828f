import { type Kysely, sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import { isPostgres } from '../dialect.ts';

/**
 * What a job is, so that there can be others than transcodes; whose a change of the stored files is; and how many requests of a client
 * all nodes have counted, which may be lost in a crash.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  await db.schema
    .alterTable('job')
    .addColumn('kind', text, (column) => column.notNull().defaultTo('transcode'))
    .execute();
  await db.schema.alterTable('job').addColumn('payload', text).execute();
  await db.schema
    .alterTable('storage_change')
    .addColumn('node', text, (column) => column.notNull().defaultTo(''))
    .execute();
  if (!isPostgres(db)) return;
  await sql`
    create unlogged table request_window (
      client text collate "C" primary key, used bigint not null, ends_at timestamptz not null
    )
  `.execute(db);
}
