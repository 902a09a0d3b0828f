import type { Transaction } from 'kysely';
import { inTransaction } from '../db/locks.ts';
import type { OpenDatabase, Schema } from '../db/schema.ts';

export interface CommitOptions {
  database: Pick<OpenDatabase, 'db' | 'file'>;
  /** Called after a change of what nodes cache, before it is acknowledged. */
  onChange?: (() => Promise<void>) | undefined;
}

export type Commit = ReturnType<typeof createCommit>;

/**
 * Creates the function that makes a change of access: of people, sessions or keys. An acknowledged change is durable,
 * and applies on all nodes.
 */
export function createCommit({ database: { db, file }, onChange }: CommitOptions) {
  /**
   * @param work runs in a transaction, together with the entry of the audit log; as often as the transaction does
   * @param isCached true if nodes may cache what the result has changed
   */
  return async <T>(
    work: (transaction: Transaction<Schema>) => Promise<T>,
    isCached: (result: T) => boolean = () => true,
  ): Promise<T> => {
    const result = await inTransaction(db, work);
    if (isCached(result)) await onChange?.();
    await file.assertDurable();
    return result;
  };
}
