import type { StoragePath } from '../path.ts';
import type { ClaimedJob, Job, JobStatus, NewJob } from './job.ts';

/** What names a running job in one worker's hands. */
export type HeldJob = Pick<ClaimedJob, 'id' | 'lease'>;

export interface JobPage {
  limit: number;
  offset: number;
  status?: JobStatus | undefined;
  /** Of this original alone. */
  path?: StoragePath | undefined;
}

export interface Throughput {
  completedLastHour: number;
  /** From start to completion, of those; undefined when there were none. */
  averageDurationMs: number | undefined;
}

/**
 * Where jobs are kept. Every implementation passes `test/contracts/job-store.ts`. Each method is atomic, also between
 * processes on one database; what is not possible in a job's present state changes nothing and gives undefined or false.
 */
export interface JobStore {
  /**
   * Adds a pending job. A variant has one job at most that is not completed: where there is one already, in whatever
   * state, that one is given, its priority raised to the new one's if that is higher.
   */
  add(job: NewJob): Promise<{ job: Job; isNew: boolean }>;
  /**
   * Hands out the job that is next, by priority, then by age: a pending one that is due, or a running one whose lease ran
   * out. It is the caller's for `leaseMs`.
   */
  claim(leaseMs: number): Promise<ClaimedJob | undefined>;
  /** Keeps a job for another `leaseMs`; a progress never falls. False when it is no longer the caller's: it has to stop. */
  renew(held: HeldJob, leaseMs: number, progress?: number): Promise<boolean>;
  complete(held: HeldJob): Promise<Job | undefined>;
  /** The attempt failed. With `retryInMs` the job becomes pending and due then, else it ends in `error`. */
  fail(held: HeldJob, reason: string, retryInMs?: number): Promise<Job | undefined>;
  /** Gives the job back as if it had never been claimed. */
  release(held: HeldJob): Promise<Job | undefined>;
  /** Ends in `error` what lost its lease more than `maxLosses` times: it seems to kill whoever runs it. */
  failLost(maxLosses: number, reason: string): Promise<Job[]>;

  /** Only a pending one. */
  cancel(id: string): Promise<Job | undefined>;
  /** Only one in `error`; its attempts count from 0 again. */
  retry(id: string): Promise<Job | undefined>;
  /** Whatever its state; a worker that runs it learns of it from `renew`. */
  remove(id: string): Promise<Job | undefined>;
  /** All jobs of an original, or of every original in a folder. */
  removeWithin(path: StoragePath): Promise<Job[]>;
  /** Jobs that came to their end more than `ageMs` ago; how many there were. */
  removeFinished(ageMs: number): Promise<number>;

  find(id: string): Promise<Job | undefined>;
  newestOfVariant(variantKey: string): Promise<Job | undefined>;
  newestOfPath(path: StoragePath): Promise<Job | undefined>;
  /** The newest first. `total` counts all that match. */
  list(page: JobPage): Promise<{ jobs: Job[]; total: number }>;
  counts(): Promise<Record<JobStatus, number>>;
  throughput(): Promise<Throughput>;
}
