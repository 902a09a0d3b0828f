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

/** How many jobs there may be. */
export interface JobRoom {
  /** Pending ones of all. */
  pending: number;
  /** Pending and running ones of the client of a new one. */
  ofClient: number;
}

/** What comes of asking for a job: the one that there is now, or why there is none. */
export type AddedJob = { job: Job; isNew: boolean } | { refusal: keyof JobRoom };

/**
 * Where jobs are kept. Every implementation passes `test/contracts/job-store.ts`. Each method is atomic, also between
 * processes on one database; what is not possible in a job's present state changes nothing and gives undefined or false.
 */
export interface JobStore {
  /**
   * Adds a pending job. A variant has one job at most that is not completed: where there is one already, in whatever
   * state, that one is given, its priority raised to the new one's if that is higher. Else there has to be room for it.
   */
  add(job: NewJob): Promise<{ job: Job; isNew: boolean }>;
  add(job: NewJob, room: JobRoom): Promise<AddedJob>;
  /**
   * Hands out the job that is next: a pending one that is due, or a running one whose lease ran out. By priority; then it is
   * the turn of the client with the fewest running jobs, then of the one who was served longest ago; of one client's jobs
   * the oldest goes first. It is the caller's for `leaseMs`.
   */
  claim(leaseMs: number): Promise<ClaimedJob | undefined>;
  /** Keeps a job for another `leaseMs`; a progress never falls. False when it is no longer the caller's: it has to stop. */
  renew(held: HeldJob, leaseMs: number, progress?: number): Promise<boolean>;
  complete(held: HeldJob): Promise<Job | undefined>;
  /** The attempt failed. With `retryInMs` the job becomes pending and due then, else it ends in `error`. */
  fail(held: HeldJob, reason: string, retryInMs?: number): Promise<Job | undefined>;
  /** Pending again and due in a while, with what is to blame; no attempt is counted. */
  putOff(held: HeldJob, trouble: string, inMs: number): Promise<Job | undefined>;
  /** Gives the job back as if it had never been claimed. */
  release(held: HeldJob): Promise<Job | undefined>;
  /** Ends in `error` what lost its lease more than `maxLosses` times: it seems to kill whoever runs it. */
  failLost(maxLosses: number, reason: string): Promise<Job[]>;

  /** Ends in `leaseMs` what would be held for longer: such a lease was dated before the clock was set back. */
  shortenLeases(leaseMs: number): Promise<void>;

  /** Only a pending one. */
  cancel(id: string): Promise<Job | undefined>;
  /** Only one in `error`; its attempts count from 0 again. */
  retry(id: string): Promise<Job | undefined>;
  /** Whatever its state; a worker that runs it learns of it from `renew`. */
  remove(id: string): Promise<Job | undefined>;
  /** All jobs of an original, or of every original in a folder. */
  removeWithin(path: StoragePath): Promise<Job[]>;
  /** Jobs that came to their end more than `ageMs` ago, or ahead: the clock may be set back. How many there were. */
  removeFinished(ageMs: number): Promise<number>;

  find(id: string): Promise<Job | undefined>;
  newestOfVariant(variantKey: string): Promise<Job | undefined>;
  newestOfPath(path: StoragePath): Promise<Job | undefined>;
  /** The newest first. `total` counts all that match. */
  list(page: JobPage): Promise<{ jobs: Job[]; total: number }>;
  counts(): Promise<Record<JobStatus, number>>;
  throughput(): Promise<Throughput>;
}
