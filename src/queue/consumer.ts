import type { FailureLog } from '../log.ts';
import { type BackoffOptions, backoff } from './backoff.ts';
import { WakeSignal } from './wake-signal.ts';

/** An item that could not be handled; its reason is already recorded. */
export interface Failure {
  /** Minimum pause before the next item, in ms. */
  retryAfterMs?: number | undefined;
}

export interface ConsumerOptions<Item> {
  /** Claims at most `count` items. */
  claim(count: number): Promise<readonly Item[]>;
  /**
   * Returns the time until the next item can be claimed, in ms; undefined if none waits. Without it, only polls and
   * wakes find later items.
   */
  nextDueIn?(): Promise<number | undefined>;
  /** Handles an item and records the result. The signal aborts when the consumer has to stop. */
  handle(item: Item, signal: AbortSignal): Promise<Failure | undefined>;
  /** Number of items handled concurrently. */
  concurrency: number;
  /** Interval of polls for items of other nodes, in ms. */
  pollMs: number;
  /**
   * Pause after failures in a row; until the next success, items are handled one at a time. Without it, failures change
   * nothing.
   */
  pause?: BackoffOptions;
  /** Logs an outage of the queue. */
  outages: FailureLog;
}

/** Reason of the signal of items that are in progress when the consumer stops. */
export class ConsumerStopped extends Error {
  override name = 'ConsumerStopped';
}

/** Due times use the database clock; the minimum avoids a busy loop. */
const MIN_WAIT_MS = 5;

/**
 * Claims items of a queue and handles several concurrently. Several nodes may consume one queue. While the queue cannot
 * be read, the consumer waits and the service continues.
 */
export class Consumer<Item> {
  readonly #options: ConsumerOptions<Item>;
  readonly #signal = new WakeSignal();
  readonly #abort = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #loop: Promise<void> | undefined;
  #isStopping = false;
  /** Time of the next check for items, by `performance.now()`. */
  #wakesAt = Number.POSITIVE_INFINITY;
  #pausedUntil = 0;
  #failures = 0;

  constructor(options: ConsumerOptions<Item>) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#loop !== undefined && !this.#isStopping;
  }

  /** Number of items in progress. */
  get running(): number {
    return this.#running.size;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Checks for items now. */
  wake(): void {
    this.#signal.wake();
  }

  /** Announces an item that is due in `delayMs`. Needs `nextDueIn`. */
  wakeIn(delayMs: number): void {
    if (this.#wakesAt > performance.now() + delayMs) this.#signal.wake();
  }

  /** Claims no more items. Those in progress may end until the deadline, then their signal aborts. */
  async stop(deadline: AbortSignal): Promise<void> {
    this.#isStopping = true;
    this.#signal.wake();
    const abort = () => this.#abort.abort(new ConsumerStopped('The service stops.'));
    if (deadline.aborted) abort();
    else deadline.addEventListener('abort', abort, { once: true });
    await this.#loop;
    await Promise.all(this.#running);
    deadline.removeEventListener('abort', abort);
  }

  async #run(): Promise<void> {
    const { pollMs } = this.#options;
    while (!this.#isStopping) {
      // Armed before the claim, so that an item that is added meanwhile is not missed.
      this.#signal.arm();
      this.#wakesAt = Number.POSITIVE_INFINITY;
      const waitMs = Math.min(pollMs, await this.#startDue());
      this.#wakesAt = performance.now() + waitMs;
      if (!this.#isStopping) await this.#signal.wait(waitMs);
    }
  }

  /** Starts due items. Returns the time until the next check, in ms. */
  async #startDue(): Promise<number> {
    const { claim, nextDueIn, concurrency, pollMs, outages } = this.#options;
    const pauseMs = this.#pausedUntil - performance.now();
    if (pauseMs > 0) return pauseMs;
    const free = (this.#failures === 0 ? concurrency : 1) - this.#running.size;
    // The end of an item wakes the loop.
    if (free <= 0) return pollMs;
    const items = await outages.attempt(() => claim(free));
    for (const item of items ?? []) this.#start(item);
    if (!items || items.length >= free || !nextDueIn) return pollMs;
    const dueIn = await outages.attempt(nextDueIn);
    return Math.max(MIN_WAIT_MS, dueIn ?? pollMs);
  }

  #start(item: Item): void {
    const done = this.#handle(item).finally(() => {
      this.#running.delete(done);
      this.#signal.wake();
    });
    this.#running.add(done);
  }

  async #handle(item: Item): Promise<void> {
    const { handle, pause, outages } = this.#options;
    let failure: Failure | undefined;
    try {
      failure = await handle(item, this.#abort.signal);
    } catch (error) {
      outages.failed(error);
      failure = {};
    }
    if (!pause) return;
    if (!failure) {
      this.#failures = 0;
      return;
    }
    this.#failures++;
    const pauseMs = Math.max(failure.retryAfterMs ?? 0, backoff(this.#failures, pause));
    this.#pausedUntil = performance.now() + pauseMs;
  }
}
