import type { Log } from '../../log.ts';
import { ROOT } from '../../path.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { IndexState } from './index-state.ts';
import type { Scans } from './scans.ts';

export interface ReconciliationOptions {
  rows: Pick<CatalogStore, 'usage'>;
  scans: Pick<Scans, 'readAll'>;
  index: IndexState;
  log: Log;
  scanMs: number;
  /** True if several nodes may compare the same store, of which one is enough. */
  isShared: boolean;
  signal: AbortSignal;
}

/** Compares the whole storage with the rows: at the start, periodically, and on request. */
export class Reconciliation {
  readonly #options: ReconciliationOptions;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #first: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Files seen by the current comparison, or by the last one; before the first, the number of rows at the start. */
  files = 0;

  constructor(options: ReconciliationOptions) {
    this.#options = options;
  }

  /**
   * Starts the first comparison, unless another node has just completed one. Without an index there is always a first
   * one.
   * @param before delays it: files of a partly completed own change must not be taken for external ones
   */
  start(before: Promise<void>): void {
    const { scanMs, index, isShared, rows } = this.#options;
    if (scanMs > 0) this.#timer = setInterval(() => this.want(), scanMs).unref();
    const first = async () => {
      await before;
      const isComplete = await index.isComplete();
      const last = await index.reconciledAt();
      if (isComplete) this.files = (await rows.usage.total(ROOT)).fileCount;
      const isRecent = isShared && last !== undefined && Date.now() - last < scanMs;
      if (!isComplete || (scanMs > 0 && !isRecent)) await this.run();
    };
    this.#first = first().catch((err) => this.#report(err));
  }

  /** Schedules a comparison in the background. */
  want(): void {
    this.run().catch((err) => this.#report(err));
  }

  /** Compares everything now. */
  run(): Promise<void> {
    if (!this.#running) return this.#begin();
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#begin();
      });
    return this.#next;
  }

  /** Resolves when no comparison is in progress. */
  async settled(): Promise<void> {
    await this.#first;
    while (this.#running ?? this.#next) await (this.#running ?? this.#next)?.catch(() => undefined);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.settled();
  }

  #begin(): Promise<void> {
    this.#running ??= this.#compare().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #compare(): Promise<void> {
    const { scans, index, signal } = this.#options;
    signal.throwIfAborted();
    this.files = 0;
    await scans.readAll((files) => {
      this.files = files;
    });
    await index.complete();
  }

  #report(err: unknown): void {
    if (!this.#options.signal.aborted)
      this.#options.log.error({ err }, 'the catalog could not be compared with the files');
  }
}
