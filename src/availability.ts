import { setTimeout as pause } from 'node:timers/promises';
import { HttpProblem } from './errors.ts';
import type { Log } from './log.ts';

/** Called with each new failure, and with undefined once everything has recovered. */
type Listener = (failure: unknown) => void;

/** Least time between the starts of two probes, in ms. */
const INTERVAL_MS = 500;

/** A probe without a result delays requests and the next probe for this long, in ms. Later its result still counts. */
const TIMEOUT_MS = 1000;

/**
 * Circuit breaker with recovery probes. Closed: requests pass; one that fails or is slow only triggers a probe, because
 * its object may be to blame. A probe that fails opens the circuit, unless a request was answered since it began. Open:
 * requests fail without a timeout of their own, and a probe runs every 500 ms. Half-open: requests that wait for a
 * probe pass if it succeeds, which closes the circuit.
 */
export class Availability {
  readonly #probe: () => Promise<void>;
  readonly #intervalMs: number;
  readonly #listeners: Listener[] = [];
  /** Abort requests that wait for a response. */
  readonly #watched = new Set<() => void>();
  /** Wait for the dependency, in their order. */
  readonly #steps: (() => Promise<void>)[] = [];
  #isRunningSteps = false;
  #isStopped = false;
  /** Undefined while the circuit is closed. */
  #failure: unknown;
  /** Message of the last failure that listeners know. */
  #reported: string | undefined;
  #lastProbe = Promise.resolve();
  #nextProbe: Promise<void> | undefined;
  #probedAt = Number.NEGATIVE_INFINITY;
  #answeredAt = Number.NEGATIVE_INFINITY;

  /** @param probe requests something small; throws when the dependency does not respond or cannot be used */
  constructor(probe: () => Promise<void>, intervalMs = INTERVAL_MS) {
    this.#probe = probe;
    this.#intervalMs = intervalMs;
  }

  get isAvailable(): boolean {
    return this.#failure === undefined;
  }

  onChange(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /**
   * Resolves immediately while the circuit is closed, otherwise if the next probe closes it. So the first request after
   * an outage is served.
   * @throws the latest failure if that probe fails or hangs
   */
  async admit(): Promise<void> {
    if (this.isAvailable) return;
    await this.suspect();
    if (!this.isAvailable) throw this.#failure;
  }

  /** Sends a probe as soon as the interval allows. Resolves with its result, or when that takes long. */
  suspect(): Promise<void> {
    this.#nextProbe ??= this.#sendNextProbe();
    return this.#nextProbe;
  }

  /** Notes a response of any content. */
  answered(): void {
    this.#answeredAt = performance.now();
  }

  /**
   * Watches a request that waits for its response.
   * @param slowMs time after which it triggers a probe
   * @param abort called when the circuit opens
   * @returns a function that ends the watch
   */
  watch(slowMs: number, abort: () => void): () => void {
    const timer = setTimeout(() => void this.suspect(), slowMs);
    this.#watched.add(abort);
    return () => {
      clearTimeout(timer);
      this.#watched.delete(abort);
    };
  }

  /**
   * Notes a failure that concerns all requests, as that of a probe does. Opens the circuit unless one was answered.
   * @param since time of `performance.now()` after which an answer counts
   */
  failed(failure: unknown, since: number): void {
    if (this.#answeredAt < since) this.open(failure);
  }

  /** Opens the circuit. */
  open(failure: unknown): void {
    this.#failure = failure;
    for (const abort of [...this.#watched]) abort();
    this.#report(failure);
    void this.suspect();
  }

  /**
   * Runs a step now, or as soon as the dependency is available, after the steps that wait already. A step that fails
   * with a 503 is started again.
   */
  async whenAvailable(step: () => Promise<void>): Promise<void> {
    if (this.isAvailable && this.#steps.length === 0) {
      try {
        await step();
        return;
      } catch (error) {
        if (!(error instanceof HttpProblem && error.status === 503)) throw error;
        this.#report(error);
      }
    }
    this.#steps.push(step);
    void this.suspect();
  }

  /** Stops probes, steps and notifications. */
  close(): void {
    this.#isStopped = true;
  }

  async #sendNextProbe(): Promise<void> {
    await Promise.race([this.#lastProbe, wait(TIMEOUT_MS)]);
    await wait(this.#probedAt + this.#intervalMs - performance.now());
    this.#nextProbe = undefined;
    if (this.#isStopped) return;
    this.#lastProbe = this.#sendProbe();
    await Promise.race([this.#lastProbe, wait(TIMEOUT_MS)]);
    if (!this.isAvailable) void this.suspect();
  }

  async #sendProbe(): Promise<void> {
    const begunAt = performance.now();
    this.#probedAt = begunAt;
    try {
      await this.#probe();
      this.answered();
    } catch (error) {
      this.failed(error, begunAt);
    }
    if (this.#answeredAt < begunAt) return;
    this.#failure = undefined;
    void this.#runSteps();
  }

  async #runSteps(): Promise<void> {
    if (this.#isRunningSteps) return;
    this.#isRunningSteps = true;
    try {
      for (let step = this.#steps[0]; step && !this.#isStopped; step = this.#steps[0]) {
        await step();
        this.#steps.shift();
      }
      if (this.isAvailable) this.#report(undefined);
    } catch (error) {
      this.#report(error);
      void this.suspect();
    } finally {
      this.#isRunningSteps = false;
    }
  }

  /** Reports each failure once, however often it is found. */
  #report(failure: unknown): void {
    const message = failure instanceof Error || failure === undefined ? failure?.message : String(failure);
    if (this.#isStopped || message === this.#reported) return;
    this.#reported = message;
    for (const listener of this.#listeners) listener(failure);
  }
}

/** Logs one line at the start of an outage of the storage and one at its end, however often its failure changes. */
export function logOutages(availability: Pick<Availability, 'onChange'>, log: Log): void {
  let isOutage = false;
  availability.onChange((err) => {
    if (err === undefined) {
      log.info('the storage answers again');
    } else if (!isOutage) {
      log.warn({ err }, 'the storage does not answer: cached files are served by their last known versions');
    }
    isOutage = err !== undefined;
  });
}

async function wait(ms: number): Promise<void> {
  if (ms > 0) await pause(ms, undefined, { ref: false });
}
