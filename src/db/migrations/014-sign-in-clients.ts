import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';

/** The clients from which an account was signed in to, each by a keyed hash of its address, and when that was last. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, time } = columnTypes(db);
  await db.schema
    .createTable('sign_in_client')
    .addColumn('userId', text, (column) => column.notNull().references('user.id').onDelete('cascade'))
    .addColumn('client', text, (column) => column.notNull())
    .addColumn('usedAt', time, (column) => column.notNull())
    .addPrimaryKeyConstraint('sign_in_client_pk', ['userId', 'client'])
    .execute();
}
