import type { Deadline } from '../image/deadline.ts';
import type { Order, Reply } from './tasks.ts';
import type { WorkerProcess } from './worker-process.ts';

/** Time for an abandoned render to finish. Ending a worker costs more than a short render. */
const ABANDONED_GRACE_MS = 200;

/** Time limit for the start of a worker. It does not count as part of a render. */
const START_MS = 30_000;

/** Time limit for a started worker to begin a task. It hangs if it takes longer. */
const BEGIN_MS = 15_000;

/** One attempt at a task. Ends the worker when the task exceeds its time or was abandoned. */
export class Attempt {
  readonly #worker: WorkerProcess;
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #wasReady: boolean;
  #startedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  /** Set while the worker does work that may not end. */
  #deadline: Deadline | null = null;
  hasBegun = false;
  timedOut = false;

  constructor(worker: WorkerProcess, timeoutMs: number, signal: AbortSignal | undefined) {
    this.#worker = worker;
    this.#wasReady = worker.isReady;
    this.#timeoutMs = timeoutMs;
    this.#signal = signal;
  }

  /** Time since the task was sent, or since its worker started. */
  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** @throws WorkerLost when the worker ends, or is ended, before its answer */
  async run(order: Order): Promise<Reply> {
    this.#endAfter(this.#wasReady ? Math.min(BEGIN_MS, this.#timeoutMs) : START_MS);
    this.#signal?.addEventListener('abort', this.#abandon, { once: true });
    try {
      return await this.#worker.perform(order, { begin: this.#begin, expect: this.#expect });
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

  readonly #expect = (deadline: Deadline | null): void => {
    this.#deadline = deadline;
    if (this.#signal?.aborted) return;
    const left = this.#timeoutMs - this.elapsedMs;
    this.#endAfter(deadline ? Math.min(deadline.afterMs, left) : left);
  };

  /** Result of a task whose worker was ended at an expected deadline. */
  get lastResult(): unknown {
    return this.#deadline?.result;
  }

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
