import type { StoragePath } from '../path.ts';
import type { ClaimedJob, Job, JobStatus, NewJob } from './job.ts';

/** Identifies a running job that one worker holds. */
export type HeldJob = Pick<ClaimedJob, 'id' | 'lease'>;

export interface JobPage {
  limit: number;
  offset: number;
  status?: JobStatus | undefined;
  /** Only the jobs of this original. */
  path?: StoragePath | undefined;
}

export interface Throughput {
  completedLastHour: number;
  /** Average from start to completion, in ms; undefined without jobs. */
  averageDurationMs: number | undefined;
}

/** Limits of the number of jobs. */
export interface QueueLimits {
  /** Pending jobs of all clients. */
  pending: number;
  /** Pending jobs reserved for trusted clients; the anonymous ones share the others, at least one. */
  reserved: number;
  /** Pending and running jobs of the client that requests a new one. */
  ofClient: number;
}

/** Result of requesting a job: the job that exists now, or the limit that forbids it. */
export type AddedJob = { job: Job; isNew: boolean } | { refusal: keyof QueueLimits };

/**
 * Stores jobs. Every implementation passes `test/contracts/job-store.ts`. Each method is atomic, even between processes
 * on one database. A change that a job's present state does not allow changes nothing and returns undefined or false.
 */
export interface JobStore {
  /**
   * Adds a pending job, if the limits allow it. A variant has at most one job that is not completed. An existing one,
   * in any state, is returned, and its priority is raised to the new one's if that is higher.
   */
  add(job: NewJob): Promise<{ job: Job; isNew: boolean }>;
  add(job: NewJob, limits: QueueLimits): Promise<AddedJob>;
  /**
   * Claims the next jobs: pending ones that are due, and running ones whose lease expired. Jobs go by priority; then
   * comes the client with the fewest running jobs, then the one served longest ago; of one client's jobs the oldest
   * goes first. The caller holds the jobs for `leaseMs`.
   * @param count capacity of the caller
   */
  claim(leaseMs: number, count: number): Promise<ClaimedJob[]>;
  /** Returns the time until the next job can be claimed, in ms; undefined if none is pending or running. */
  nextDueIn(): Promise<number | undefined>;
  /**
   * Extends a lease by `leaseMs`; progress never falls. Returns false when the caller has lost the job and must stop.
   */
  renew(held: HeldJob, leaseMs: number, progress?: number): Promise<boolean>;
  complete(held: HeldJob): Promise<Job | undefined>;
  /** Records a failed attempt. With `retryInMs` the job becomes pending and due then, otherwise it ends in `error`. */
  fail(held: HeldJob, reason: string, retryInMs?: number): Promise<Job | undefined>;
  /** Defers the job: pending, and due later, with the transient failure as the reason. No attempt is counted. */
  putOff(held: HeldJob, trouble: string, inMs: number): Promise<Job | undefined>;
  /** Returns the job to the queue as if it had never been claimed. */
  release(held: HeldJob): Promise<Job | undefined>;
  /**
   * Ends jobs in `error` whose lease has expired now, and was lost `maxLosses` times before: they seem to kill every
   * process that runs them.
   */
  failLost(maxLosses: number, reason: string): Promise<Job[]>;

  /** Shortens leases that last longer than `leaseMs`: they were dated before the clock was set back. */
  shortenLeases(leaseMs: number): Promise<void>;

  /** Cancels a job, only if it is pending. */
  cancel(id: string): Promise<Job | undefined>;
  /** Makes a job in `error` pending again; its attempts count from 0. */
  retry(id: string): Promise<Job | undefined>;
  /** Removes a job in any state. Its worker detects that with `renew`. */
  remove(id: string): Promise<Job | undefined>;
  /** Makes those of the jobs pending again that are in `error`. */
  retryAll(ids: readonly string[]): Promise<Job[]>;
  /** Removes those of the jobs that are in this state. */
  removeAll(ids: readonly string[], status: JobStatus): Promise<Job[]>;
  /** Removes all jobs of an original, or of every original in a folder. */
  removeWithin(path: StoragePath): Promise<Job[]>;
  /**
   * Removes jobs that ended more than `ageMs` ago, or that long in the future, because the clock may have been set
   * back. Returns their number.
   */
  removeFinished(ageMs: number): Promise<number>;

  find(id: string): Promise<Job | undefined>;
  /** Returns the ids of the jobs in a state, the oldest first. */
  idsIn(status: JobStatus): Promise<string[]>;
  newestOfVariant(variantKey: string): Promise<Job | undefined>;
  newestOfPath(path: StoragePath): Promise<Job | undefined>;
  /** Lists the newest first. `total` counts all that match. */
  list(page: JobPage): Promise<{ jobs: Job[]; total: number }>;
  counts(): Promise<Record<JobStatus, number>>;
  throughput(): Promise<Throughput>;
  /** Returns the longest waiting time of a due job, in ms; undefined when none is due. */
  oldestDueMs(): Promise<number | undefined>;
}
