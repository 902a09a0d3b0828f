import { setTimeout as pause } from 'node:timers/promises';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;

/** Runs background work serially and retries each item until it succeeds. Duplicates are queued once. */
export class Corrections {
  readonly #waiting = new Map<string, () => Promise<void>>();
  readonly #max: number;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;

  /** @param max limit of the queue; the next reconciliation covers the rest */
  constructor(max = 10_000) {
    this.#max = max;
  }

  add(name: string, work: () => Promise<void>): void {
    if (this.#closing.signal.aborted || this.#waiting.size >= this.#max) return;
    this.#waiting.set(name, work);
    this.#start();
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#waiting.clear();
    await this.#running;
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#waiting.size > 0 && !this.#closing.signal.aborted) this.#start();
    });
  }

  async #run(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      const [name, work] = next;
      this.#waiting.delete(name);
      try {
        await work();
        pauseMs = FIRST_PAUSE_MS;
      } catch {
        if (this.#closing.signal.aborted) return;
        if (!this.#waiting.has(name)) this.#waiting.set(name, work);
        await pause(pauseMs, undefined, { ref: false, signal: this.#closing.signal }).catch(() => undefined);
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
      }
    }
  }
}
