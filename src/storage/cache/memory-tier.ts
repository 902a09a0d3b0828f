import { LRUCache } from 'lru-cache';

/**
 * Bytes that an entry costs in addition to those of the variant. Of 100,000 variants of 200 bytes, each took 1.0 to
 * 1.3 KB on the heap, and more than that outside.
 */
const ENTRY_OVERHEAD = 2048;

/** Share of the budget that variants requested again may take from those requested once. */
const PROTECTED_SHARE = 0.8;

interface Entry<V> {
  owner: string;
  variant: V;
}

/**
 * Stores small variants in memory within a budget of bytes. Evicts all variants of an owner without visiting
 * others. A variant that was requested again is protected from those that were requested once, as on the disk.
 */
export class MemoryTier<V extends { key: string; bytes: Buffer | undefined }> {
  readonly #maxBytes: number;
  readonly #once: LRUCache<string, Entry<V>>;
  readonly #again: LRUCache<string, Entry<V>>;
  readonly #keysOf = new Map<string, Set<string>>();

  /** @param maxBytes the budget; 0 stores nothing */
  constructor(maxBytes: number) {
    this.#maxBytes = Math.max(1, maxBytes);
    const sizeCalculation = ({ variant }: Entry<V>) => sizeOf(variant);
    this.#once = new LRUCache({
      maxSize: this.#maxBytes,
      sizeCalculation,
      dispose: ({ owner }, key, reason) => {
        if (reason !== 'set') this.#disown(owner, key);
      },
    });
    this.#again = new LRUCache({
      maxSize: Math.ceil(this.#maxBytes * PROTECTED_SHARE),
      sizeCalculation,
      dispose: (entry, key, reason) => {
        if (reason === 'evict') this.#once.set(key, entry);
        else if (reason !== 'set') this.#disown(entry.owner, key);
      },
    });
  }

  get(key: string): V | undefined {
    const repeated = this.#again.get(key);
    if (repeated) return repeated.variant;
    const entry = this.#once.get(key);
    if (entry) this.#promote(key, entry);
    return entry?.variant;
  }

  /** Stores the variant if its bytes are loaded. */
  set(owner: string, variant: V): void {
    if (!variant.bytes) return;
    const { key } = variant;
    // It would not fit even if all other unprotected variants were evicted.
    if (this.#again.calculatedSize + sizeOf(variant) > this.#maxBytes) {
      this.#delete(key);
      return;
    }
    this.#own(owner, key);
    (this.#again.has(key) ? this.#again : this.#once).set(key, { owner, variant });
    this.#trim();
  }

  evict(owner: string): void {
    for (const key of this.#keysOf.get(owner) ?? []) this.#delete(key);
  }

  clear(): void {
    this.#once.clear();
    this.#again.clear();
  }

  #promote(key: string, entry: Entry<V>): void {
    if (sizeOf(entry.variant) > this.#again.maxSize) return;
    this.#once.delete(key);
    this.#own(entry.owner, key);
    this.#again.set(key, entry);
  }

  #trim(): void {
    while (this.#once.calculatedSize + this.#again.calculatedSize > this.#maxBytes) this.#once.pop();
  }

  #delete(key: string): void {
    this.#once.delete(key);
    this.#again.delete(key);
  }

  #own(owner: string, key: string): void {
    const keys = this.#keysOf.get(owner) ?? new Set();
    this.#keysOf.set(owner, keys.add(key));
  }

  #disown(owner: string, key: string): void {
    const keys = this.#keysOf.get(owner);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysOf.delete(owner);
  }
}

function sizeOf({ bytes }: { bytes: Buffer | undefined }): number {
  return (bytes?.length ?? 0) + ENTRY_OVERHEAD;
}
