import { type Kysely, sql } from 'kysely';
import { formatBytes } from '../../bytes.ts';
import type { Schema } from '../schema.ts';

/**
 * Reads the version of the server, the size of the database, and its number of connections; nothing when they cannot be
 * read.
 */
export async function readServer(db: Kysely<Schema>) {
  try {
    const { rows } = await sql<{ version: string; size: number; connections: number }>`
      select current_setting('server_version') as version, pg_database_size(current_database()) as size,
        (select count(*) from pg_stat_activity where datname = current_database()) as connections
    `.execute(db);
    return rows[0] && { ...rows[0], size: formatBytes(rows[0].size) };
  } catch {
    return {};
  }
}
