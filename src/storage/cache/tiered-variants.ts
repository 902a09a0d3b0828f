import type { StoragePath } from '../../path.ts';
import { isOutage } from '../blob-store.ts';
import { sumOf, type Usage } from '../usage.ts';
import { ReadThrough, type ReadThroughOptions } from './read-through.ts';
import type { SharedVariants } from './shared-variants.ts';
import type { PutOptions, Variant, VariantFile, VariantStore } from './variant-store.ts';
import { WriteBehind } from './write-behind.ts';

export interface TieredVariantsOptions extends ReadThroughOptions {
  /** Limits of the queue of variants to copy to the shared store. */
  queue: { maxCount: number; maxBytes: number };
  /** Runs work on a path after all other work on it, on all nodes. */
  serialize<T>(path: StoragePath, work: () => Promise<T>): Promise<T>;
}

/**
 * The variant cache of a service with shared variants: the local one is near and bounded, the shared one is durable and
 * serves several nodes. A local variant costs no request, a shared one costs one.
 */
export class TieredVariants implements VariantStore {
  readonly #local: VariantStore;
  readonly #shared: SharedVariants;
  readonly #reads: ReadThrough;
  readonly #writes: WriteBehind;
  readonly #serialize: TieredVariantsOptions['serialize'];

  constructor(options: TieredVariantsOptions) {
    const { local, shared, log, queue, serialize } = options;
    this.#serialize = serialize;
    this.#local = local;
    this.#shared = shared;
    this.#reads = new ReadThrough(options);
    this.#writes = new WriteBehind({ shared, log, ...queue });
  }

  peek(key: string): Variant | undefined {
    return this.#local.peek(key);
  }

  read(file: VariantFile, take: (bytes: Buffer | undefined) => void): void {
    this.#local.read(file, take);
  }

  async get(original: StoragePath, key: string, formats: readonly string[]): Promise<Variant | undefined> {
    return (await this.#local.get(original, key, formats)) ?? this.#getShared(original, key);
  }

  /** While the shared variants are unavailable, this node renders its own, if it can. */
  async #getShared(original: StoragePath, key: string): Promise<Variant | undefined> {
    try {
      return await this.#reads.get(original, key);
    } catch (error) {
      if (isOutage(error)) return undefined;
      throw error;
    }
  }

  async getAgain(original: StoragePath, key: string, formats: readonly string[]): Promise<Variant | undefined> {
    return (await this.#local.get(original, key, formats)) ?? this.#reads.getAgain(original, key);
  }

  async put(
    original: StoragePath,
    key: string,
    format: string,
    file: string,
    { until = 'here', signal, bytes }: PutOptions = {},
  ): Promise<Variant> {
    const take = () => this.#local.put(original, key, format, file, { bytes });
    if (until === 'here') return this.#writes.behind({ original, key, format }, file, take);
    await this.#writes.now({ original, key, format }, file, signal);
    return take();
  }

  evict(original: StoragePath): Promise<number> {
    this.#reads.evict(original);
    return this.#local.evict(original);
  }

  async evictShared(path: StoragePath): Promise<number> {
    this.#reads.evict(path);
    await this.#writes.evict(path);
    return (await this.#local.evictShared(path)) + (await this.#remove(path));
  }

  clear(): Promise<number> {
    this.#reads.evict();
    return this.#local.clear();
  }

  async evictLocal(path: StoragePath): Promise<void> {
    await this.#writes.evict(path);
    this.#reads.evict(path);
    await this.#local.evictLocal(path);
    // A copy that this node was sending may have reached the bucket after the other node listed it.
    for (const original of this.#writes.sentWithin(path)) {
      // Waits for copies that are still being sent.
      await this.#remove(original);
      this.#reads.evict(original);
      await this.#local.evictLocal(original);
    }
  }

  /** A store reports each deleted object to every caller: two concurrent removals would both count it. */
  #remove(path: StoragePath): Promise<number> {
    return this.#serialize(path, () => this.#shared.evict(path));
  }

  usageOf(original: StoragePath): Promise<Usage> {
    return this.#shared.usageOf(original);
  }

  usageWithin(folder: StoragePath): Promise<Usage> {
    return this.#shared.usageOf(folder);
  }

  async stats(): Promise<Usage> {
    const [here, there] = await Promise.all([this.#local.stats(), this.#shared.stats()]);
    return sumOf(here, there);
  }

  async usage(): Promise<Usage> {
    const [here, there] = await Promise.all([this.#local.usage(), this.#shared.usage()]);
    return sumOf(here, there);
  }

  recount(): Promise<void> {
    return this.#shared.recount();
  }

  settled(key?: string): Promise<void> {
    return this.#writes.settled(key);
  }

  async close(signal?: AbortSignal): Promise<void> {
    await this.#reads.close();
    await this.#writes.close(signal);
    await this.#shared.close();
    await this.#local.close(signal);
  }
}
