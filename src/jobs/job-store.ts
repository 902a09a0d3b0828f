import type { StoragePath } from '../path.ts';
import type { ClaimedJob, Job, JobStatus, NewJob } from './job.ts';

/** Identifies a running job in the hands of one worker. */
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
  /** From start to completion, of those; undefined when there were none. */
  averageDurationMs: number | undefined;
}

/** How many jobs there may be. */
export interface QueueLimits {
  /** Pending jobs of all clients, of one kind. */
  pending: number;
  /** Pending jobs that trusted clients may always have; the anonymous ones together have the others, at least one. */
  reserved: number;
  /** Pending and running jobs of the client who asks for a new one. */
  ofClient: number;
}

/** The result of asking for a job: the job that exists now, or the limit that forbids it. */
export type AddedJob = { job: Job; isNew: boolean } | { refusal: keyof QueueLimits };

/**
 * Where jobs are kept. Every implementation passes `test/contracts/job-store.ts`. Each method is atomic, even between processes
 * on one database. A change that is not possible in a job's present state changes nothing and returns undefined or false.
 */
export interface JobStore {
  /**
   * Adds a pending job, if the limits allow it. A variant has at most one job that is not completed. If there is one already,
   * in whatever state, it is returned, and its priority is raised to the new one's if that is higher.
   */
  add(job: NewJob): Promise<{ job: Job; isNew: boolean }>;
  add(job: NewJob, limits: QueueLimits): Promise<AddedJob>;
  /**
   * Hands out the next jobs: pending ones that are due, and running ones whose lease ran out. Jobs go by priority; then comes
   * the client with the fewest running jobs, then the one who was served longest ago; of one client's jobs the oldest goes
   * first. The jobs belong to the caller for `leaseMs`.
   * @param count how many the caller can do now
   * @param kinds of work that the caller can do; transcodes alone by default
   */
  claim(leaseMs: number, count: number, kinds?: readonly string[]): Promise<ClaimedJob[]>;
  /** Time until the next job of these kinds can be claimed, in ms; undefined if none is pending or running. */
  nextDueIn(kinds?: readonly string[]): Promise<number | undefined>;
  /** Keeps a job for another `leaseMs`; its progress never falls. False when the caller has lost the job and has to stop. */
  renew(held: HeldJob, leaseMs: number, progress?: number): Promise<boolean>;
  complete(held: HeldJob): Promise<Job | undefined>;
  /** The attempt failed. With `retryInMs` the job becomes pending and due then, else it ends in `error`. */
  fail(held: HeldJob, reason: string, retryInMs?: number): Promise<Job | undefined>;
  /** Makes the job pending again and due in a while, with what is to blame. No attempt is counted. */
  putOff(held: HeldJob, trouble: string, inMs: number): Promise<Job | undefined>;
  /** Gives the job back as if it had never been claimed. */
  release(held: HeldJob): Promise<Job | undefined>;
  /** Ends jobs in `error` that lost their lease more than `maxLosses` times: they seem to kill every process that runs them. */
  failLost(maxLosses: number, reason: string): Promise<Job[]>;

  /** Shortens leases that last longer than `leaseMs`: they were dated before the clock was set back. */
  shortenLeases(leaseMs: number): Promise<void>;

  /** Cancels a pending job, and no other. */
  cancel(id: string): Promise<Job | undefined>;
  /** Makes a job in `error` pending again; its attempts count from 0. */
  retry(id: string): Promise<Job | undefined>;
  /** Removes a job in any state. A worker that runs it learns of it from `renew`. */
  remove(id: string): Promise<Job | undefined>;
  /** Makes pending again those of them that are in `error`. */
  retryAll(ids: readonly string[]): Promise<Job[]>;
  /** Removes those of them that are in this state. */
  removeAll(ids: readonly string[], status: JobStatus): Promise<Job[]>;
  /** Removes all jobs of an original, or of every original in a folder. */
  removeWithin(path: StoragePath): Promise<Job[]>;
  /** Removes jobs that ended more than `ageMs` ago, or that long in the future, because the clock may have been set back. Returns
   * how many there were. */
  removeFinished(ageMs: number): Promise<number>;

  find(id: string): Promise<Job | undefined>;
  /** Of transcodes, the oldest first. */
  idsIn(status: JobStatus): Promise<string[]>;
  newestOfVariant(variantKey: string): Promise<Job | undefined>;
  /** Of transcodes, as what follows. */
  newestOfPath(path: StoragePath): Promise<Job | undefined>;
  /** The newest first. `total` counts all that match. */
  list(page: JobPage): Promise<{ jobs: Job[]; total: number }>;
  counts(): Promise<Record<JobStatus, number>>;
  throughput(): Promise<Throughput>;
  /** How long the job has been waiting that has been due for longest, in milliseconds; undefined when none is due. */
  oldestDueMs(): Promise<number | undefined>;
}
