/** A variant on the disk, as seen by an eviction. */
export interface CachedFile extends Use {
  file: string;
}

/** Size and last use of a file. */
export interface Use {
  /** Bytes. */
  size: number;
  /** Time of the last use, in ms: the modification time of the file. */
  usedAt: number;
}

/** Maximum number of steps of a kind in memory, regardless of the number of files. */
const MAX_STEPS = 4096;

/** Number of large files that are remembered one by one. They alone exceed the budget ten times. */
const MAX_LARGE = 100;

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
 *
 * Needs two walks, because it holds no file in memory: the first adds up sizes by time of use, from which `choose`
 * derives the time up to which files are evicted; the second compares each file with it.
 */
export class Eviction {
  /** Size at which an eviction ends, in bytes. */
  readonly targetBytes: number;
  readonly #maxBytes: number;
  readonly #once = new SizesByUse();
  readonly #again = new SizesByUse();
  /** Files that were requested once and may be too large to stay next to the protected ones. */
  #large: Use[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.targetBytes = maxBytes * TARGET_SHARE;
  }

  /** Adds a file of the first walk. */
  add(found: Use): void {
    this.#bytes += found.size;
    if (this.#isProtected(found)) this.#again.add(found);
    else if (found.size > this.#maxBytes * (TARGET_SHARE - PROTECTED_SHARE)) this.#addLarge(found);
    else this.#once.add(found);
  }

  /**
   * Ends the first walk. @returns the files of the second walk to evict, which together make the cache small enough.
   * Those that are stored or requested meanwhile are left to the next eviction.
   */
  choose(): Choice {
    const maxProtected = this.#maxBytes * PROTECTED_SHARE;
    // A larger file would not fit even if all other unprotected files were evicted.
    const maxSize = this.targetBytes - Math.min(this.#again.bytes, maxProtected);
    const oversized = new SizesByUse();
    for (const found of this.#large) (found.size > maxSize ? oversized : this.#once).add(found);
    const large = new Cut();
    const once = new Cut();
    const again = new Cut();
    // Files beyond the protected share are evicted in the order of all others.
    let surplus = this.#again.bytes - maxProtected;
    const unprotected: Step[] = this.#once.inOrder().map((step) => ({ ...step, cut: once }));
    const others: Step[] = [];
    for (const step of this.#again.inOrder()) {
      (surplus > 0 ? unprotected : others).push({ ...step, cut: again });
      surplus -= step.size;
    }
    const first = oversized.inOrder().map((step) => ({ ...step, cut: large }));
    let excess = this.#bytes - this.targetBytes;
    for (const step of [...first, ...unprotected.sort(byUse), ...others]) excess -= step.cut.extend(step, excess);
    return {
      usedUntil: Math.max(large.end, once.end, again.end),
      has: (found) => {
        if (this.#isProtected(found)) return again.has(found);
        return (found.size > maxSize ? large : once).has(found);
      },
    };
  }

  #isProtected({ size, usedAt }: Use): boolean {
    return wasRequestedAgain(usedAt) && size <= this.#maxBytes * MAX_PROTECTED_FILE_SHARE;
  }

  /** The older ones of many go in any case, so that their order among all others is enough. */
  #addLarge(found: Use): void {
    this.#large.push({ size: found.size, usedAt: found.usedAt });
    if (this.#large.length < 2 * MAX_LARGE) return;
    this.#large.sort(byUse);
    for (const one of this.#large.splice(0, MAX_LARGE)) this.#once.add(one);
  }
}

/**
 * Sizes in the order of use. Beyond `MAX_STEPS` neighbours are added up, under the time of the latest. One step is at
 * most a two-thousandth of all bytes, or one file.
 */
class SizesByUse {
  #steps: Use[] = [];
  bytes = 0;

  add({ size, usedAt }: Use): void {
    this.bytes += size;
    this.#steps.push({ size, usedAt });
    // Any two neighbours of the result exceed this size.
    if (this.#steps.length >= 2 * MAX_STEPS) this.#merge((2 * this.bytes) / MAX_STEPS);
  }

  /** Least recently used first, each time once. */
  inOrder(): readonly Use[] {
    this.#merge(0);
    return this.#steps;
  }

  #merge(maxSize: number): void {
    const merged: Use[] = [];
    for (const step of this.#steps.sort(byUse)) {
      const last = merged.at(-1);
      if (last && (last.usedAt === step.usedAt || last.size + step.size <= maxSize)) {
        last.usedAt = step.usedAt;
        last.size += step.size;
      } else merged.push(step);
    }
    this.#steps = merged;
  }
}

/** The files to evict. */
interface Choice {
  /** The latest use of any of them, in ms. */
  usedUntil: number;
  /** True for one of them. Called once for each file of the second walk. */
  has(found: Use): boolean;
}

/** Files used at about the same time, and the cut of their kind. */
interface Step extends Use {
  cut: Cut;
}

/** The least recently used files of a kind: all up to a time, and of the next step as many as are needed. */
class Cut {
  #through = Number.NEGATIVE_INFINITY;
  #partlyThrough = Number.NEGATIVE_INFINITY;
  #partBytes = 0;

  /** The latest use of a file of the cut, in ms. */
  get end(): number {
    return Math.max(this.#through, this.#partlyThrough);
  }

  /** Adds the next step, or the part of it that is needed. @returns the bytes */
  extend({ size, usedAt }: Use, needed: number): number {
    if (needed <= 0) return 0;
    if (size <= needed) this.#through = usedAt;
    else {
      this.#partlyThrough = usedAt;
      this.#partBytes = needed;
    }
    return size;
  }

  has({ size, usedAt }: Use): boolean {
    if (usedAt <= this.#through) return true;
    if (usedAt > this.#partlyThrough || this.#partBytes <= 0) return false;
    this.#partBytes -= size;
    return true;
  }
}

function byUse(one: Use, other: Use): number {
  return one.usedAt - other.usedAt;
}
