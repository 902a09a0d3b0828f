import type { Log } from '../log.ts';
import type { ClaimedJob } from './job.ts';
import type { Queue } from './queue.ts';

export interface JobContext {
  /** Aborts when the job is deleted, lost to another worker, or the worker stops. */
  signal: AbortSignal;
  /** Percent; what falls back is ignored. */
  onProgress(percent: number): void;
}

export interface WorkerOptions {
  queue: Queue;
  /** Does the work; whatever it throws is the reason of the failure. It has to end soon after its signal aborts. */
  run(job: ClaimedJob, context: JobContext): Promise<void>;
  maxConcurrent: number;
  log: Log;
  /** How often the queue is asked for jobs of other processes, in milliseconds. */
  pollIntervalMs?: number;
  /** How often a running job is said to be alive; well below the lease. */
  heartbeatMs?: number;
  /** The least time between two reports of progress. */
  progressIntervalMs?: number;
}

export interface WorkerStats {
  isRunning: boolean;
  maxConcurrent: number;
  processingCount: number;
  /** Milliseconds. */
  pollInterval: number;
}

export interface Worker {
  start(): void;
  /** Puts the running jobs back into the queue; done when every encoder has ended. */
  stop(): Promise<void>;
  stats(): WorkerStats;
}

const TIDY_INTERVAL_MS = 60_000;

/** The reasons for which a running job is given up. */
class JobGone extends Error {
  override name = 'JobGone';
}
class WorkerStops extends Error {
  override name = 'WorkerStops';
}

interface RunningJob {
  job: ClaimedJob;
  abort: AbortController;
  done: Promise<void>;
}

/** Claims jobs and runs them, several at a time. A job of this process begins at once, without waiting for a poll. */
export function createWorker(options: WorkerOptions): Worker {
  const { queue, run, maxConcurrent, log } = options;
  const { pollIntervalMs = 5000, heartbeatMs = 5000, progressIntervalMs = 250 } = options;
  const running = new Set<RunningJob>();
  const alarm = createAlarm();
  let loop: Promise<void> | undefined;
  let isStopping = false;

  function start() {
    if (loop) return;
    isStopping = false;
    loop = work();
  }

  async function stop() {
    isStopping = true;
    alarm.ring();
    await loop;
    loop = undefined;
    for (const { abort } of running) abort.abort(new WorkerStops('The worker stops.'));
    await Promise.all([...running].map(({ done }) => done));
  }

  async function work() {
    const unwatch = queue.watch({ pending: (inMs) => alarm.ringIn(inMs), removed: giveUp });
    const tidying = setInterval(() => void tidy(), TIDY_INTERVAL_MS);
    await tidy();
    while (!isStopping) {
      alarm.arm();
      const job = running.size < maxConcurrent ? await claim() : undefined;
      if (job) begin(job);
      else if (!isStopping) await alarm.wait(pollIntervalMs);
    }
    clearInterval(tidying);
    unwatch();
    alarm.silence();
  }

  async function tidy() {
    await queue.tidy().catch((error: unknown) => log.error(error, 'The queue could not be tidied'));
  }

  async function claim() {
    return queue.claim().catch((error: unknown) => {
      log.error(error, 'No job could be claimed');
      return undefined;
    });
  }

  function giveUp(id: string) {
    for (const { job, abort } of running) if (job.id === id) abort.abort(new JobGone('The job was deleted.'));
  }

  function begin(job: ClaimedJob) {
    const abort = new AbortController();
    const entry: RunningJob = { job, abort, done: Promise.resolve() };
    running.add(entry);
    entry.done = process(job, abort)
      .catch((error: unknown) => log.error(error, 'The end of a job could not be written down'))
      .finally(() => {
        running.delete(entry);
        alarm.ring();
      });
  }

  async function process(job: ClaimedJob, abort: AbortController) {
    const renew = (progress?: number) => void keep(job, abort, progress);
    const heartbeat = setInterval(renew, heartbeatMs);
    try {
      await run(job, { signal: abort.signal, onProgress: throttle(renew, progressIntervalMs) });
      await queue.complete(job);
    } catch (error) {
      if (abort.signal.reason instanceof WorkerStops) await queue.release(job);
      else if (!(abort.signal.reason instanceof JobGone)) await reportFailure(job, error);
    } finally {
      clearInterval(heartbeat);
    }
  }

  async function reportFailure(job: ClaimedJob, error: unknown) {
    const failed = await queue.fail(job, reasonOf(error));
    log.warn(
      { job: job.id, path: job.path, transformation: job.transformation, err: error, next: failed?.status },
      'Job failed',
    );
  }

  /** A database that does not answer says nothing of the job: the lease decides in the end. */
  async function keep(job: ClaimedJob, abort: AbortController, progress: number | undefined) {
    try {
      const isHeld = abort.signal.aborted || (await queue.renew(job, progress));
      if (!isHeld) abort.abort(new JobGone('The job was deleted, or another worker took it over.'));
    } catch (error) {
      log.error(error, 'A job could not be kept');
    }
  }

  return {
    start,
    stop,
    stats: () => ({
      isRunning: loop !== undefined && !isStopping,
      maxConcurrent,
      processingCount: running.size,
      pollInterval: pollIntervalMs,
    }),
  };
}

/** Passes on what rises, at most once per interval. */
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

/** The message, unless it comes from the file system: those name paths of the disk. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code && syscall ? `The server failed to ${syscall} a file (${code}).` : error.message;
}

/** Wakes the one who waits; a ring between `arm` and `wait` is not lost. */
function createAlarm() {
  let wake: (() => void) | undefined;
  let hasRung = false;
  const timers = new Set<NodeJS.Timeout>();
  const ring = () => {
    hasRung = true;
    wake?.();
  };
  return {
    ring,
    ringIn(delayMs: number) {
      if (delayMs === 0) return ring();
      const timer = setTimeout(() => {
        timers.delete(timer);
        ring();
      }, delayMs);
      timers.add(timer);
    },
    arm() {
      hasRung = false;
    },
    async wait(atMostMs: number) {
      if (hasRung) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, atMostMs);
      wake = resolve;
      await promise;
      wake = undefined;
      clearTimeout(timer);
    },
    silence() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
