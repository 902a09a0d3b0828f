import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';

/** Who asked for a job and when it was served, so that nobody is served alone; and what a job waits for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await db.schema
    .alterTable('job')
    .addColumn('client', text, (column) => column.notNull().defaultTo(''))
    .execute();
  await db.schema
    .alterTable('job')
    .addColumn('turn', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('job').addColumn('trouble', text).execute();
  await db.schema.createIndex('job_client_idx').on('job').columns(['client', 'status']).execute();
  await db.schema.createIndex('job_client_turn_idx').on('job').columns(['client', 'turn']).execute();
  await db.schema.createIndex('job_turn_idx').on('job').column('turn').execute();
}
