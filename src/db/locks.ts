import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { retryConflicts } from './conflicts.ts';
import { isPostgres } from './dialect.ts';
import type { Schema } from './schema.ts';

/**
 * The number of the advisory lock of this name. PostgreSQL identifies these locks by 64 bits, separately for each
 * database.
 */
export function lockNumber(name: string): RawBuilder<unknown> {
  return sql`hashtextextended(${`darkroom ${name}`}, 0)`;
}

/**
 * Waits until no other transaction holds the lock of this name, and holds it until this one ends. On SQLite a
 * transaction is exclusive from its beginning.
 */
export async function lockUntilEnd(transaction: Transaction<Schema>, name: string): Promise<void> {
  if (isPostgres(transaction)) await sql`select pg_advisory_xact_lock(${lockNumber(name)})`.execute(transaction);
}

/** As `lockUntilEnd`, shared with others that call this. */
export async function shareUntilEnd(transaction: Transaction<Schema>, name: string): Promise<void> {
  if (isPostgres(transaction)) await sql`select pg_advisory_xact_lock_shared(${lockNumber(name)})`.execute(transaction);
}

/** A write in the transaction of a change, with its result. It may run more than once, as the transaction may. */
export type Within<Result = void> = (transaction: Transaction<Schema>, result: Result) => Promise<void>;

/**
 * Runs work in a transaction: in the passed one, or in a new one. After a conflict with another transaction it runs
 * again, so it must have no effects outside of the database.
 */
export function inTransaction<T>(
  db: Kysely<Schema>,
  work: (transaction: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  if (db.isTransaction) return work(db as Transaction<Schema>);
  return retryConflicts(() => db.transaction().execute(work));
}
