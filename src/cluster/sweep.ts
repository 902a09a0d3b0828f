import type { Log } from '../log.ts';
import type { Cluster } from './cluster.ts';

export interface SweepOptions {
  /** Name for the nodes, one of which works at a time. */
  name: string;
  /** Message about a task that fails. */
  fails: string;
  /** Tasks of a round, one after the other; a failed one does not stop the next. They stop soon after an abort. */
  tasks: readonly ((now: number, signal: AbortSignal) => Promise<unknown>)[];
  cluster: Pick<Cluster, 'once'>;
  log: Log;
}

const HOUR_MS = 60 * 60 * 1000;

/** Removes what has expired, every hour and on one node at a time. */
export class Sweep {
  readonly #options: SweepOptions;
  #timer: NodeJS.Timeout | undefined;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.run(), HOUR_MS);
    void this.run();
  }

  /** Runs one round after those in progress. Never fails: the next one retries. */
  run(now = Date.now()): Promise<void> {
    this.#running = this.#running.then(() => this.#run(now));
    return this.#running;
  }

  /** Aborts the current round between two removals, and waits for its end. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#timer);
    await this.#running;
  }

  async #run(now: number): Promise<void> {
    const { name, fails, tasks, cluster, log } = this.#options;
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    const warn = (err: unknown) => log.warn({ err }, fails);
    const work = async () => {
      for (const task of tasks) await task(now, signal).catch(warn);
    };
    await cluster.once.run(name, async () => undefined, work).catch(warn);
  }
}
