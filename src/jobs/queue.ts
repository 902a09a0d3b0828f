import { badRequest } from '../errors.ts';
import { quote, type StoragePath } from '../path.ts';
import { type JobEvents, news } from './events.ts';
import { type ClaimedJob, type Job, type JobStatus, type NewJob, retryDelay } from './job.ts';
import type { HeldJob, JobPage, JobStore, Throughput } from './job-store.ts';

export interface QueueOptions {
  store: JobStore;
  events: JobEvents;
  /** How often a failed job is tried again. */
  retryMax: number;
  /** The wait before the first of these; it doubles. */
  retryDelayMs: number;
  /** How long a job that has ended is remembered. */
  cleanupMs: number;
  /** How long a job stays its worker's without a sign of life. */
  leaseMs?: number;
}

export type QueueStats = Record<JobStatus, number> & { throughput: Throughput };

/** What a worker of the same process is told at once, so that it need not poll for it. */
export interface QueueWatcher {
  /** There is something to claim, or will be at that time from now. */
  pending(inMs: number): void;
  removed(id: string): void;
}

/** The one door to the jobs: every change of state goes through it and becomes an event. */
export interface Queue {
  /** Asks for a job. A variant has one at most that is not completed; where there is one, whatever its state, it is given. */
  enqueue(job: NewJob): Promise<{ job: Job; isNew: boolean }>;
  find(id: string): Promise<Job | undefined>;
  newestOfVariant(variantKey: string): Promise<Job | undefined>;
  newestOfPath(path: StoragePath): Promise<Job | undefined>;
  list(page: JobPage): Promise<{ jobs: Job[]; total: number }>;
  stats(): Promise<QueueStats>;
  /** @throws HttpProblem 400 unless the job is pending */
  cancel(id: string): Promise<Job>;
  /** @throws HttpProblem 400 unless the job is in error */
  retry(id: string): Promise<Job>;
  /** Deletes a job in any state; a running encoder is stopped. @throws HttpProblem 400 for an unknown one */
  remove(id: string): Promise<Job>;
  /** Deletes all jobs of an original, or of a whole folder; how many there were. */
  removeWithin(path: StoragePath): Promise<number>;

  /** For workers. Undefined and false mean that the job is no longer theirs. */
  claim(): Promise<ClaimedJob | undefined>;
  renew(held: HeldJob, progress?: number): Promise<boolean>;
  complete(held: HeldJob): Promise<Job | undefined>;
  /** Pending again after a growing delay, or in error when the retries are used up. */
  fail(job: ClaimedJob, reason: string): Promise<Job | undefined>;
  release(held: HeldJob): Promise<Job | undefined>;
  /** Ends what kills its workers, and forgets what ended long ago. To be called now and then. */
  tidy(): Promise<void>;
  watch(watcher: QueueWatcher): () => void;
}

const LEASE_MS = 15_000;

/** A job whose process died this many times is not tried again. */
const MAX_LOST_LEASES = 3;

export function createQueue(options: QueueOptions): Queue {
  const { store, events, retryMax, retryDelayMs, cleanupMs, leaseMs = LEASE_MS } = options;
  const watchers = new Set<QueueWatcher>();
  const announcePending = (inMs: number) => {
    for (const watcher of watchers) watcher.pending(inMs);
  };
  const announceRemoved = (jobs: Job[]) => {
    for (const { id } of jobs) for (const watcher of watchers) watcher.removed(id);
  };

  return {
    async enqueue(newJob) {
      const added = await store.add(newJob);
      if (added.isNew) {
        events.publish(news.created(added.job));
        announcePending(0);
      }
      return added;
    },

    find: (id) => store.find(id),
    newestOfVariant: (variantKey) => store.newestOfVariant(variantKey),
    newestOfPath: (path) => store.newestOfPath(path),
    list: (page) => store.list(page),

    async stats() {
      const [counts, throughput] = await Promise.all([store.counts(), store.throughput()]);
      return { ...counts, throughput };
    },

    async cancel(id) {
      return (await store.cancel(id)) ?? refuse(await store.find(id), id, 'cancelled', 'pending');
    },

    async retry(id) {
      const job = await store.retry(id);
      if (!job) return refuse(await store.find(id), id, 'retried', 'error');
      events.publish(news.created(job));
      announcePending(0);
      return job;
    },

    async remove(id) {
      const job = (await store.remove(id)) ?? refuse(undefined, id, 'deleted', undefined);
      announceRemoved([job]);
      return job;
    },

    async removeWithin(path) {
      const jobs = await store.removeWithin(path);
      announceRemoved(jobs);
      return jobs.length;
    },

    async claim() {
      const job = await store.claim(leaseMs);
      if (job) events.publish(news.started(job));
      return job;
    },

    async renew(held, progress) {
      const isHeld = await store.renew(held, leaseMs, progress);
      if (isHeld && progress !== undefined) events.publish(news.progress(held.id, progress));
      return isHeld;
    },

    async complete(held) {
      const job = await store.complete(held);
      if (job) events.publish(news.completed(job));
      return job;
    },

    async fail(claimed, reason) {
      const delay = claimed.attempts < retryMax ? retryDelay(claimed.attempts + 1, retryDelayMs) : undefined;
      const job = await store.fail(claimed, reason, delay);
      if (job?.status === 'error') events.publish(news.failed(job));
      if (job && delay !== undefined) announcePending(delay);
      return job;
    },

    async release(held) {
      const job = await store.release(held);
      if (job) announcePending(0);
      return job;
    },

    async tidy() {
      const lost = await store.failLost(
        MAX_LOST_LEASES,
        `The process that ran the job died ${MAX_LOST_LEASES + 1} times.`,
      );
      for (const job of lost) events.publish(news.failed(job));
      await store.removeFinished(cleanupMs);
    },

    watch(watcher) {
      watchers.add(watcher);
      return () => {
        watchers.delete(watcher);
      };
    },
  };
}

function refuse(job: Job | undefined, id: string, verb: string, needed: JobStatus | undefined): never {
  if (!job || !needed) throw badRequest(`The job ${quote(id)} does not exist, so it cannot be ${verb}.`);
  throw badRequest(`Only a job that is ${quote(needed)} can be ${verb}; this one is ${quote(job.status)}.`);
}
