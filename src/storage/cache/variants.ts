import type { StoragePath } from '../../path.ts';
import { BlobNotFound, type ByteRange, type ByteStream } from '../blob-store.ts';
import { openFile, readSmallFile, type SmallFile, syncSmallFile } from '../file.ts';
import type { Count } from './live-count.ts';
import { VariantDisk } from './variant-disk.ts';
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

export interface PutOptions {
  /** When it counts as stored: as soon as this machine has it (default), or when those that share a bucket can find it as well. */
  until?: 'here' | 'shared';
  /** Ends the wait for the others: this machine has it all the same. */
  signal?: AbortSignal;
}

export interface VariantStore {
  /** From memory only, without a system call. */
  peek(key: string): Variant | undefined;
  /** From the nearest place that has it. `formats` are the ones that the key can have been stored in. */
  get(original: StoragePath, key: string, formats: readonly string[]): Promise<Variant | undefined>;
  /** Takes over a finished temporary file of the same file system. What is in the cache survives a power cut whole. */
  put(original: StoragePath, key: string, format: string, file: string, options?: PutOptions): Promise<Variant>;
  /** Removes all variants of an original from this machine; how many there were. */
  forget(original: StoragePath): Promise<number>;
  /** Removes the variants of an original, or of everything in a folder, from what several machines share; how many there were. */
  forgetShared(path: StoragePath): Promise<number>;
  /** Removes everything from this machine; how many there were. */
  clear(): Promise<number>;
  /** Of all places together, counted now; `updatedAt` says when the counters changed, where there are some. */
  stats(): Promise<Count & { updatedAt?: Date }>;
  /** The same as it has been counted since the start, without looking at a file. */
  usage(): Promise<Count>;
  /** Counts anew what has counters. */
  recount(): Promise<void>;
  /** Waits until what is on its way to other machines by now has come there, or cannot. */
  settled(): Promise<void>;
  /** Waits for work in the background; what can be given up is when the signal aborts. */
  close(signal?: AbortSignal): Promise<void>;
}

export interface VariantStoreOptions {
  directory: string;
  temp: string;
  /** Budget of the disk tier. */
  maxBytes: number;
  /** Budget of the memory tier. */
  memoryBytes: number;
  /** How often the use of a variant is written down, in milliseconds. Before that it counts as asked for once. */
  touchIntervalMs?: number;
}

/** Files up to this size are read at once and kept in memory; larger ones are streamed. */
export const SMALL_BYTES = 512 * 1024;

interface Remembered extends Variant {
  /** Of its file, in the cache. */
  name: string;
  /** When its use was last written down. */
  touchedAt: number;
}

/** The variant cache: hot small variants in memory, all of them on disk, one folder for each original. */
export async function createVariantStore(options: VariantStoreOptions): Promise<VariantStore> {
  const { memoryBytes, touchIntervalMs = 60_000 } = options;
  const disk = await VariantDisk.open(options);
  const memory = new VariantMemory<Remembered>(memoryBytes);
  // A read of the disk that began before a `forget` may not bring back what it found.
  let forgets = 0;

  function touch(variant: Remembered): void {
    const now = Date.now();
    // A date in the future was written before the clock was set back.
    if (Math.abs(now - variant.touchedAt) < touchIntervalMs) return;
    variant.touchedAt = now;
    void disk.touch(variant.name, now);
  }

  function peek(key: string): Variant | undefined {
    const variant = memory.get(key);
    if (variant) touch(variant);
    return variant;
  }

  function describe(name: string, key: string, format: string, found: SmallFile, touchedAt: number): Remembered {
    const open = (range?: ByteRange, signal?: AbortSignal) => openFile(disk.path(name), range, signal);
    return { key, format, size: found.size, bytes: found.bytes, open, name, touchedAt };
  }

  async function readFromDisk(folder: string, key: string, format: string): Promise<Remembered | undefined> {
    const before = forgets;
    const name = `${folder}/${key}.${format}`;
    const found = await readSmallFile(disk.path(name), SMALL_BYTES);
    if (!found) return undefined;
    const variant = describe(name, key, format, found, found.modifiedMs);
    if (before === forgets) memory.set(folder, variant);
    touch(variant);
    return variant;
  }

  return {
    peek,
    async get(original, key, formats) {
      const hot = peek(key);
      if (hot) return hot;
      const folder = variantFolder(original);
      for (const format of formats) {
        const variant = await readFromDisk(folder, key, format);
        if (variant) return variant;
      }
      return undefined;
    },
    async put(original, key, format, file) {
      const folder = variantFolder(original);
      const found = await syncSmallFile(file, SMALL_BYTES);
      if (!found) throw new BlobNotFound('The rendered file is gone.');
      const variant = describe(`${folder}/${key}.${format}`, key, format, found, Date.now());
      await disk.place(file, variant.name, found.size);
      memory.set(folder, variant);
      return variant;
    },
    async forget(original) {
      const folder = variantFolder(original);
      memory.forget(folder);
      forgets++;
      return disk.remove(folder);
    },
    // Nothing is shared.
    forgetShared: async () => 0,
    async clear() {
      memory.clear();
      forgets++;
      return disk.clear();
    },
    stats: () => disk.measure(),
    usage: async () => disk.usage,
    recount: async () => undefined,
    settled: async () => undefined,
    close: () => disk.close(),
  };
}
