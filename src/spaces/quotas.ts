import { stat } from 'node:fs/promises';
import { formatBytes } from '../bytes.ts';
import { KeyedLock } from '../concurrency.ts';
import { HttpProblem, isOverQuota } from '../errors.ts';
import type { StoragePath } from '../path.ts';
import { type BlobReads, type BlobWrites, isTaken } from '../storage/blob-store.ts';
import type { SpaceRegistry } from './registry.ts';

export interface QuotaOptions {
  registry: Pick<SpaceRegistry, 'find' | 'containing'>;
  /** Reads the bytes that count for the quota of a space: originals, versions and trash. */
  storedBytes(space: string): Promise<number>;
}

export type Quotas = ReturnType<typeof createQuotas>;

/** Bytes of changes in progress, in one space. */
interface Reserved {
  bytes: number;
  /** Number of changes that have ended. */
  ended: number;
}

/** A change that ends while the stored bytes are read may be part of them or not, so they are read again. */
const MAX_READS = 5;

/**
 * Creates the check of the quotas of spaces. A change reserves its bytes on this node while it runs, so that changes in
 * parallel do not exceed a quota together. Other nodes do not know of it: together they may, by what they store then.
 */
export function createQuotas({ registry, storedBytes }: QuotaOptions) {
  const reservedBySpace = new Map<string, Reserved>();
  const checks = new KeyedLock<string>((one, other) => one === other);

  const maxOf = (space: string) => registry.find(space)?.rules.quota?.bytes;

  async function used(space: string): Promise<number> {
    for (let reads = 1; ; reads++) {
      const ended = reservedBySpace.get(space)?.ended;
      const stored = await storedBytes(space);
      const reserved = reservedBySpace.get(space);
      if (reserved?.ended === ended || reads === MAX_READS) return stored + (reserved?.bytes ?? 0);
    }
  }

  /** @throws HttpProblem 507 when so many bytes more exceed the quota of a space */
  async function assertFits(space: string, bytes: number): Promise<void> {
    const max = maxOf(space);
    if (max === undefined || bytes <= 0) return;
    const left = Math.max(0, max - (await used(space)));
    if (bytes <= left) return;
    const message = `Expected at most ${formatBytes(left)}, which are left of the quota of ${formatBytes(max)}, received ${formatBytes(bytes)}.`;
    throw new HttpProblem('quota_exceeded', message);
  }

  async function reserving<T>(space: string, bytes: number, change: () => Promise<T>): Promise<T> {
    const reserved = await checks.run([space], async () => {
      await assertFits(space, bytes);
      const known = reservedBySpace.get(space) ?? { bytes: 0, ended: 0 };
      reservedBySpace.set(space, known);
      known.bytes += bytes;
      return known;
    });
    try {
      return await change();
    } finally {
      reserved.bytes -= bytes;
      reserved.ended++;
    }
  }

  const limitedAt = (path: StoragePath) => {
    const space = registry.containing(path);
    return space?.rules.quota?.bytes === undefined ? undefined : space.id;
  };

  return {
    assertFits,
    /** Returns the id of the space of a path of the library; undefined without a quota. */
    limitedAt,
    /** Checks a change that adds so many bytes at a path of the library, before any work. @throws HttpProblem 507 */
    async assertFitsAt(path: StoragePath, bytes: number): Promise<void> {
      const space = limitedAt(path);
      if (space !== undefined) await assertFits(space, bytes);
    },
    /**
     * Runs a change that adds so many bytes at a path of the library.
     * @param bytes measures them, where a quota applies
     * @throws HttpProblem 507; errors of the change
     */
    async adding<T>(path: StoragePath, bytes: () => Promise<number>, change: () => Promise<T>): Promise<T> {
      const space = limitedAt(path);
      if (space === undefined) return change();
      const added = await bytes();
      return added > 0 ? reserving(space, added, change) : change();
    },
  };
}

/** A new file before its bytes arrive, or before any work. */
interface AnnouncedFile {
  path: StoragePath;
  bytes: number;
  /** Handling of a taken name. */
  existing: 'rename' | 'skip' | 'error';
}

/**
 * Creates the check of new files before any work. The bytes decide about a file whose name is taken: it may be there
 * already, or be refused for its name. Then the store checks what it gets.
 * @param toOuter returns the path of the library
 */
export function createQuotaCheck(
  quotas: Pick<Quotas, 'assertFitsAt'>,
  store: Pick<BlobReads, 'stat' | 'folderExists'>,
  toOuter: (path: StoragePath) => StoragePath = (path) => path,
) {
  return async ({ path, bytes, existing }: AnnouncedFile): Promise<void> => {
    try {
      await quotas.assertFitsAt(toOuter(path), bytes);
    } catch (error) {
      if (existing === 'rename' || !isOverQuota(error) || !(await isTaken(store, path))) throw error;
    }
  };
}

/** Measures what moves along with files. */
export interface Measures {
  /** Bytes of the versions of a file. */
  versionsOf(file: StoragePath): Promise<number>;
  /** Bytes of all files below a folder, and of their versions. */
  below(folder: StoragePath): Promise<number>;
}

/**
 * Wraps the writes of the library, so that none exceeds the quota of a space, whichever URL it comes from. `Versions`
 * counts what a replacement adds, because it knows what is retained. Restored versions are written without a check, and
 * so is what comes back from the trash: both count already.
 */
export function limitWrites(
  store: BlobWrites & Pick<BlobReads, 'stat' | 'folderExists'>,
  quotas: Pick<Quotas, 'adding' | 'limitedAt'>,
  measures: Measures,
): BlobWrites {
  const sizeAt = async (path: StoragePath) => (await store.stat(path))?.size ?? 0;
  const crosses = (from: StoragePath, to: StoragePath) => quotas.limitedAt(from) !== quotas.limitedAt(to);
  return {
    write: (path, source, options) => store.write(path, source, options),
    async adopt(path, file, options) {
      const change = () => store.adopt(path, file, options);
      if (options?.existing !== 'keep') return change();
      try {
        return await quotas.adding(path, async () => (await stat(file)).size, change);
      } catch (error) {
        if (!isOverQuota(error) || !(await isTaken(store, path))) throw error;
        // Nothing would be added: the store refuses the name.
        return change();
      }
    },
    copy: (from, to, options) =>
      quotas.adding(
        to,
        () => sizeAt(from),
        () => store.copy(from, to, options),
      ),
    move(from, to, options) {
      const growth = async () => (crosses(from, to) ? (await sizeAt(from)) + (await measures.versionsOf(from)) : 0);
      return quotas.adding(to, growth, () => store.move(from, to, options));
    },
    moveFolder(from, to) {
      const growth = async () => (crosses(from, to) ? measures.below(from) : 0);
      return quotas.adding(to, growth, () => store.moveFolder(from, to));
    },
    remove: (path) => store.remove(path),
    createFolder: (folder) => store.createFolder(folder),
    removeFolder: (folder) => store.removeFolder(folder),
  };
}
