import { setTimeout as pause } from 'node:timers/promises';
import { Histogram } from 'prom-client';
import { FailureLog, type Log } from '../log.ts';
import { type BackoffOptions, backoff } from '../queue/backoff.ts';
import { Consumer, ConsumerStopped } from '../queue/consumer.ts';
import { traced } from '../tracing.ts';
import type { ClaimedJob } from './job.ts';
import type { WorkerQueue } from './queue.ts';

/** A permanent failure: a retry would end the same way. */
export class FinalFailure extends Error {
  override name = 'FinalFailure';
}

/** A transient failure of the server, not of the video: the job is deferred. */
export class TransientFailure extends Error {
  override name = 'TransientFailure';
}

/** Notifications to the work of a job, and its reports. */
export interface JobContext {
  /** Aborts when the job is deleted, lost to another worker, or the worker stops. */
  signal: AbortSignal;
  /** Percent; a lower value than before is ignored. */
  onProgress(percent: number): void;
}

/** A job whose work has begun. */
export interface RunningJob extends JobContext {
  job: ClaimedJob;
}

export interface WorkerOptions {
  queue: WorkerQueue;
  /**
   * Does the work, of jobs of all spaces. The error that it throws is the reason of the failure: `FinalFailure` ends the job,
   * `TransientFailure` defers it, any other error is retried. It has to end soon after its signal aborts.
   */
  run(job: ClaimedJob, context: JobContext): Promise<void>;
  /**
   * Does the work of jobs that were claimed together, in one go. Each result is that of one job, as of `run`. Without
   * it they run one after the other.
   */
  runTogether?: ((jobs: readonly RunningJob[]) => readonly Promise<void>[]) | undefined;
  maxConcurrent: number;
  /** Called after each attempt that completed or failed, with its duration in ms. */
  onAttempt?: ((job: ClaimedJob, ms: number) => void) | undefined;
  log: Log;
  /** Interval of polls for jobs of other processes, in ms. */
  pollIntervalMs?: number;
  /** Interval of lease renewals of a running job, in ms; well below the lease. */
  heartbeatMs?: number;
  /** Minimum interval between two progress reports, in ms. */
  progressIntervalMs?: number;
}

type Optional = 'runTogether' | 'onAttempt';

const TIDY_INTERVAL_MS = 60_000;

/** Label of all jobs in metrics and traces. */
const KIND = 'transcode';

const SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600];

/** Pause before the result of a job is written again, in ms. */
const WRITE_RETRY: BackoffOptions = { firstMs: 100, maxMs: 2000 };

/** The job was deleted, or another worker claimed it. */
class JobGone extends Error {
  override name = 'JobGone';
}

/** A claimed job, with the end of its lease. */
interface HeldJob {
  job: ClaimedJob;
  /** By `performance.now()`, and never later than by the clock of the database. */
  leaseEndsAt: number;
  /** Aborts when the job is deleted or lost. */
  gone: AbortController;
}

/** Claims jobs and runs several concurrently. A job of this process begins immediately, without waiting for a poll. */
export class Worker {
  readonly #options: Required<Omit<WorkerOptions, Optional>> & Pick<WorkerOptions, Optional>;
  readonly #held = new Set<HeldJob>();
  readonly #claims: FailureLog;
  readonly #renewals: FailureLog;
  readonly #tidies: FailureLog;
  /** Durations of attempts. The module that exposes them registers it. */
  readonly durations = new Histogram({
    name: 'darkroom_job_seconds',
    help: 'How long attempts at jobs took, by kind and result.',
    labelNames: ['kind', 'result'],
    buckets: SECONDS,
    registers: [],
  });
  /** Undefined before the first start and after a stop; a stopped worker can be started again. */
  #consumer: Consumer<readonly HeldJob[]> | undefined;
  #unwatch: (() => void) | undefined;
  #tidyTimer: NodeJS.Timeout | undefined;
  #firstTidy: Promise<void> | undefined;

