import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';

/** Adds what all nodes together did in each hour of the last month. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await db.schema
    .createTable('activity_hour')
    .addColumn('hour', integer, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('count', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('activity_hour_pk', ['hour', 'name'])
    .execute();
}
