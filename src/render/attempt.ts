/** Ending a worker costs more than letting a short render finish: this long an abandoned one may still run. */
const ABANDONED_GRACE_MS = 200;

/** One try at a render: knows the process that runs it, and ends that process on a time-out or an abort. */
export class Attempt {
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
