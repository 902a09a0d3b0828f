import type { JobQueue } from '../jobs/queue.ts';
import type { Log } from '../log.ts';
import { ROOT, type StoragePath } from '../path.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';
import { inParallel } from '../storage/in-parallel.ts';
import type { Originals } from '../storage/originals.ts';

/** Result of cleaning up after an original. A failure leaves data that is never shown, and does not undo the change. */
export interface Cleanup {
  jobsDeleted: number;
  localCacheFilesDeleted: number;
  cloudCacheFilesDeleted: number;
  errors: string[];
}

/** The other nodes, which also cache variants. */
export interface OtherMachines {
  /**
   * Invalidates variants on the other nodes: those of these originals at a path, or all.
   * @throws HttpProblem 503 when they cannot be notified
   */
  invalidated(path: StoragePath, originals: readonly StoragePath[] | 'all'): Promise<void>;
}

export interface CleanerOptions {
  originals: Originals;
  variants: VariantStore;
  jobs: Pick<JobQueue, 'removeWithin'>;
  changes: OtherMachines;
  log: Log;
}

/** Number of originals cleaned up concurrently. */
const CONCURRENCY = 16;

/** Limit of failures named in a response. */
const MAX_ERRORS = 20;

/**
 * Limit of originals that the other nodes are notified of by name. Above it they evict all variants, without a search.
 */
const MAX_NAMED = 100;

/** Deletes what derives from changed originals: cached state, variants, jobs. */
export class Cleaner {
  readonly #options: CleanerOptions;

  constructor(options: CleanerOptions) {
    this.#options = options;
  }

  /** Cleans up after a file has left its path. */
  async file(path: StoragePath): Promise<Cleanup> {
    const cleanup = emptyCleanup();
    await this.#removeJobs(cleanup, path);
    await Promise.all([this.#evictVariants(cleanup, path), this.#evictShared(cleanup, path)]);
    return cleanup;
  }

  /**
   * Cleans up around the removal of a folder: before it, because its content is unknown afterwards, and after it,
   * because clients may have rendered variants meanwhile.
   */
  async folder(folder: StoragePath, remove: () => Promise<unknown>): Promise<Cleanup> {
    const cleanup = emptyCleanup();
    await this.#removeJobs(cleanup, folder);
    await this.#evictShared(cleanup, folder);
    await this.#evictBelow(cleanup, folder, (path) => path);
    await remove();
    await this.#removeJobs(cleanup, folder);
    await this.#evictShared(cleanup, folder);
    return cleanup;
  }

  /** Cleans up after a folder was moved. */
  async movedFolder(from: StoragePath, to: StoragePath): Promise<void> {
    const cleanup = emptyCleanup();
    await this.#removeJobs(cleanup, from);
    await this.#evictShared(cleanup, from);
    await this.#evictBelow(cleanup, to, (path) => (from + path.slice(to.length)) as StoragePath);
  }

  /** Deletes the variants of a file, or of all files in a folder, and nothing else. */
  async variantsAt(path: StoragePath): Promise<Cleanup> {
    const cleanup = emptyCleanup();
    const named = [path];
    this.#options.originals.invalidate(path);
    await Promise.all([this.#evictVariants(cleanup, path), this.#evictShared(cleanup, path)]);
    await this.#evictBelow(cleanup, path, (file) => {
      if (named.length <= MAX_NAMED) named.push(file);
      return file;
    });
    await this.#options.changes.invalidated(path, named.length > MAX_NAMED ? 'all' : named);
    return cleanup;
  }

  /** Deletes all variants. Returns their number. */
  async allVariants(): Promise<Pick<Cleanup, 'localCacheFilesDeleted' | 'cloudCacheFilesDeleted'>> {
    const { variants, changes } = this.#options;
    const counts = await Promise.all([variants.clear(), variants.evictShared(ROOT)]);
    await changes.invalidated(ROOT, 'all');
    return { localCacheFilesDeleted: counts[0], cloudCacheFilesDeleted: counts[1] };
  }

  /**
   * Deletes the variants of every file below a folder. `nameOf` returns the path under which a file had its variants.
   */
  async #evictBelow(cleanup: Cleanup, folder: StoragePath, nameOf: (path: StoragePath) => StoragePath): Promise<void> {
    await inParallel(this.#options.originals.store.walk(folder), CONCURRENCY, async ({ path }) => {
      await this.#evictVariants(cleanup, nameOf(path));
    });
  }

  #evictVariants(cleanup: Cleanup, path: StoragePath): Promise<void> {
    const what = `The variants of "${path}" could not be removed.`;
    return this.#attempt(cleanup, 'localCacheFilesDeleted', what, () => this.#options.variants.evict(path));
  }

  /** Deletes the shared variants of a file, or of everything in a folder. */
  #evictShared(cleanup: Cleanup, path: StoragePath): Promise<void> {
    const what = `The variants of "${path}" could not be removed from the bucket.`;
    return this.#attempt(cleanup, 'cloudCacheFilesDeleted', what, () => this.#options.variants.evictShared(path));
  }

  #removeJobs(cleanup: Cleanup, path: StoragePath): Promise<void> {
    const what = `The jobs of "${path}" could not be removed.`;
    return this.#attempt(cleanup, 'jobsDeleted', what, () => this.#options.jobs.removeWithin(path));
  }

  /** Runs one step, which returns the number of deletions; a failure is recorded. */
  async #attempt(
    cleanup: Cleanup,
    count: Exclude<keyof Cleanup, 'errors'>,
    what: string,
    step: () => Promise<number>,
  ): Promise<void> {
    try {
      // Several steps run concurrently, so the sum must be read and written in one step.
      const removed = await step();
      cleanup[count] += removed;
    } catch (err) {
      this.#options.log.error({ err }, what);
      if (cleanup.errors.length < MAX_ERRORS) cleanup.errors.push(what);
    }
  }
}

function emptyCleanup(): Cleanup {
  return { jobsDeleted: 0, localCacheFilesDeleted: 0, cloudCacheFilesDeleted: 0, errors: [] };
}
