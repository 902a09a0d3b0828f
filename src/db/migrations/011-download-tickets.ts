import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';

/** Tickets for downloads: what the holder of each may have, until when. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, time } = columnTypes(db);
  await db.schema
    .createTable('download_ticket')
    .addColumn('hash', text, (column) => column.notNull().primaryKey())
    .addColumn('content', text, (column) => column.notNull())
    .addColumn('expiresAt', time, (column) => column.notNull())
    .execute();
}
