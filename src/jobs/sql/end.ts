import type { Kysely, Selectable } from 'kysely';
import { inTransaction } from '../../db/locks.ts';
import type { JobRow, Schema } from '../../db/schema.ts';
import type { Job, JobStatus } from '../job.ts';
import { readRow } from './rows.ts';

/** What is to be written down together with the end of jobs. */
export interface OnEnd {
  /** Whether anything is to be, when jobs end like this. */
  isWanted(status: 'completed' | 'error'): boolean;
  /** @param db the transaction in which they end */
  write(db: Kysely<Schema>, jobs: readonly Job[]): Promise<void>;
  /** Is told when such a transaction is over. */
  written(): void;
}

/** Changes jobs. @returns those that it has changed, as they are now */
export type EndJobs = (db: Kysely<Schema>) => Promise<Selectable<JobRow>[]>;

/** Changes jobs to a status; when that is an end, in one step with what is to be written down of it. */
export async function endJobs(
  db: Kysely<Schema>,
  onEnd: OnEnd | undefined,
  status: JobStatus,
  end: EndJobs,
): Promise<Job[]> {
  const isEnd = status === 'completed' || status === 'error';
  if (!isEnd || !onEnd?.isWanted(status)) return (await end(db)).map(readRow);
  const ended = await inTransaction(db, async (transaction) => {
    const jobs = (await end(transaction)).map(readRow);
    if (jobs.length > 0) await onEnd.write(transaction, jobs);
    return jobs;
  });
  if (ended.length > 0) onEnd.written();
  return ended;
}
