import { type Kysely, PostgresAdapter } from 'kysely';

/** True if a connection or a transaction is one of PostgreSQL; else it is one of SQLite. */
export function isPostgres(db: Pick<Kysely<unknown>, 'getExecutor'>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
