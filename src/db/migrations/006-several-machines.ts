import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';

/** What a job is, so that there can be others than transcodes; and whose a change of the stored files is. */
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
}
