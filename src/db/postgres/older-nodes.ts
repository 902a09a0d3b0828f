import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

/** Name of the connection by which nodes listen to others, without the addition of those that know spaces. */
const OLDER_SESSION = 'darkroom session';

/** Counts the running nodes that do not know spaces. */
export async function countOlderNodes(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ nodes: number }>`
    select count(*)::int as nodes from pg_stat_activity
    where datname = current_database() and application_name = ${OLDER_SESSION}
  `.execute(db);
  return rows[0]?.nodes ?? 0;
}
