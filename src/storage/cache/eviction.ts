/** A variant on the disk, as seen by an eviction. */
export interface CachedFile {
  file: string;
  size: number;
  /** Modification time, in ms. */
  usedAt: number;
}

/** Maximum number of candidates of a kind in memory, regardless of the number of files. */
const MAX_CANDIDATES = 20_000;

/** Share of the budget to which an eviction shrinks the cache, so that not every write needs one. */
const TARGET_SHARE = 0.9;

/** Share of the budget that variants requested again may take from those requested once. */
const PROTECTED_SHARE = 0.8;

/** A file larger than this share is never protected: it alone would displace too many. */
const MAX_PROTECTED_FILE_SHARE = 0.2;

/**
 * Returns the time to record when a variant is requested again, in whole seconds. The time of a variant that was only
 * stored has a fraction. So one time encodes the last use of a file, and whether it was ever requested again. On a file
 * system with whole seconds all variants look requested again, and the least recently used are evicted first.
 */
export function timeOfUse(now: number): number {
  return Math.floor(now / 1000);
}

/** True for the time of a file that was requested again. @param usedAt the recorded time, in ms */
export function wasRequestedAgain(usedAt: number): boolean {
  return usedAt % 1000 === 0;
}

/**
 * Chooses the files to evict when the cache is over its budget: a segmented LRU. Variants that were requested again are
 * protected, up to their share of the budget, from any number of variants requested once. So an anonymous client who
 * requests thousands of variants only displaces others that were requested once.
 */
export class Eviction {
  /** Size at which an eviction ends, in bytes. */
  readonly targetBytes: number;
  readonly #maxBytes: number;
  readonly #once = new Candidates();
  readonly #again = new Candidates();
  /** Files that were requested once and may be too large to stay next to the protected ones. */
  readonly #large = new Candidates();
  #bytes = 0;
  #protectedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.targetBytes = maxBytes * TARGET_SHARE;
  }

  /** Adds a file of the cache. */
  add(found: CachedFile): void {
    this.#bytes += found.size;
    if (wasRequestedAgain(found.usedAt) && found.size <= this.#maxBytes * MAX_PROTECTED_FILE_SHARE) {
      this.#protectedBytes += found.size;
      this.#again.add(found);
    } else if (found.size > this.#minBytes) this.#large.add(found);
    else this.#once.add(found);
  }

  /**
   * Yields the files to evict, in order, until the cache is small enough. It may end earlier when there were too many
   * candidates. Files that are stored meanwhile are left to the next eviction.
   */
  *victims(): Generator<CachedFile> {
    let excess = this.#bytes - this.targetBytes;
    for (const found of this.#inOrder()) {
      if (excess <= 0) return;
      yield found;
      excess -= found.size;
    }
  }

  *#inOrder(): Generator<CachedFile> {
    const maxProtected = this.#maxBytes * PROTECTED_SHARE;
    const target = this.targetBytes - Math.min(this.#protectedBytes, maxProtected);
    const large = this.#large.oldest();
    // Such a file would not fit even if all other unprotected files were evicted.
    for (const found of large) if (found.size > target) yield found;
    const once = [...this.#once.oldest(), ...large.filter(({ size }) => size <= target)].sort(byUse);
    const again = this.#again.oldest();
    // Files beyond the protected share are evicted in the order of all others.
    let surplus = this.#protectedBytes - maxProtected;
    let nextOnce = 0;
    let nextAgain = 0;
    for (;;) {
      const one = once[nextOnce];
      const other = again[nextAgain];
      if ((!one && this.#once.areCut) || (!other && this.#again.areCut)) return;
      if (other && (!one || (surplus > 0 && other.usedAt < one.usedAt))) {
        nextAgain++;
        surplus -= other.size;
        yield other;
      } else if (one) {
        nextOnce++;
        yield one;
      } else return;
    }
  }

  get #minBytes(): number {
    return this.#maxBytes * (TARGET_SHARE - PROTECTED_SHARE);
  }
}

/** The least recently used files, up to `MAX_CANDIDATES`. */
class Candidates {
  #files: CachedFile[] = [];
  /** True if there were more. */
  areCut = false;

  add(found: CachedFile): void {
    this.#files.push(found);
    if (this.#files.length >= 2 * MAX_CANDIDATES) this.#cut();
  }

  oldest(): CachedFile[] {
    this.#cut();
    return this.#files;
  }

  #cut(): void {
    this.#files.sort(byUse);
    if (this.#files.length <= MAX_CANDIDATES) return;
    this.#files = this.#files.slice(0, MAX_CANDIDATES);
    this.areCut = true;
  }
}

function byUse(one: CachedFile, other: CachedFile): number {
  return one.usedAt - other.usedAt;
}
