import type { Log } from '../log.ts';
import type { StoragePath } from '../path.ts';
import type { VariantStore } from '../storage/cache/variants.ts';
import type { Originals } from '../storage/originals.ts';
import type { Count } from './totals.ts';

/** The jobs that work on originals. */
export interface JobsOfOriginal {
  /** Deletes the jobs of a file, or of all files in a folder; how many there were. */
  removeWithin(path: StoragePath): Promise<number>;
}

/** What went with an original. Failures leave something behind that is never shown, and do not undo the change. */
export interface Cleanup {
  jobsDeleted: number;
  localCacheFilesDeleted: number;
  cloudCacheFilesDeleted: number;
  errors: string[];
}

export interface CleaningOptions {
  originals: Originals;
  variants: VariantStore;
  jobs: JobsOfOriginal;
  log: Log;
}

/** How many originals are cleaned up after at a time. */
const AT_ONCE = 16;

/** However many failed, the answer stays small. */
const MAX_ERRORS = 20;

/** Forgets what was made from originals that change: their remembered state, their variants, their jobs. */
export function createCleaning({ originals, variants, jobs, log }: CleaningOptions) {
  /** Runs one step; a failure is noted. */
  async function attempt(cleanup: Cleanup, what: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (err) {
      log.error({ err }, what);
      if (cleanup.errors.length < MAX_ERRORS) cleanup.errors.push(what);
    }
  }

  function forgetVariants(cleanup: Cleanup, path: StoragePath): Promise<void> {
    return attempt(cleanup, `The variants of "${path}" could not be removed.`, async () => {
      // Several run at once: the sum may only be read when there is something to add.
      const count = await variants.forget(path);
      cleanup.localCacheFilesDeleted += count;
    });
  }

  /** Of a file, or of everything in a folder. */
  function forgetShared(cleanup: Cleanup, path: StoragePath): Promise<void> {
    return attempt(cleanup, `The variants of "${path}" could not be removed from the bucket.`, async () => {
      const count = await variants.forgetShared(path);
      cleanup.cloudCacheFilesDeleted += count;
    });
  }

  function removeJobs(cleanup: Cleanup, path: StoragePath): Promise<void> {
    return attempt(cleanup, `The jobs of "${path}" could not be removed.`, async () => {
      const count = await jobs.removeWithin(path);
      cleanup.jobsDeleted += count;
    });
  }

  /** Forgets the variants of every file below a folder; `nameOf` says under which path a file had them. */
  async function forgetBelow(cleanup: Cleanup, folder: StoragePath, nameOf: (path: StoragePath) => StoragePath) {
    const count: Count = { size: 0, fileCount: 0 };
    let running: Promise<void>[] = [];
    for await (const { path, size } of originals.store.walk(folder)) {
      count.size += size;
      count.fileCount++;
      running.push(forgetVariants(cleanup, nameOf(path)));
      if (running.length < AT_ONCE) continue;
      await Promise.all(running);
      running = [];
    }
    await Promise.all(running);
    return count;
  }

  return {
    /** After a file is gone from its path. */
    async file(path: StoragePath): Promise<Cleanup> {
      const cleanup = emptyCleanup();
      originals.forget(path);
      await removeJobs(cleanup, path);
      await Promise.all([forgetVariants(cleanup, path), forgetShared(cleanup, path)]);
      return cleanup;
    },

    /** Around the removal of a folder: before it, because afterwards nobody could say what was in it; and after it, because of
     * what visitors had made of its files meanwhile. */
    async folder(folder: StoragePath, remove: () => Promise<unknown>): Promise<{ cleanup: Cleanup; count: Count }> {
      const cleanup = emptyCleanup();
      await removeJobs(cleanup, folder);
      await forgetShared(cleanup, folder);
      const count = await forgetBelow(cleanup, folder, (path) => path);
      await remove();
      originals.forget();
      await removeJobs(cleanup, folder);
      await forgetShared(cleanup, folder);
      return { cleanup, count };
    },

    /** After a folder was moved. */
    async movedFolder(from: StoragePath, to: StoragePath): Promise<void> {
      const cleanup = emptyCleanup();
      originals.forget();
      await removeJobs(cleanup, from);
      await forgetShared(cleanup, from);
      await forgetBelow(cleanup, to, (path) => (from + path.slice(to.length)) as StoragePath);
    },

    /** Forgets variants, of a file or of all files in a folder, and nothing else. */
    async variantsAt(path: StoragePath): Promise<Cleanup> {
      const cleanup = emptyCleanup();
      originals.forget(path);
      await Promise.all([forgetVariants(cleanup, path), forgetShared(cleanup, path)]);
      await forgetBelow(cleanup, path, (file) => file);
      return cleanup;
    },
  };
}

function emptyCleanup(): Cleanup {
  return { jobsDeleted: 0, localCacheFilesDeleted: 0, cloudCacheFilesDeleted: 0, errors: [] };
}
