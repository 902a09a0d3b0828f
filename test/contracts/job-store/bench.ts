import { TRUSTED } from '../../../src/client.ts';
import type { ClaimedJob, NewJob } from '../../../src/jobs/job.ts';
import type { SqlJobStore } from '../../../src/jobs/sql-job-store.ts';
import type { StoragePath } from '../../../src/path.ts';

/** Fixture of the job store tests. */
export interface JobStoreBench {
  store: SqlJobStore;
  /** A second connection to the same jobs. */
  other: SqlJobStore;
  /** Milliseconds since 1970, moved by the tests. */
  clock: { now: number };
  close(): Promise<void>;
}

export const LEASE_MS = 1000;

export function newJob(variantKey: string, more: Partial<NewJob> = {}): NewJob {
  const path = `films/${variantKey}.mp4` as StoragePath;
  return { path, variantKey, transformation: 'w_320', version: 'etag-1', priority: 2, client: TRUSTED, ...more };
}

/** Claims the next job, which must exist. */
export async function claimNext(store: SqlJobStore): Promise<ClaimedJob> {
  const [job] = await store.claim(LEASE_MS, 1);
  if (!job) throw new Error('Expected a job to claim.');
  return job;
}
