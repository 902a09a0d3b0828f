import { Histogram } from 'prom-client';
import { FailureLog, type Log } from '../log.ts';
import { Alarm } from '../runtime/alarm.ts';
import { traced } from '../tracing.ts';
import { FinalFailure, ServerTrouble } from './failures.ts';
import type { ClaimedJob } from './job.ts';
import { JobGone, Lease } from './lease.ts';
import type { Queue } from './queue.ts';

export interface JobContext {
  /** Aborts when the job is deleted, lost to another worker, or the worker stops. */
  signal: AbortSignal;
  /** Percent; a lower value than before is ignored. */
  onProgress(percent: number): void;
}

export interface WorkerOptions {
  queue: Queue;
  /**
   * Does the work. What it throws is the reason of the failure: `FinalFailure` ends the job, `ServerTrouble` puts it off, after
   * any other error it is tried again. It has to end soon after its signal aborts.
   */
  run(job: ClaimedJob, context: JobContext): Promise<void>;
  maxConcurrent: number;
  log: Log;
  /** How often the queue is asked for jobs of other processes, in milliseconds. */
  pollIntervalMs?: number;
  /** How often the lease of a running job is renewed, in milliseconds; well below the lease. */
  heartbeatMs?: number;
  /** The least time between two reports of progress. */
  progressIntervalMs?: number;
}

const TIDY_INTERVAL_MS = 60_000;

const SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600];

class WorkerStops extends Error {
  override name = 'WorkerStops';
}

interface RunningJob {
  lease: Lease;
  done: Promise<void>;
}

/** Claims jobs and runs them, several at a time. A job of this process begins at once, without waiting for a poll. */
export class Worker {
  readonly #options: Required<WorkerOptions>;
  readonly #running = new Set<RunningJob>();
  readonly #alarm = new Alarm();
  readonly #claims: FailureLog;
  readonly #renewals: FailureLog;
  readonly #tidies: FailureLog;
  /** How long attempts at jobs took. Whoever shows it registers it. */
  readonly durations = new Histogram({
    name: 'darkroom_job_seconds',
    help: 'How long attempts at jobs took, by kind and result.',
    labelNames: ['kind', 'result'],
    buckets: SECONDS,
    registers: [],
  });
  #loop: Promise<void> | undefined;
  #isStopping = false;

  constructor(options: WorkerOptions) {
    this.#options = { pollIntervalMs: 5000, heartbeatMs: 5000, progressIntervalMs: 250, ...options };
    const { log } = options;
    this.#claims = new FailureLog(log, { fails: 'No job can be claimed', works: 'Jobs can be claimed again' });
    this.#renewals = new FailureLog(log, { fails: 'A job cannot be kept', works: 'Jobs can be kept again' });
    this.#tidies = new FailureLog(log, { fails: 'The queue cannot be tidied', works: 'The queue can be tidied again' });
  }

