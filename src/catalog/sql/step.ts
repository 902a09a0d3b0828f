import type { Kysely, Transaction } from 'kysely';
import { lockUntilEnd, shareUntilEnd } from '../../db/locks.ts';
import { driverError } from '../../db/postgres/outage.ts';
import type { Schema } from '../../db/schema.ts';
import { codeOf } from '../../errors.ts';

/** PostgreSQL codes of conflicts: a deadlock, a folder removed or added concurrently, a row inserted concurrently. */
const MET_ANOTHER = ['40P01', '40001', '23503', '23505'];
const ATTEMPTS = 3;

/** Limit of rows per statement: each has about twelve values, and other writers wait while it runs. */
export const ROW_BATCH = 250;

/**
 * Runs work in the passed transaction, or in its own. After a conflict it waits until all other steps have ended, and
 * runs again, alone.
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

/** Splits a list, so that no statement becomes too large. */
export function* inChunks<T>(all: readonly T[], size = ROW_BATCH): Generator<T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
}
