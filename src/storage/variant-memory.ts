import { LRUCache } from 'lru-cache';

/** What an entry costs beside its bytes. */
const ENTRY_OVERHEAD = 512;

interface Entry<V> {
  owner: string;
  variant: V;
}

/** The memory tier: hot small variants within a budget of bytes, forgotten by owner without looking at the others. */
export class VariantMemory<V extends { key: string; bytes: Buffer | undefined }> {
  readonly #entries: LRUCache<string, Entry<V>>;
  readonly #keysOf = new Map<string, Set<string>>();

  /** @param maxBytes the budget; 0 keeps nothing */
  constructor(maxBytes: number) {
    this.#entries = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ variant }) => (variant.bytes?.length ?? 0) + ENTRY_OVERHEAD,
      dispose: ({ owner }, key, reason) => {
        if (reason !== 'set') this.#disown(owner, key);
      },
    });
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)?.variant;
  }

  /** Keeps the variant if it has its bytes at hand. */
  set(owner: string, variant: V): void {
    if (!variant.bytes) return;
    this.#entries.set(variant.key, { owner, variant });
    // One that is larger than the whole budget has not been kept.
    if (!this.#entries.has(variant.key)) return;
    const keys = this.#keysOf.get(owner) ?? new Set();
    this.#keysOf.set(owner, keys.add(variant.key));
  }

  forget(owner: string): void {
    for (const key of this.#keysOf.get(owner) ?? []) this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  #disown(owner: string, key: string): void {
    const keys = this.#keysOf.get(owner);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysOf.delete(owner);
  }
}
