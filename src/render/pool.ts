import { fileURLToPath } from 'node:url';
import workerpool from 'workerpool';
import { Slots } from '../concurrency.ts';
import { unavailable } from '../errors.ts';
import type { RenderRequest, RenderResult } from '../image/pipeline.ts';

export interface RenderPoolOptions {
  workers: number;
  maxQueued: number;
  maxWaitMs: number;
  /** How long one render may take, in milliseconds. */
  timeoutMs: number;
  /** How much memory one worker may hold. */
  memoryBytes: number;
}

export interface RenderPool {
  /**
   * Renders in a worker process. An abort ends the render, and its worker if it has to.
   * @throws HttpProblem 503 when the queue is full, or the render crashed or took too long; the signal's reason
   */
  render(request: RenderRequest, signal?: AbortSignal): Promise<RenderResult>;
  stats(): { workers: number; rendering: number; queued: number; rendered: number };
  close(): Promise<void>;
}

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url));

/** Ending a worker costs more than letting a short render finish: this long an abandoned one may still run. */
const ABANDONED_GRACE_MS = 200;

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
    forkArgs: [String(options.memoryBytes)],
    // Workers get no secrets. glibc keeps an arena for each thread: two are enough and give memory back.
    forkOpts: { env: { MALLOC_ARENA_MAX: '2' } },
  });
  let rendered = 0;

  async function renderInSlot(request: RenderRequest, signal: AbortSignal | undefined): Promise<RenderResult> {
    for (let start = 1; ; start++) {
      const attempt = new Attempt(options.timeoutMs, signal);
      try {
        const result: RenderResult = await pool.exec('render', [request], { on: attempt.begin });
        rendered++;
        return result;
      } catch (cause) {
        signal?.throwIfAborted();
        if (attempt.hasBegun || start === MAX_STARTS) throw renderFailure(attempt, options, cause);
      } finally {
        attempt.end();
      }
    }
  }

  return {
    render: (request, signal) => slots.use(signal, () => renderInSlot(request, signal)),
    stats: () => ({ workers: options.workers, rendering: slots.used, queued: slots.queued, rendered }),
    close: async () => {
      await pool.terminate(true);
    },
  };
}

/** One try at a render: knows the process that runs it, and ends that process on a time-out or an abort. */
class Attempt {
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  #pid: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  timedOut = false;

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#signal = signal;
  }

  get hasBegun(): boolean {
    return this.#pid !== undefined;
  }

  readonly begin = ({ pid }: { pid: number }): void => {
    this.#pid = pid;
    this.#timer = setTimeout(() => {
      this.timedOut = true;
      this.#kill();
    }, this.#timeoutMs);
    if (this.#signal?.aborted) this.#abandon();
    else this.#signal?.addEventListener('abort', this.#abandon, { once: true });
  };

  end(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#abandon);
    this.#pid = undefined;
  }

  readonly #abandon = (): void => {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#kill(), ABANDONED_GRACE_MS);
  };

  #kill(): void {
    if (this.#pid === undefined) return;
    try {
      process.kill(this.#pid, 'SIGKILL');
    } catch {
      // It ended by itself in the meantime.
    }
  }
}

function renderFailure(attempt: Attempt, options: RenderPoolOptions, cause: unknown) {
  if (attempt.timedOut) {
    return unavailable(`Rendering took longer than ${options.timeoutMs} ms (RENDER_TIMEOUT_MS).`, 30, cause);
  }
  const megabytes = options.memoryBytes / 1024 / 1024;
  return unavailable(
    `The render worker ended in the middle of its work: it crashed, or needed more than ${megabytes} MB (RENDER_MEMORY_MB).`,
    5,
    cause,
  );
}
