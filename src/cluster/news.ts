import { boundedCache } from '../bounded-cache.ts';
import type { Bus } from './cluster.ts';

/** For how long it is remembered that work was done, in milliseconds: longer than a result is looked for before work begins. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/**
 * Who has looked before this node heard again may have missed something. A look takes milliseconds, and one that takes longer is at
 * worst followed by a render too many; each further look costs a request to the bucket, so this must not last.
 */
const LOOK_MS = 5000;

/** What this node has heard about work that is done, here and elsewhere. */
export class News {
  /** Numbers that rise, so that later news of a key differ from earlier ones. */
  readonly #heard = boundedCache<string, number>(MAX_REMEMBERED, REMEMBERED_MS);
  readonly #waiting = new Map<string, Set<() => void>>();
  #count = 0;
  #deafUntil = 0;

  constructor(bus: Bus) {
    bus.subscribe((message) => {
      if (message.kind === 'rendered') this.tell(message.key);
    });
    bus.onResync(() => {
      this.#deafUntil = performance.now() + LOOK_MS;
    });
  }

  /** Whether news of a short while ago may have been missed. */
  get isIncomplete(): boolean {
    return performance.now() < this.#deafUntil;
  }

  /** The last news of a key; undefined when there are none. */
  of(key: string): number | undefined {
    return this.#heard.get(key);
  }

  tell(key: string): void {
    this.#heard.set(key, ++this.#count);
    this.wake(key);
  }

  /** Ends all waits for a key. */
  wake(key: string): void {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    for (const wake of waiting ?? []) wake();
  }

  /** The next news of a key, or the next call of `wake`. */
  next(key: string): { promise: Promise<void>; forget: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting.add(resolve));
    const forget = () => {
      waiting.delete(resolve);
      if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
    };
    return { promise, forget };
  }
}
