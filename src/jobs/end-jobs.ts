import type { Kysely, Selectable } from 'kysely';
import { inTransaction } from '../db/locks.ts';
import type { JobRow, Schema } from '../db/schema.ts';
import type { Job, JobStatus } from './job.ts';
import { readRow } from './job-rows.ts';

/** Records to write together with the end of jobs. */
export interface OnEnd {
  /** True if there is something to write when jobs end like this. */
  isSubscribed(status: 'completed' | 'error'): boolean;
  /** @param db the transaction in which they end */
  write(db: Kysely<Schema>, jobs: readonly Job[]): Promise<void>;
  /** Called after such a transaction. */
  written(): void;
}

/** Changes jobs. @returns the changed ones, in their new state */
export type EndJobs = (db: Kysely<Schema>) => Promise<Selectable<JobRow>[]>;

/** Changes jobs to a status; when that is an end, writes its records in the same transaction. */
export async function endJobs(
  db: Kysely<Schema>,
  onEnd: OnEnd | undefined,
  status: JobStatus,
  end: EndJobs,
): Promise<Job[]> {
  const isEnd = status === 'completed' || status === 'error';
  if (!isEnd || !onEnd?.isSubscribed(status)) return (await end(db)).map(readRow);
  const ended = await inTransaction(db, async (transaction) => {
    const jobs = (await end(transaction)).map(readRow);
    if (jobs.length > 0) await onEnd.write(transaction, jobs);
    return jobs;
  });
  if (ended.length > 0) onEnd.written();
  return ended;
}
