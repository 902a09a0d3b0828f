import type { CatalogService } from '../catalog/catalog-service.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Log } from '../log.ts';
import type { Trash } from './trash.ts';
import type { Versions } from './versions.ts';

export interface SweepOptions {
  versions: Pick<Versions, 'sweep'>;
  trash: Pick<Trash, 'sweep'>;
  tombstones: Pick<CatalogService, 'sweep'>;
  cluster: Pick<Cluster, 'once'>;
  log: Log;
}

const HOUR_MS = 60 * 60 * 1000;

/** Removes expired versions, tombstones and trash items, every hour and on one node at a time. */
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
    const { versions, trash, tombstones, cluster, log } = this.#options;
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    const warn = (err: unknown) => log.warn({ err }, 'old versions and the trash could not be swept');
    const work = async () => {
      await trash.sweep(now, signal).catch(warn);
      await tombstones.sweep(now, signal).catch(warn);
      await versions.sweep(now, signal).catch(warn);
    };
    await cluster.once.run('sweep of what is kept', async () => undefined, work).catch(warn);
  }
}