  constructor(options: WorkerOptions) {
    this.#options = { pollIntervalMs: 5000, heartbeatMs: 5000, progressIntervalMs: 250, ...options };
    const { log } = options;
    this.#claims = new FailureLog(log, { fails: 'No job can be claimed', works: 'Jobs can be claimed again' });
    this.#renewals = new FailureLog(log, {
      fails: 'The lease of a job cannot be renewed',
      works: 'Leases of jobs can be renewed again',
    });
    this.#tidies = new FailureLog(log, { fails: 'The queue cannot be tidied', works: 'The queue can be tidied again' });
  }

  start(): void {
    if (this.#consumer) return;
    const { queue, maxConcurrent, pollIntervalMs } = this.#options;
    const consumer = new Consumer<readonly HeldJob[]>({
      claim: (count) => this.#claim(count),
      nextDueIn: () => queue.nextDueIn(),
      handle: (group, signal) => this.#handleGroup(group, signal),
      concurrency: maxConcurrent,
      pollMs: pollIntervalMs,
      outages: this.#claims,
    });
    this.#consumer = consumer;
    this.#unwatch = queue.watch({
      pending: (inMs) => consumer.wakeIn(inMs),
      removed: (id) => this.#abandon(id),
      unsure: () => this.#checkAgain(),
    });
    this.#tidyTimer = setInterval(() => void this.#tidy(), TIDY_INTERVAL_MS);
    this.#firstTidy = this.#tidy();
    consumer.start();
  }

  /** Returns the running jobs to the queue. Resolves when every encoder has ended. */
  async stop(): Promise<void> {
    await this.#consumer?.stop(AbortSignal.abort());
    clearInterval(this.#tidyTimer);
    this.#unwatch?.();
    await this.#firstTidy;
    this.#consumer = undefined;
  }

  stats() {
    return {
      isRunning: this.#consumer?.isRunning ?? false,
      maxConcurrent: this.#options.maxConcurrent,
      processingCount: this.#consumer?.running ?? 0,
      /** Milliseconds. */
      pollInterval: this.#options.pollIntervalMs,
    };
  }

  async #tidy(): Promise<void> {
    await this.#tidies.attempt(() => this.#options.queue.tidy());
  }

  /** Claims jobs, in groups that were claimed together. */
  async #claim(count: number): Promise<(readonly HeldJob[])[]> {
    const { queue } = this.#options;
    const leaseEndsAt = performance.now() + queue.leaseMs;
    const jobs = await queue.claim(count);
    const groups = Map.groupBy(jobs, ({ lease }) => lease);
    return Array.from(groups.values(), (group) =>
      group.map((job) => ({ job, leaseEndsAt, gone: new AbortController() })),
    );
  }

  #abandon(id: string): void {
    for (const { job, gone } of this.#held) if (job.id === id) gone.abort(new JobGone('The job was deleted.'));
  }

  /** Checks for changes that were missed while messages of other nodes could not be received. */
  #checkAgain(): void {
    for (const held of this.#held) void this.#renew(held);
    this.#consumer?.wake();
  }

  async #handleGroup(group: readonly HeldJob[], stopping: AbortSignal): Promise<undefined> {
    const { run, runTogether, progressIntervalMs } = this.#options;
    const running = group.map((held): RunningJob => {
      const onProgress = throttle((progress) => void this.#renew(held, progress), progressIntervalMs);
      return { job: held.job, signal: AbortSignal.any([held.gone.signal, stopping]), onProgress };
    });
    const results = group.length > 1 ? runTogether?.(running) : undefined;
    const handled: Promise<void>[] = [];
    for (const [n, held] of group.entries()) {
      const one = running[n] as RunningJob;
      const result = results?.[n];
      const previous = handled.at(-1);
      const handling = this.#handle(held, one.signal, async () => {
        if (result) return result;
        // One after the other: a group counts as one job of `maxConcurrent`.
        await previous;
        one.signal.throwIfAborted();
        return run(one.job, one);
      });
      handled.push(handling);
    }
    await Promise.all(handled);
  }

  async #handle(held: HeldJob, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    this.#held.add(held);
    try {
      await this.#process(held, signal, work);
    } catch (error) {
      this.#options.log.error(error, 'The end of a job could not be recorded');
    } finally {
      this.#held.delete(held);
    }
  }

  async #process(held: HeldJob, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const { queue, heartbeatMs } = this.#options;
    const { job } = held;
    const heartbeat = setInterval(() => void this.#renew(held), heartbeatMs);
    const endTimer = this.durations.startTimer({ kind: KIND });
    const measure = (result: string) => {
      const seconds = endTimer({ result });
      this.#options.onAttempt?.(job, seconds * 1000);
    };
    try {
      const failure = await this.#run(held, work);
      if (!failure) {
        measure('completed');
        await this.#record(held, signal, () => queue.complete(job));
      } else if (signal.reason instanceof ConsumerStopped) {
        await queue.release(job);
      } else if (!(signal.reason instanceof JobGone)) {
        measure(failure.error instanceof TransientFailure ? 'put_off' : 'failed');
        await this.#recordFailure(held, signal, failure.error);
      }
    } finally {
      clearInterval(heartbeat);
    }
  }

  async #run({ job }: HeldJob, work: () => Promise<void>): Promise<{ error: unknown } | undefined> {
    const { id, path, transformation } = job;
    try {
      await traced('job', { id, kind: KIND, path, transformation }, work);
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  async #recordFailure(held: HeldJob, signal: AbortSignal, error: unknown): Promise<void> {
    const { queue, log } = this.#options;
    const { id, path, transformation } = held.job;
    const reason = reasonOf(error);
    const failed = await this.#record(held, signal, () =>
      error instanceof TransientFailure
        ? queue.defer(held.job, reason)
        : queue.fail(held.job, reason, error instanceof FinalFailure),
    );
    log.warn({ job: id, path, transformation, err: error, next: failed?.status }, 'Job failed');
  }

  /**
   * Extends the lease. The job continues while the database does not respond, but no longer than the lease, because
   * another worker may claim it then.
   */
  async #renew(held: HeldJob, progress?: number): Promise<void> {
    const { queue } = this.#options;
    const { job, gone } = held;
    if (gone.signal.aborted) return;
    const renewedAt = performance.now();
    try {
      const isHeld = await queue.renew(job, progress);
      this.#renewals.succeeded();
      if (isHeld) held.leaseEndsAt = renewedAt + queue.leaseMs;
      else gone.abort(new JobGone('The job was deleted, or another worker took it over.'));
    } catch (error) {
      this.#renewals.failed(error);
      if (performance.now() >= held.leaseEndsAt)
        gone.abort(new JobGone('The database did not answer until another worker may have taken the job over.'));
    }
  }

  /**
   * Writes the result of a job, retrying until its lease ends, so that a short outage of the database loses no work.
   * @throws the error of the last attempt
   */
  async #record<T>(held: HeldJob, signal: AbortSignal, write: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await write();
      } catch (error) {
        const pauseMs = backoff(failures, WRITE_RETRY);
        if (signal.aborted || performance.now() + pauseMs >= held.leaseEndsAt) throw error;
        await pause(pauseMs, undefined, { signal }).catch(() => Promise.reject(error));
      }
    }
  }
}

/** Forwards rising values, at most one per interval. */
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

/** Returns the message of an error, unless it is of the file system: such a message contains a path of the disk. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall } = error as NodeJS.ErrnoException;
  // When a program does not start, the path follows the name of the call.
  const [call] = syscall?.split(' ') ?? [];
  return code && call ? `The server failed to ${call} a file (${code}).` : error.message;
}
