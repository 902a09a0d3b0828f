import { anonymousPlaces, reservedPlaces } from '../client.ts';
import type { Bus } from '../cluster/cluster.ts';
import { badRequest, type HttpProblem, tooManyRequests, unavailable } from '../errors.ts';
import { quote, type StoragePath } from '../path.ts';
import { Announcements, type QueueWatcher } from './announcements.ts';
import { endOf, type JobEvents, jobEvent } from './events.ts';
import {
  type ClaimedJob,
  type HeldJob,
  type Job,
  type JobStatus,
  type NewJob,
  type QueueLimits,
  retryDelay,
  type Throughput,
} from './job.ts';
import type { SqlJobStore } from './sql-job-store.ts';

export interface QueueOptions {
  store: SqlJobStore;
  events: JobEvents;
  /** Notifies the workers of other nodes. */
  bus: Bus;
  /** Maximum number of retries of a failed job, after its first attempt. */
  retryMax: number;
  /** Delay of the first retry, in ms; it doubles with each. */
  retryDelayMs: number;
  /** Retention of ended jobs, in ms. */
  cleanupMs: number;
  /** Lease duration without a heartbeat, in ms. */
  leaseMs: number;
  /** Maximum number of pending jobs. */
  queueMax: number;
  /** Maximum number of pending and running jobs of one client. */
  queueMaxPerClient: number;
  /** Throws the 503 for a change that would be lost; called before a change is acknowledged. */
  assertDurable?: () => Promise<void>;
}

/** The job of a request, or the reason for which there is none. */
export type EnqueuedJob = { job: Job; isNew: boolean } | { problem: HttpProblem };

export type QueueStats = Record<JobStatus, number> & { throughput: Throughput };

/** `Retry-After` of a refused client, in seconds: by then some jobs are done. */
const RETRY_AFTER_SECONDS = 30;

/** A deferred job waits as long as after this many failed attempts. */
const TRANSIENT_ATTEMPTS = 6;

/** Number of jobs changed in one statement. */
const BATCH = 200;

/** A job is claimed again after this many lost leases; with one more it ends in error. */
const MAX_LOST_LEASES = 3;

/** The queue as its consumers use it, who request, list and change jobs: of all spaces, or of one. */
export type JobQueue = Pick<
  Queue,
  'jobs' | 'enqueueAll' | 'stats' | 'cancel' | 'retry' | 'retryAll' | 'remove' | 'removeAll' | 'removeWithin'
>;

/** The queue as workers use it. */
export type WorkerQueue = Pick<
  Queue,
  'leaseMs' | 'claim' | 'nextDueIn' | 'renew' | 'complete' | 'fail' | 'defer' | 'release' | 'tidy' | 'watch'
>;

/**
 * Single entry point to the jobs: every change of state passes through it and becomes an event. `claim` and the methods
 * after it are for workers; there undefined and false mean that the job is no longer theirs.
 */
export class Queue {
  /** Read-only access to the jobs, of all spaces. */
  readonly jobs: Pick<SqlJobStore, 'find' | 'newestOfVariant' | 'newestOfPath' | 'list' | 'counts'>;
  readonly #store: SqlJobStore;
  readonly #events: JobEvents;
  readonly #options: Omit<QueueOptions, 'store' | 'events' | 'bus'>;
  readonly #announcements: Announcements;
  #claimed = 0;

  constructor({ store, events, bus, ...options }: QueueOptions) {
    this.jobs = store;
    this.#store = store;
    this.#events = events;
    this.#options = options;
    this.#announcements = new Announcements(bus);
  }

  /** Lease duration without a heartbeat, in ms. */
  get leaseMs(): number {
    return this.#options.leaseMs;
  }

  /** Number of jobs claimed here. */
  get claimed(): number {
    return this.#claimed;
  }

  /**
   * Requests a job. A variant has at most one that is not completed; an existing one, in any state, is returned.
   * @throws HttpProblem 503 when too many jobs wait or the job may be lost, 429 when the client has too many of them
   */
  async enqueue(newJob: NewJob): Promise<{ job: Job; isNew: boolean }> {
    const [added] = (await this.enqueueAll([newJob])) as [EnqueuedJob];
    if ('problem' in added) throw added.problem;
    return added;
  }

