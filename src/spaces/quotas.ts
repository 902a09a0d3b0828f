import { stat } from 'node:fs/promises';
import { KeyedLock } from '../concurrency.ts';
import { HttpProblem } from '../errors.ts';
import type { StoragePath } from '../path.ts';
import type { BlobReads, BlobWrites } from '../storage/blob-store.ts';
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
    const message = `The file has ${bytes} bytes, and ${left} of the quota of ${max} are left.`;
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

/**
 * Wraps the writes of the library, so that none exceeds the quota of a space, whichever URL it comes from. Restored
 * versions are written without a check, and so is what comes back from the trash: both count already.
 * @param sizeOf bytes below a folder
 */
export function limitWrites(
  store: BlobWrites & Pick<BlobReads, 'stat'>,
  quotas: Pick<Quotas, 'adding' | 'limitedAt'>,
  sizeOf: (folder: StoragePath) => Promise<number>,
): BlobWrites {
  const sizeAt = async (path: StoragePath) => (await store.stat(path))?.size ?? 0;
  const crosses = (from: StoragePath, to: StoragePath) => quotas.limitedAt(from) !== quotas.limitedAt(to);
  return {
    write: (path, source, options) => store.write(path, source, options),
    adopt(path, file, options) {
      const growth = async () => (await stat(file)).size - (options?.existing === 'keep' ? 0 : await sizeAt(path));
      return quotas.adding(path, growth, () => store.adopt(path, file, options));
    },
    copy: (from, to, options) =>
      quotas.adding(
        to,
        () => sizeAt(from),
        () => store.copy(from, to, options),
      ),
    move(from, to, options) {
      const growth = async () => (crosses(from, to) ? sizeAt(from) : 0);
      return quotas.adding(to, growth, () => store.move(from, to, options));
    },
    moveFolder(from, to) {
      const growth = async () => (crosses(from, to) ? sizeOf(from) : 0);
      return quotas.adding(to, growth, () => store.moveFolder(from, to));
    },
    remove: (path) => store.remove(path),
    createFolder: (folder) => store.createFolder(folder),
    removeFolder: (folder) => store.removeFolder(folder),
  };
}
