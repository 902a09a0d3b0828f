import type { Usage } from '../../usage.ts';

interface Counted {
  key: string;
  size: number;
}

/**
 * A count by a listing, while objects come and go. The listing runs in the order of the keys. A change of a key that it has
 * passed is added to the count. A key that changes before the listing reaches it is counted by its changes alone.
 */
export class LiveCount {
  readonly #count: Usage = { size: 0, fileCount: 0 };
  /** The keys that the listing must not count; `unknown` until a change has said whether they exist. */
  readonly #changed = new Map<string, 'unknown' | 'known'>();
  #passed = Buffer.alloc(0);
  #isAtEnd = false;

  get count(): Usage {
    return { ...this.#count };
  }

  /** Counts a page of the listing, which holds all keys since the one before. */
  pass(objects: readonly Counted[]): void {
    for (const { key, size } of objects) if (!this.#changed.has(key)) this.#add(size, 1);
    const last = objects.at(-1);
    if (last) this.#passed = Buffer.from(last.key);
  }

  /** There is no further page. */
  end(): void {
    this.#isAtEnd = true;
  }

  /** To be called before a key is changed. */
  begin(key: string): void {
    const isAhead = !this.#isAtEnd && Buffer.compare(Buffer.from(key), this.#passed) > 0;
    if (isAhead && !this.#changed.has(key)) this.#changed.set(key, 'unknown');
  }

  /** A new object was stored. */
  added({ key, size }: Counted): void {
    if (this.#changed.has(key)) this.#changed.set(key, 'known');
    this.#add(size, 1);
  }

  /** The object existed already. */
  found({ key, size }: Counted): void {
    if (this.#changed.get(key) === 'unknown') this.added({ key, size });
  }

  removed({ key, size }: Counted): void {
    const isUncounted = this.#changed.get(key) === 'unknown';
    if (isUncounted) this.#changed.set(key, 'known');
    else this.#add(-size, -1);
  }

  #add(size: number, fileCount: number): void {
    this.#count.size += size;
    this.#count.fileCount += fileCount;
  }
}