  /** Requests jobs as `enqueue` does, in this order. Workers see them together, so that they can share work. */
  async enqueueAll(newJobs: readonly NewJob[]): Promise<EnqueuedJob[]> {
    const { queueMax, queueMaxPerClient } = this.#options;
    const limits = { pending: queueMax, reserved: reservedPlaces(queueMax), ofClient: queueMaxPerClient };
    const added = await this.#store.addAll(newJobs, limits);
    for (const one of added) {
      if ('job' in one && one.isNew) this.#announcements.pending(0, this.#events.publish(jobEvent.created(one.job)));
    }
    // Jobs run all the same, because their variants are stored elsewhere; but no client gets a promise that they will.
    if (added.some((one) => 'job' in one)) await this.#options.assertDurable?.();
    return added.map((one) => ('job' in one ? one : { problem: this.#refusal(one.refusal) }));
  }

  /** @param space restricts this to its jobs, as in the following methods; those of others do not exist for it */
  async stats(space?: string): Promise<QueueStats> {
    const [counts, throughput] = await Promise.all([this.#store.counts(space), this.#store.throughput(space)]);
    return { ...counts, throughput };
  }

  /** Returns the longest waiting time of a due job, in ms; undefined when none is due. */
  oldestDueMs(): Promise<number | undefined> {
    return this.#store.oldestDueMs();
  }

  /** @throws HttpProblem 400 unless the job is pending */
  async cancel(id: string, space?: string): Promise<Job> {
    const job =
      (await this.#store.cancel(id, space)) ?? refuse(await this.#store.find(id, space), id, 'cancelled', 'pending');
    void this.#events.publish(jobEvent.cancelled(job), endOf(job));
    await this.#options.assertDurable?.();
    return job;
  }

  /** @throws HttpProblem 400 unless the job is in error */
  async retry(id: string, space?: string): Promise<Job> {
    const job = await this.#store.retry(id, space);
    if (!job) return refuse(await this.#store.find(id, space), id, 'retried', 'error');
    this.#announcements.pending(0, this.#events.publish(jobEvent.created(job)));
    await this.#options.assertDurable?.();
    return job;
  }

  /** Retries every job in error. Returns their number. */
  async retryAll(space?: string): Promise<number> {
    return this.#inBatches('error', space, async (ids) => {
      const jobs = await this.#store.retryAll(ids, space);
      for (const job of jobs) this.#announcements.pending(0, this.#events.publish(jobEvent.created(job)));
      return jobs.length;
    });
  }

  /** Deletes every job in this state; running encoders are stopped. Returns their number. */
  async removeAll(status: JobStatus, space?: string): Promise<number> {
    return this.#inBatches(status, space, async (ids) =>
      this.#removed(await this.#store.removeAll(ids, status, space)),
    );
  }

  /** Deletes a job in any state; a running encoder is stopped. @throws HttpProblem 400 for an unknown one */
  async remove(id: string, space?: string): Promise<Job> {
    const job = (await this.#store.remove(id, space)) ?? refuse(undefined, id, 'deleted', undefined);
    this.#removed([job]);
    await this.#options.assertDurable?.();
    return job;
  }

  /** Deletes all jobs of an original, or of a whole folder, of any space. Returns their number. */
  async removeWithin(path: StoragePath): Promise<number> {
    return this.#removed(await this.#store.removeWithin(path));
  }

  /** Ends all jobs of a space that was deleted, in error; running encoders are stopped. Returns their number. */
  async failAll(space: string, reason: string): Promise<number> {
    const jobs = await this.#store.failAll(space, reason);
    const running = jobs.filter(({ startedAt }) => startedAt !== undefined);
    this.#announcements.removed(running.map((job) => ({ ...job, status: 'running' })));
    for (const job of jobs) void this.#events.publish(jobEvent.failed(job), endOf(job));
    return jobs.length;
  }

  /** Claims the next jobs, at most `count`, each with those that are made together with it. */
  async claim(count: number): Promise<ClaimedJob[]> {
    // First, so that no claim returns a job that has to end: a restarted service may claim before it has tidied.
    await this.#endLost();
    const jobs = await this.#store.claim(this.#options.leaseMs, count);
    this.#claimed += jobs.length;
    for (const job of jobs) void this.#events.publish(jobEvent.started(job));
    return jobs;
  }

  /** Time until the next job can be claimed, in ms; undefined if none is pending or running. */
  nextDueIn(): Promise<number | undefined> {
    return this.#store.nextDueIn();
  }

  async renew(held: HeldJob & Partial<Pick<Job, 'space'>>, progress?: number): Promise<boolean> {
    const isHeld = await this.#store.renew(held, this.#options.leaseMs, progress);
    if (isHeld && progress !== undefined) void this.#events.publish(jobEvent.progress(held.id, progress, held.space));
    return isHeld;
  }

  async complete(held: HeldJob): Promise<Job | undefined> {
    const job = await this.#store.complete(held);
    if (job) void this.#events.publish(jobEvent.completed(job), endOf(job));
    return job;
  }

  /**
   * Makes the job pending again after a growing delay, or ends it in error when no retry is left or a retry would be
   * useless.
   */
  async fail(claimed: ClaimedJob, reason: string, isFinal = false): Promise<Job | undefined> {
    const { retryMax, retryDelayMs } = this.#options;
    const isOver = isFinal || claimed.attempts >= retryMax;
    const delay = isOver ? undefined : retryDelay(claimed.attempts + 1, retryDelayMs);
    const job = await this.#store.fail(claimed, reason, delay);
    if (job?.status === 'error') void this.#events.publish(jobEvent.failed(job), endOf(job));
    if (job && delay !== undefined) this.#announcements.pending(delay);
    return job;
  }

  /** Defers the job. No attempt is counted, because the failure is the server's. */
  async defer(held: HeldJob, trouble: string): Promise<Job | undefined> {
    const delay = retryDelay(TRANSIENT_ATTEMPTS, this.#options.retryDelayMs);
    const job = await this.#store.defer(held, trouble, delay);
    if (job) this.#announcements.pending(delay);
    return job;
  }

  async release(held: HeldJob): Promise<Job | undefined> {
    const job = await this.#store.release(held);
    if (job) this.#announcements.pending(0);
    return job;
  }

  /**
   * Ends jobs that kill their workers, deletes jobs that ended long ago, and merges counters. Must be called
   * periodically.
   */
  async tidy(): Promise<void> {
    await this.#store.shortenLeases(this.#options.leaseMs);
    await this.#endLost();
    await this.#store.removeFinished(this.#options.cleanupMs);
    await this.#store.mergeCounts();
  }

  watch(watcher: QueueWatcher): () => void {
    return this.#announcements.watch(watcher);
  }

  /** Visits each job that is in the state now once, so that this ends even if jobs return to it meanwhile. */
  async #inBatches(
    status: JobStatus,
    space: string | undefined,
    act: (ids: readonly string[]) => Promise<number>,
  ): Promise<number> {
    const ids = await this.#store.idsIn(status, space);
    let count = 0;
    for (let at = 0; at < ids.length; at += BATCH) count += await act(ids.slice(at, at + BATCH));
    await this.#options.assertDurable?.();
    return count;
  }

  /** @param jobs as they were before they were removed */
  #removed(jobs: readonly Job[]): number {
    this.#announcements.removed(jobs);
    for (const job of jobs) void this.#events.publish(jobEvent.deleted(job), `${job.id} deleted`);
    return jobs.length;
  }

  async #endLost(): Promise<void> {
    const reason = `The process that ran the job died ${MAX_LOST_LEASES + 1} times.`;
    const lost = await this.#store.failLost(MAX_LOST_LEASES, reason);
    for (const job of lost) void this.#events.publish(jobEvent.failed(job), endOf(job));
  }

  #refusal(what: keyof QueueLimits): HttpProblem {
    const { queueMax, queueMaxPerClient } = this.#options;
    if (what === 'pending') {
      const message = `${queueMax} videos wait to be transcoded already (VIDEO_QUEUE_MAX).`;
      return unavailable(message, 'queue_full', RETRY_AFTER_SECONDS);
    }
    if (what === 'reserved') {
      const message = `${anonymousPlaces(queueMax)} videos wait to be transcoded already for clients without a key or a session. The other slots of the queue are reserved (VIDEO_QUEUE_MAX is ${queueMax}).`;
      return unavailable(message, 'queue_full', RETRY_AFTER_SECONDS);
    }
    const message = `${queueMaxPerClient} videos that you requested wait or are being transcoded already (VIDEO_QUEUE_MAX_PER_CLIENT).`;
    return tooManyRequests(message, 'too_much_work', RETRY_AFTER_SECONDS);
  }
}

function refuse(job: Job | undefined, id: string, verb: string, needed: JobStatus | undefined): never {
  if (!job || !needed)
    throw badRequest(`The job ${quote(id)} does not exist, so it cannot be ${verb}.`, 'wrong_job_state');
  const message = `Only a job that is ${quote(needed)} can be ${verb}; this one is ${quote(job.status)}.`;
  throw badRequest(message, 'wrong_job_state');
}
