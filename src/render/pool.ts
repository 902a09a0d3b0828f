import { fileURLToPath } from 'node:url';
import workerpool from 'workerpool';
import { Slots } from '../concurrency.ts';
import { unavailable } from '../errors.ts';
import { Attempt } from './attempt.ts';
import type { TaskName, TaskRequest, TaskResult } from './tasks.ts';

export interface RenderPoolOptions {
  workers: number;
  maxQueued: number;
  maxWaitMs: number;
  /** How long one render may take, in milliseconds. */
  timeoutMs: number;
  /** How much memory one worker may hold. */
  memoryBytes: number;
  /** After so many a worker is replaced, for native memory fragments over time. A start costs as much as 20 renders. */
  rendersPerWorker?: number;
}

export interface RenderPool {
  /**
   * Runs a task in a worker process. An abort ends it, and its worker if it has to.
   * @throws HttpProblem 503 when the queue is full, or the render crashed or took too long; the signal's reason
   */
  run<Name extends TaskName>(task: Name, request: TaskRequest<Name>, signal?: AbortSignal): Promise<TaskResult<Name>>;
  stats(): { workers: number; rendering: number; queued: number; rendered: number };
  close(): Promise<void>;
}

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url));

/** Workers get no secrets. glibc keeps an arena for each thread: two are enough and give memory back. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };
/** A worker's own heap is small: collecting it takes less than waking other threads to help. */
const NODE_OPTIONS = ['--single-threaded-gc', '--max-semi-space-size=2'];

const RENDERS_PER_WORKER = 2000;

/** A worker can die between two renders (killed, out of memory); the render that then meets it has not begun. */
const MAX_STARTS = 3;

export function createRenderPool(options: RenderPoolOptions): RenderPool {
  const slots = new Slots({
    size: options.workers,
    maxQueued: options.maxQueued,
    maxWaitMs: options.maxWaitMs,
    purpose: 'rendering',
  });
  const pool = workerpool.pool(WORKER, {
    workerType: 'process',
    minWorkers: 'max',
    maxWorkers: options.workers,
    forkArgs: [options.memoryBytes, options.rendersPerWorker ?? RENDERS_PER_WORKER].map(String),
    forkOpts: { env: ENVIRONMENT, execArgv: [...NODE_OPTIONS] },
  });
  let rendered = 0;

  async function runInSlot<Name extends TaskName>(
    task: Name,
    request: TaskRequest<Name>,
    signal: AbortSignal | undefined,
  ): Promise<TaskResult<Name>> {
    for (let start = 1; ; start++) {
      const attempt = new Attempt(options.timeoutMs, signal);
      try {
        const result: TaskResult<Name> = await pool.exec(task, [request], { on: attempt.begin });
        if (task === 'render') rendered++;
        return result;
      } catch (cause) {
        signal?.throwIfAborted();
        const isLost = cause instanceof workerpool.TerminateError && !attempt.hasBegun;
        if (!isLost || start === MAX_STARTS) throw renderFailure(attempt, options, cause);
      } finally {
        attempt.end();
      }
    }
  }

  return {
    run: (task, request, signal) => slots.use(signal, () => runInSlot(task, request, signal)),
    stats: () => ({ workers: options.workers, rendering: slots.used, queued: slots.queued, rendered }),
    close: async () => {
      await pool.terminate(true);
    },
  };
}

function renderFailure(attempt: Attempt, options: RenderPoolOptions, cause: unknown) {
  if (attempt.timedOut) {
    return unavailable(`Rendering took longer than ${options.timeoutMs} ms (RENDER_TIMEOUT_MS).`, 30, cause);
  }
  // A worker that lives and says no: a full disk, a file that is gone. The cause goes into the log.
  if (!(cause instanceof workerpool.TerminateError)) return unavailable('The picture could not be rendered.', 5, cause);
  const megabytes = options.memoryBytes / 1024 / 1024;
  return unavailable(
    `The render worker ended in the middle of its work: it crashed, or needed more than ${megabytes} MB (RENDER_MEMORY_MB).`,
    5,
    cause,
  );
}
