import type { Kysely, Transaction } from 'kysely';
import { CONFLICTS, retryConflicts } from '../../db/conflicts.ts';
import { lockUntilEnd, shareUntilEnd } from '../../db/locks.ts';
import type { Schema } from '../../db/schema.ts';

/** Conflicts, and a folder that is removed or a row that is inserted concurrently. */
const MET_ANOTHER = [...CONFLICTS, '23503', '23505'];

/** Limit of rows per statement: each has about twelve values, and other writers wait while it runs. */
export const ROW_BATCH = 250;

/**
 * Runs work in the passed transaction, or in its own. After a conflict it waits until all other steps have ended, and
 * runs again, alone.
 */
export async function step<T>(db: Kysely<Schema>, work: (transaction: Transaction<Schema>) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db as Transaction<Schema>);
  return retryConflicts(
    (attempt) =>
      db.transaction().execute(async (transaction) => {
        await (attempt === 1 ? shareUntilEnd : lockUntilEnd)(transaction, 'catalog steps');
        return work(transaction);
      }),
    MET_ANOTHER,
  );
}

/** Splits a list, so that no statement becomes too large. */
export function* inChunks<T>(all: readonly T[], size = ROW_BATCH): Generator<T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
}
