import { HttpProblem } from '../../errors.ts';

export interface PaceLimits {
  /** How long a client may send nothing, in milliseconds. */
  idleMs: number;
  /** How long a body may take in addition to the time for its size, in milliseconds. */
  graceMs: number;
  /** The slowest average at which a body may arrive. */
  minBytesPerSecond: number;
  /** A larger body gets as much time as one of this size. */
  maxRequestBytes: number;
}

/** Watches how a body arrives: it may not pause for long, and its total time depends on its size. */
export class Pace {
  /** Rejects with HttpProblem 408 when the body is too slow. */
  readonly tooSlow: Promise<never>;
  readonly #limits: PaceLimits;
  readonly #begun = performance.now();
  readonly #idle: NodeJS.Timeout;
  readonly #reject: (problem: HttpProblem) => void;
  #total: NodeJS.Timeout;
  #received = 0;

  constructor(limits: PaceLimits) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.tooSlow = promise;
    this.#reject = reject;
    this.#limits = limits;
    this.#idle = setTimeout(() => {
      reject(new HttpProblem('request_timeout', `Nothing was received for ${limits.idleMs} ms.`));
    }, limits.idleMs);
    this.#total = setTimeout(() => this.#check(), limits.graceMs);
  }

  receive(bytes: number): void {
    this.#received += bytes;
    this.#idle.refresh();
  }

  stop(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#total);
  }

  #check(): void {
    const { graceMs, minBytesPerSecond, maxRequestBytes } = this.#limits;
    const counted = Math.min(this.#received, maxRequestBytes);
    const left = graceMs + (counted / minBytesPerSecond) * 1000 - (performance.now() - this.#begun);
    if (left > 0) this.#total = setTimeout(() => this.#check(), Math.ceil(left));
    else {
      const rate = `${minBytesPerSecond / 1024} KB a second (UPLOAD_MIN_RATE_KB)`;
      const message = `Expected at least ${rate} after the first ${graceMs} ms.`;
      this.#reject(new HttpProblem('request_timeout', message));
    }
  }
}
