import type { Kysely, Transaction } from 'kysely';
import { lockUntilEnd, shareUntilEnd } from '../../db/locks.ts';
import { driverError } from '../../db/postgres/outage.ts';
import type { Schema } from '../../db/schema.ts';
import { codeOf } from '../../errors.ts';

/** Two steps that met on PostgreSQL: a deadlock, a folder that was removed or made meanwhile, a row that was put meanwhile. */
const MET_ANOTHER = ['40P01', '40001', '23503', '23505'];
const ATTEMPTS = 3;

/** So many rows are changed by one statement at most: it has some twelve values for each, and others wait while it runs. */
export const ROWS_AT_ONCE = 250;

/**
 * Runs work in the transaction that it is given, or in one of its own; again when it met another one. Then it waits until all others
 * have ended, and runs alone.
 */
export async function step<T>(db: Kysely<Schema>, work: (transaction: Transaction<Schema>) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db as Transaction<Schema>);
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(async (transaction) => {
        await (attempt === 1 ? shareUntilEnd : lockUntilEnd)(transaction, 'catalog steps');
        return work(transaction);
      });
    } catch (error) {
      if (attempt === ATTEMPTS || !MET_ANOTHER.includes(codeOf(driverError(error)))) throw error;
    }
  }
}

/** Divides a list, so that no statement becomes too large. */
export function* inChunks<T>(all: readonly T[], size = ROWS_AT_ONCE): Generator<T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
}