  start(): void {
    if (this.#loop) return;
    this.#isStopping = false;
    this.#loop = this.#work();
  }

  /** Puts the running jobs back into the queue. Resolves when every encoder has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#alarm.ring();
    await this.#loop;
    this.#loop = undefined;
    for (const { lease } of this.#running) lease.giveUp(new WorkerStops('The worker stops.'));
    await Promise.all([...this.#running].map(({ done }) => done));
  }

  stats() {
    return {
      isRunning: this.#loop !== undefined && !this.#isStopping,
      maxConcurrent: this.#options.maxConcurrent,
      processingCount: this.#running.size,
      /** Milliseconds. */
      pollInterval: this.#options.pollIntervalMs,
    };
  }

  async #work(): Promise<void> {
    const { queue, maxConcurrent, pollIntervalMs } = this.#options;
    const unwatch = queue.watch({
      pending: (inMs) => this.#alarm.ringIn(inMs),
      removed: (id) => this.#giveUp(id),
      unsure: () => this.#lookAgain(),
    });
    const tidying = setInterval(() => void this.#tidy(), TIDY_INTERVAL_MS);
    await this.#tidy();
    while (!this.#isStopping) {
      this.#alarm.arm();
      const begun = await this.#claim(maxConcurrent - this.#running.size);
      if (begun === 0 && !this.#isStopping) await this.#alarm.wait(pollIntervalMs);
    }
    clearInterval(tidying);
    unwatch();
    this.#alarm.silence();
  }

  async #tidy(): Promise<void> {
    await this.#options.queue.tidy().then(
      () => this.#tidies.succeeded(),
      (error: unknown) => this.#tidies.failed(error),
    );
  }

  /** Begins as many jobs as there are, and places for them. Returns how many. */
  async #claim(places: number): Promise<number> {
    const { queue } = this.#options;
    if (places === 0) return 0;
    const claimedAt = performance.now();
    try {
      const jobs = await queue.claim(places);
      this.#claims.succeeded();
      for (const job of jobs) this.#begin(new Lease(queue, job, claimedAt, this.#renewals));
      return jobs.length;
    } catch (error) {
      this.#claims.failed(error);
      return 0;
    }
  }

  #giveUp(id: string): void {
    for (const { lease } of this.#running) if (lease.job.id === id) lease.giveUp(new JobGone('The job was deleted.'));
  }

  /** Finds out what it may not have been told. */
  #lookAgain(): void {
    for (const { lease } of this.#running) void lease.renew();
    this.#alarm.ring();
  }

  #begin(lease: Lease): void {
    const entry: RunningJob = { lease, done: Promise.resolve() };
    this.#running.add(entry);
    entry.done = this.#process(lease)
      .catch((error: unknown) => this.#options.log.error(error, 'The end of a job could not be written down'))
      .finally(() => {
        this.#running.delete(entry);
        this.#alarm.ring();
      });
  }

  async #process(lease: Lease): Promise<void> {
    const { queue, run, heartbeatMs, progressIntervalMs } = this.#options;
    const { job, signal } = lease;
    const onProgress = throttle((progress) => void lease.renew(progress), progressIntervalMs);
    const heartbeat = setInterval(() => void lease.renew(), heartbeatMs);
    const measure = this.durations.startTimer({ kind: job.kind });
    try {
      const { id, kind, path, transformation } = job;
      const work = () => run(job, { signal, onProgress });
      const failure = await traced('job', { id, kind, path, transformation }, work).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      if (!failure) {
        measure({ result: 'completed' });
        await lease.insist(() => queue.complete(job));
      } else if (signal.reason instanceof WorkerStops) await queue.release(job);
      else if (!(signal.reason instanceof JobGone)) {
        measure({ result: failure.error instanceof ServerTrouble ? 'put_off' : 'failed' });
        await this.#reportFailure(lease, failure.error);
      }
    } finally {
      clearInterval(heartbeat);
    }
  }

  async #reportFailure(lease: Lease, error: unknown): Promise<void> {
    const { queue, log } = this.#options;
    const { job } = lease;
    const reason = reasonOf(error);
    const isTrouble = error instanceof ServerTrouble;
    const failed = await lease.insist(() =>
      isTrouble ? queue.putOff(job, reason) : queue.fail(job, reason, error instanceof FinalFailure),
    );
    const { id, path, transformation } = job;
    log.warn({ job: id, path, transformation, err: error, next: failed?.status }, 'Job failed');
  }
}

/** Passes on rising values, at most one in each interval. */
function throttle(report: (percent: number) => void, intervalMs: number): (percent: number) => void {
  let highest = 0;
  let next = 0;
  return (percent) => {
    const value = Math.min(100, Math.floor(percent));
    const now = performance.now();
    if (value <= highest || now < next) return;
    highest = value;
    next = now + intervalMs;
    report(value);
  };
}

/** The message of an error, unless it is of the file system: such a message has a path of the disk in it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall } = error as NodeJS.ErrnoException;
  // When a program does not start, the path stands behind the name of the call.
  const [call] = syscall?.split(' ') ?? [];
  return code && call ? `The server failed to ${call} a file (${code}).` : error.message;
}
