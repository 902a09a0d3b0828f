import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../errors.ts';
import type { StoragePath } from '../path.ts';
import { BlobNotFound, type ByteRange, type ByteStream } from './blob-store.ts';
import { measureFolder, removeOldest } from './eviction.ts';
import { openFile, readSmallFile, type SmallFile, syncSmallFile } from './file.ts';
import { variantFolder } from './variant-key.ts';
import { VariantMemory } from './variant-memory.ts';

/** A cached variant. Small ones hold their bytes, so that sending them makes no system call. */
export interface Variant {
  key: string;
  /** The extension: `webp`, `jpeg`, `mp4`. */
  format: string;
  size: number;
  bytes: Buffer | undefined;
  /** @throws BlobNotFound when it was evicted in the meantime */
  open(range?: ByteRange, signal?: AbortSignal): Promise<ByteStream>;
}

export interface VariantStore {
  /** From memory only, without a system call. */
  peek(key: string): Variant | undefined;
  /** From the nearest place that has it. `formats` are the ones that the key can have been stored in. */
  get(original: StoragePath, key: string, formats: readonly string[]): Promise<Variant | undefined>;
  /** Takes over a finished temporary file of the same file system. What is in the cache survives a power cut whole. */
  put(original: StoragePath, key: string, format: string, file: string): Promise<Variant>;
  /** Removes all variants of an original from this machine; how many there were. */
  forget(original: StoragePath): Promise<number>;
  /** Removes the variants of an original, or of everything in a folder, from what several machines share; how many there were. */
  forgetShared(path: StoragePath): Promise<number>;
  /** Removes everything from this machine; how many there were. */
  clear(): Promise<number>;
  /** Of all places together; `updatedAt` says when the counters changed, where there are some. */
  stats(): Promise<{ size: number; fileCount: number; updatedAt?: Date }>;
  /** Counts anew what has counters. */
  recount(): Promise<void>;
  /** Waits for work in the background. */
  close(): Promise<void>;
}

export interface VariantStoreOptions {
  directory: string;
  temp: string;
  /** Budget of the disk tier; the least recently used variants go first. */
  maxBytes: number;
  /** Budget of the memory tier. */
  memoryBytes: number;
  /** How often the use of a variant is written down, in milliseconds: its file's modification time says when it was last used. */
  touchIntervalMs?: number;
}

/** Files up to this size are read at once and kept in memory; larger ones are streamed. */
export const SMALL_BYTES = 512 * 1024;

/** An eviction makes room for a while, so that not every write needs one. */
const EVICTION_TARGET = 0.9;

interface Remembered extends Variant {
  file: string;
  /** When its use was last written down. */
  touchedAt: number;
}

/** The variant cache: hot small variants in memory, all of them on disk, one folder for each original. */
export async function createVariantStore(options: VariantStoreOptions): Promise<VariantStore> {
  const { directory, temp, maxBytes, memoryBytes, touchIntervalMs = 60_000 } = options;
  await mkdir(directory, { recursive: true });
  const memory = new VariantMemory<Remembered>(memoryBytes);
  // A read of the disk that began before a `forget` may not bring back what it found.
  let forgets = 0;
  let usedBytes = 0;
  let background: Promise<unknown> = measureFolder(directory)
    .then(({ size }) => {
      usedBytes += size;
      return evict();
    })
    // Nobody waits for it, and a count that is too low only makes the first eviction come later.
    .catch(() => undefined);

  function touch(variant: Remembered): void {
    const now = Date.now();
    if (now - variant.touchedAt < touchIntervalMs) return;
    variant.touchedAt = now;
    // Losing one of these only makes a variant look older than it is.
    utimes(variant.file, now / 1000, now / 1000).catch(() => undefined);
  }

  function peek(key: string): Variant | undefined {
    const variant = memory.get(key);
    if (variant) touch(variant);
    return variant;
  }

  function describe(folder: string, key: string, format: string, found: SmallFile, touchedAt: number): Remembered {
    const file = join(folder, `${key}.${format}`);
    const open = (range?: ByteRange, signal?: AbortSignal) => openFile(file, range, signal);
    return { key, format, size: found.size, bytes: found.bytes, open, file, touchedAt };
  }

  async function readFromDisk(folder: string, key: string, format: string): Promise<Remembered | undefined> {
    const before = forgets;
    const found = await readSmallFile(join(folder, `${key}.${format}`), SMALL_BYTES);
    if (!found) return undefined;
    const variant = describe(folder, key, format, found, found.modifiedMs);
    if (before === forgets) memory.set(folder, variant);
    touch(variant);
    return variant;
  }

  async function evict(): Promise<void> {
    if (usedBytes <= maxBytes) return;
    const before = usedBytes;
    const left = await removeOldest(directory, maxBytes * EVICTION_TARGET);
    // What was added or removed during the walk comes on top.
    usedBytes += left - before;
  }

  function evictWhenFull(): void {
    if (usedBytes > maxBytes) background = background.then(evict).catch(() => undefined);
  }

  /** Out of sight by one rename, then removed at leisure. */
  async function removeFolder(folder: string): Promise<number> {
    forgets++;
    const doomed = join(temp, randomUUID());
    try {
      await rename(folder, doomed);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return 0;
      throw error;
    }
    const { size, fileCount } = await measureFolder(doomed);
    await rm(doomed, { recursive: true, force: true });
    usedBytes -= size;
    return fileCount;
  }

  return {
    peek,
    async get(original, key, formats) {
      const hot = peek(key);
      if (hot) return hot;
      const folder = join(directory, variantFolder(original));
      for (const format of formats) {
        const variant = await readFromDisk(folder, key, format);
        if (variant) return variant;
      }
      return undefined;
    },
    async put(original, key, format, file) {
      const folder = join(directory, variantFolder(original));
      const found = await syncSmallFile(file, SMALL_BYTES);
      if (!found) throw new BlobNotFound('The rendered file is gone.');
      const variant = describe(folder, key, format, found, Date.now());
      await renameInto(file, folder, variant.file);
      usedBytes += found.size;
      memory.set(folder, variant);
      evictWhenFull();
      return variant;
    },
    async forget(original) {
      const folder = join(directory, variantFolder(original));
      memory.forget(folder);
      return removeFolder(folder);
    },
    // Nothing is shared.
    forgetShared: async () => 0,
    async clear() {
      memory.clear();
      const count = await removeFolder(directory);
      await mkdir(directory, { recursive: true });
      return count;
    },
    stats: () => measureFolder(directory),
    recount: async () => undefined,
    close: async () => {
      await background;
    },
  };
}

/** Mostly the folder is there. It may be forgotten between the two steps: then it is made again. */
async function renameInto(file: string, folder: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(file, target);
    } catch (error) {
      if (attempt === 3 || !hasCode(error, 'ENOENT')) throw error;
      await mkdir(folder, { recursive: true });
    }
  }
}
