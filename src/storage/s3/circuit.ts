import { setTimeout as pause } from 'node:timers/promises';
import { StorageUnavailable } from '../blob-store.ts';

export interface CircuitOptions {
  /** Asks for something small. @throws StorageUnavailable when the store does not answer */
  probe(signal: AbortSignal): Promise<void>;
  /** How long a request may wait for its answer before the store is suspected of being down, in milliseconds. */
  suspicionMs: number;
  /** How long a probe may wait for its answer before the store is taken to be down, in milliseconds. */
  probeMs: number;
}

/** How long a request waits for a probe to begin, and then for its answer. */
const PATIENCE_MS = 1000;
/** The least time between the beginnings of two probes. */
const PROBE_INTERVAL_MS = 250;
/** In how many parts a probe waits: when this process itself is held up, the answer is read in between. */
const PARTS = 4;

/**
 * Knows whether a store answers at all. Without it, every request to a store that is down would wait for a time-out of its own.
 *
 * A request that fails, or that waits for long, only raises a suspicion: the store may be slow, or at odds with one object. A probe
 * finds out. While the store is down, a request waits for a probe that begins after it, for two seconds at most, and then fails.
 * So the first request after its return is served, and nothing runs while nobody asks.
 */
export class Circuit {
  readonly #options: CircuitOptions;
  /** What ends those who wait for an answer. */
  readonly #waiting = new Set<() => void>();
  /** Why requests are refused; undefined while the store answers. */
  #failure: StorageUnavailable | undefined;
  #probe: Promise<void> = Promise.resolve();
  #nextProbe: Promise<void> | undefined;
  #probedAt = Number.NEGATIVE_INFINITY;
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(options: CircuitOptions) {
    this.#options = options;
  }

  /** Resolves when the store may be asked. @throws StorageUnavailable while it is down */
  async admit(): Promise<void> {
    if (!this.#failure) return;
    await this.suspect();
    if (this.#failure) throw new StorageUnavailable(this.#failure.message, { cause: this.#failure.cause });
  }

  /** Sends a probe, now or as soon as it is its turn. Resolves with its answer, or when that takes long. */
  suspect(): Promise<void> {
    this.#nextProbe ??= this.#probeInTurn();
    return this.#nextProbe;
  }

  /** Notes that the store has answered, whatever it said. */
  answered(): void {
    this.#answeredAt = performance.now();
    this.#failure = undefined;
  }

  /**
   * Watches over one who waits for an answer.
   * @param giveUp called when the store turns out to be down
   * @returns the function that ends the watch
   */
  watch(giveUp: () => void): () => void {
    const timer = setTimeout(() => void this.suspect(), this.#options.suspicionMs);
    this.#waiting.add(giveUp);
    return () => {
      clearTimeout(timer);
      this.#waiting.delete(giveUp);
    };
  }

  async #probeInTurn(): Promise<void> {
    await Promise.race([this.#probe, wait(PATIENCE_MS)]);
    await wait(this.#probedAt + PROBE_INTERVAL_MS - performance.now());
    this.#nextProbe = undefined;
    this.#probe = this.#ask();
    await Promise.race([this.#probe, wait(PATIENCE_MS)]);
  }

  async #ask(): Promise<void> {
    const { probe, probeMs } = this.#options;
    const begunAt = performance.now();
    this.#probedAt = begunAt;
    const late = new AbortController();
    let part = 0;
    const clock = setInterval(() => ++part === PARTS && late.abort(), probeMs / PARTS).unref();
    try {
      await probe(late.signal);
      this.answered();
    } catch (error) {
      // Another request may have been answered meanwhile.
      if (this.#answeredAt < begunAt) this.#open(error);
    } finally {
      clearInterval(clock);
    }
  }

  #open(error: unknown): void {
    this.#failure = error instanceof StorageUnavailable ? error : new StorageUnavailable(String(error));
    for (const giveUp of [...this.#waiting]) giveUp();
  }
}

async function wait(ms: number): Promise<void> {
  if (ms > 0) await pause(ms, undefined, { ref: false });
}
