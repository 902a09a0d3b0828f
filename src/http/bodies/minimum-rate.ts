import { HttpProblem, payloadTooLarge } from '../../errors.ts';

export interface RateLimits {
  /** Longest pause of a client, in ms. */
  idleMs: number;
  /** Time that a body may take in addition to the time for its size, in ms. */
  graceMs: number;
  /** Minimum average rate of a body. */
  minBytesPerSecond: number;
  /** A larger body gets as much time as one of this size. */
  maxRequestBytes: number;
}

/**
 * Time that a body can gain by arriving fast, in multiples of the grace: the bytes of the first second must not pay for
 * hours.
 */
const MAX_CREDIT_GRACES = 10;

/** Watches the arrival of a body. It may not pause or be slow for long, and its total time depends on its size. */
export class MinimumRate {
  /** Rejects with HttpProblem 408 when the body is too slow. */
  readonly tooSlow: Promise<never>;
  readonly #limits: RateLimits;
  readonly #startedAt = performance.now();
  readonly #idle: NodeJS.Timeout;
  readonly #reject: (problem: HttpProblem) => void;
  #total: NodeJS.Timeout;
  #received = 0;
  /** Milliseconds without data that are allowed, counted from `#creditedAt`. */
  #credit: number;
  #creditedAt = performance.now();

  constructor(limits: RateLimits) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.tooSlow = promise;
    this.#reject = reject;
    this.#limits = limits;
    this.#credit = limits.graceMs;
    this.#idle = setTimeout(() => {
      reject(new HttpProblem('request_timeout', `Nothing was received for ${limits.idleMs} ms.`));
    }, limits.idleMs);
    this.#total = setTimeout(() => this.#check(), limits.graceMs);
  }

  /** Bytes so far. */
  get received(): number {
    return this.#received;
  }

  receive(bytes: number): void {
    this.#received += bytes;
    this.#idle.refresh();
    const { graceMs, minBytesPerSecond } = this.#limits;
    const gained = this.#creditLeft() + (bytes / minBytesPerSecond) * 1000;
    this.#credit = Math.min(gained, MAX_CREDIT_GRACES * graceMs);
    this.#creditedAt = performance.now();
  }

  stop(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#total);
  }

  #creditLeft(): number {
    return this.#credit - (performance.now() - this.#creditedAt);
  }

  #check(): void {
    const { graceMs, minBytesPerSecond, maxRequestBytes } = this.#limits;
    const counted = Math.min(this.#received, maxRequestBytes);
    const ofSize = graceMs + (counted / minBytesPerSecond) * 1000 - (performance.now() - this.#startedAt);
    const left = Math.min(ofSize, this.#creditLeft());
    if (left > 0) this.#total = setTimeout(() => this.#check(), Math.ceil(left));
    else {
      const rate = `${minBytesPerSecond / 1024} KB a second (UPLOAD_MIN_RATE_KB)`;
      const message = `Expected at least ${rate} after the first ${graceMs} ms.`;
      this.#reject(new HttpProblem('request_timeout', message));
    }
  }
}

export function requestTooLarge(maxBytes: number): HttpProblem {
  return payloadTooLarge(`Expected a request of at most ${maxBytes / 1024 / 1024} MB (MAX_REQUEST_SIZE_MB).`);
}
