import type { Order, Reply } from './tasks.ts';
import type { WorkerProcess } from './worker-process.ts';

/** Ending a worker costs more than letting a short render finish: this long an abandoned one may still run. */
const ABANDONED_GRACE_MS = 200;

/** How long a new worker may take to start, which is no part of a render. */
const START_MS = 30_000;

/** A worker that has started begins at once. One that has not within this time hangs. */
const BEGIN_MS = 15_000;

/** One try at a task. Ends the worker when it takes too long, from the moment that it is handed over, or when nobody wants it. */
export class Attempt {
  readonly #worker: WorkerProcess;
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #wasReady: boolean;
  #startedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  hasBegun = false;
  timedOut = false;

  constructor(worker: WorkerProcess, timeoutMs: number, signal: AbortSignal | undefined) {
    this.#worker = worker;
    this.#wasReady = worker.isReady;
    this.#timeoutMs = timeoutMs;
    this.#signal = signal;
  }

  /** Since the task was handed over, or since its worker has started. */
  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** @throws WorkerLost when the worker ends before its answer, by itself or by this */
  async run(order: Order): Promise<Reply> {
    this.#endAfter(this.#wasReady ? Math.min(BEGIN_MS, this.#timeoutMs) : START_MS);
    this.#signal?.addEventListener('abort', this.#abandon, { once: true });
    try {
      return await this.#worker.perform(order, this.#begin);
    } finally {
      clearTimeout(this.#timer);
      this.#signal?.removeEventListener('abort', this.#abandon);
    }
  }

  readonly #begin = (): void => {
    this.hasBegun = true;
    if (!this.#wasReady) this.#startedAt = performance.now();
    if (!this.#signal?.aborted) this.#endAfter(this.#timeoutMs - this.elapsedMs);
  };

  #endAfter(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.timedOut = true;
      this.#worker.kill();
    }, milliseconds);
  }

  readonly #abandon = (): void => {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#worker.kill(), ABANDONED_GRACE_MS);
  };
}
