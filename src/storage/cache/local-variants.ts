import { ROOT, type StoragePath } from '../../path.ts';
import { BlobNotFound } from '../blob-store.ts';
import { inParallel } from '../in-parallel.ts';
import { openFile, readSmallFile } from '../local-file.ts';
import { NO_USAGE, sumOf, type Usage } from '../usage.ts';
import { DiskTier } from './disk-tier.ts';
import { timeOfUse, wasRequestedAgain } from './eviction.ts';
import { MemoryTier } from './memory-tier.ts';
import { readBootId } from './unsynced-files.ts';
import { variantFolder } from './variant-key.ts';
import { type PutOptions, SMALL_BYTES, type Variant, type VariantFile, type VariantStore } from './variant-store.ts';

export interface LocalVariantsOptions {
  directory: string;
  temp: string;
  /** Budget of the disk tier, in bytes. */
  maxBytes: number;
  /** Budget of the memory tier, in bytes. */
  memoryBytes: number;
  /** Minimum interval between recorded uses of a variant, after the first, in ms. */
  touchIntervalMs?: number;
  /** Identifies the run of the host's kernel. Default: as the system names it. */
  bootId?: string;
}

const TOUCH_INTERVAL_MS = 60_000;
const COUNT_CONCURRENCY = 8;

interface LocalVariant extends Variant {
  file: VariantFile;
}

/**
 * Creates the variant cache of this node: small variants in memory, all of them on disk, one folder per original.
 */
export async function createLocalVariants(options: LocalVariantsOptions): Promise<VariantStore> {
  const { bootId = await readBootId(), ...rest } = options;
  return new LocalVariants(await DiskTier.open({ ...rest, bootId }), options);
}

class LocalVariants implements VariantStore {
  readonly #disk: DiskTier;
  readonly #memory: MemoryTier<LocalVariant>;
  readonly #touchIntervalMs: number;
  /** Number of evictions: what a disk read that started before one finds does not enter the memory tier. */
  #evictions = 0;

  constructor(disk: DiskTier, { memoryBytes, touchIntervalMs = TOUCH_INTERVAL_MS }: LocalVariantsOptions) {
    this.#disk = disk;
    this.#memory = new MemoryTier(memoryBytes);
    this.#touchIntervalMs = touchIntervalMs;
  }

  peek(key: string): Variant | undefined {
    const variant = this.#memory.get(key);
    if (variant) this.#touch(variant.file);
    return variant;
  }

  async get(original: StoragePath, key: string, formats: readonly string[]): Promise<Variant | undefined> {
    const entry = this.peek(key);
    if (entry) return entry;
    const folder = variantFolder(original);
    for (const format of formats) {
      const variant = await this.#readFromDisk(folder, key, format);
      if (variant) return variant;
    }
    return undefined;
  }

  read(file: VariantFile, take: (bytes: Buffer | undefined) => void): void {
    const before = this.#evictions;
    this.#disk.read(file.name, file.size, (bytes) => {
      if (bytes) this.#enter(file, bytes, before);
      take(bytes);
    });
  }

  getAgain(original: StoragePath, key: string, formats: readonly string[]): Promise<Variant | undefined> {
    return this.get(original, key, formats);
  }

  async put(
    original: StoragePath,
    key: string,
    format: string,
    file: string,
    options: PutOptions = {},
  ): Promise<Variant> {
    const folder = variantFolder(original);
    const returned = options.bytes && { size: options.bytes.length, bytes: ownBytes(options.bytes) };
    const found = returned ?? (await readSmallFile(file, SMALL_BYTES));
    if (!found) throw new BlobNotFound('The rendered file is missing.');
    const { size, bytes } = found;
    const placed = { name: `${folder}/${key}.${format}`, folder, key, format, size, touchedAt: Date.now() };
    const variant = this.#toVariant(placed, bytes);
    await this.#disk.place(file, placed.name, size);
    this.#memory.set(folder, variant);
    return variant;
  }

  async evict(original: StoragePath): Promise<number> {
    const folder = variantFolder(original);
    const evict = () => {
      this.#memory.evict(folder);
      this.#evictions++;
    };
    evict();
    try {
      return await this.#disk.remove(folder);
    } finally {
      // A read may have begun before the files were removed.
      evict();
    }
  }

  /** Nothing is shared. */
  async evictShared(): Promise<number> {
    return 0;
  }

  async clear(): Promise<number> {
    const clear = () => {
      this.#memory.clear();
      this.#evictions++;
    };
    clear();
    try {
      return await this.#disk.clear();
    } finally {
      clear();
    }
  }

  async evictLocal(path: StoragePath): Promise<void> {
    await (path === ROOT ? this.clear() : this.evict(path));
  }

  usageOf(original: StoragePath): Promise<Usage> {
    return this.#disk.usageOf(variantFolder(original));
  }

  async usageWithin(_folder: StoragePath, originals: AsyncIterable<StoragePath>): Promise<Usage> {
    let total = NO_USAGE;
    await inParallel(originals, COUNT_CONCURRENCY, async (original) => {
      const usage = await this.usageOf(original);
      total = sumOf(total, usage);
    });
    return total;
  }

  stats(): Promise<Usage> {
    return this.#disk.measure();
  }

  async usage(): Promise<Usage> {
    return this.#disk.usage;
  }

  async recount(): Promise<void> {}

  async settled(): Promise<void> {}

  close(signal?: AbortSignal): Promise<void> {
    return this.#disk.close(signal);
  }

  #touch(file: VariantFile): void {
    const now = Date.now();
    // The first use after storing is recorded immediately, because it protects the variant. A date in the future was
    // recorded before the clock was set back.
    if (wasRequestedAgain(file.touchedAt) && Math.abs(now - file.touchedAt) < this.#touchIntervalMs) return;
    file.touchedAt = timeOfUse(now) * 1000;
    void this.#disk.touch(file.name, now);
  }

  async #readFromDisk(folder: string, key: string, format: string): Promise<LocalVariant | undefined> {
    const before = this.#evictions;
    const name = `${folder}/${key}.${format}`;
    const found = await this.#disk.readSmall(name, SMALL_BYTES);
    if (!found) return undefined;
    const { size, bytes, stats } = found;
    const variant = this.#toVariant({ name, folder, key, format, size, touchedAt: stats.mtimeMs }, bytes);
    if (before === this.#evictions) this.#memory.set(folder, variant);
    this.#touch(variant.file);
    return variant;
  }

  /** Stores what was read, once for all who shared the read. */
  #enter(file: VariantFile, bytes: Buffer, evictionsBefore: number): void {
    const isKnown = this.#memory.get(file.key) !== undefined;
    if (!isKnown && evictionsBefore === this.#evictions) this.#memory.set(file.folder, this.#toVariant(file, bytes));
    this.#touch(file);
  }

  #toVariant(file: VariantFile, bytes: Buffer | undefined): LocalVariant {
    const { name, key, format, size } = file;
    const open: Variant['open'] = (range, signal) => openFile(this.#disk.path(name), range, signal);
    return { key, format, size, bytes, file, open };
  }
}

/** Copies a part of a larger buffer, which would stay in memory with it. */
function ownBytes(bytes: Buffer): Buffer {
  if (bytes.length === bytes.buffer.byteLength) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
