import { boundedCache } from '../bounded-cache.ts';
import type { Bus } from './cluster.ts';

/** Retention of an announcement, in ms. Longer than any search for a result that precedes the work. */
const RETENTION_MS = 60_000;
const MAX_KEYS = 10_000;

/**
 * Time after a resync in which announcements count as missed, in ms. A search takes milliseconds; a slower one costs at
 * worst one render too many. Each further search is a request to the bucket, so this must stay short.
 */
const RESYNC_MS = 5000;

/** Announcements of finished work, by this node and by others. */
export class FinishedWork {
  /** Increasing numbers, so that a later announcement of a key differs from an earlier one. */
  readonly #announced = boundedCache<string, number>(MAX_KEYS, RETENTION_MS);
  readonly #waiting = new Map<string, Set<() => void>>();
  #count = 0;
  #incompleteUntil = 0;

  constructor(bus: Bus) {
    bus.subscribe((message) => {
      if (message.kind === 'rendered') this.announce(message.key);
    });
    bus.onResync(() => {
      this.#incompleteUntil = performance.now() + RESYNC_MS;
    });
  }

  /** True if recent announcements may have been missed. */
  get isIncomplete(): boolean {
    return performance.now() < this.#incompleteUntil;
  }

  /** Number of the latest announcement of a key; undefined without one. */
  latest(key: string): number | undefined {
    return this.#announced.get(key);
  }

  announce(key: string): void {
    this.#announced.set(key, ++this.#count);
    this.wake(key);
  }

  /** Ends all waits for a key. */
  wake(key: string): void {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    for (const wake of waiting ?? []) wake();
  }

  /**
   * Waits for the next announcement of a key, or the next call of `wake`. The caller has to call `cancel` in the end.
   */
  next(key: string): { promise: Promise<void>; cancel: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting.add(resolve));
    const cancel = () => {
      waiting.delete(resolve);
      if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
    };
    return { promise, cancel };
  }
}
