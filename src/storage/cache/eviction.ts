/** A variant on the disk, as an eviction sees it. */
export interface CachedFile {
  file: string;
  size: number;
  /** Its modification time, in milliseconds. */
  usedAt: number;
}

/** How many candidates of a kind are held at once, however many files there are. */
const MAX_CANDIDATES = 20_000;

/** An eviction makes room for a while, so that not every write needs one. */
const TARGET_SHARE = 0.9;

/** What was asked for again may take so much of the budget from what was not. */
const PROTECTED_SHARE = 0.8;

/** One that is larger than what is left to the others is never protected: it alone would displace too many. */
const MAX_PROTECTED_FILE_SHARE = 0.2;

/**
 * The time that is written down when a variant is asked for again, in seconds: whole ones, and what was only stored has a
 * fraction. So the one time of a file says when it was last used, and whether it was ever asked for again. A file system that
 * knows whole seconds only makes all of them look asked for again, and what is used longest ago goes first.
 */
export function timeOfUse(now: number): number {
  return Math.floor(now / 1000);
}

function wasAskedAgain({ usedAt }: CachedFile): boolean {
  return usedAt % 1000 === 0;
}

/**
 * Chooses what goes when the cache is over its budget: a segmented LRU. What was asked for again is protected, up to its share
 * of the budget, from what was asked for once, however much of that there is: a stranger who asks for thousands of
 * variants displaces only others of the kind.
 */
export class Eviction {
  /** Down to this an eviction goes, in bytes. */
  readonly targetBytes: number;
  readonly #maxBytes: number;
  readonly #once = new Candidates();
  readonly #again = new Candidates();
  /** Of those that were asked for once, the ones that may be too large to stay beside the protected ones. */
  readonly #large = new Candidates();
  #bytes = 0;
  #protectedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.targetBytes = maxBytes * TARGET_SHARE;
  }

  /** Takes note of a file of the cache. */
  add(found: CachedFile): void {
    this.#bytes += found.size;
    if (wasAskedAgain(found) && found.size <= this.#maxBytes * MAX_PROTECTED_FILE_SHARE) {
      this.#protectedBytes += found.size;
      this.#again.add(found);
    } else if (found.size > this.#leastRoom) this.#large.add(found);
    else this.#once.add(found);
  }

  /**
   * What is to go, in this order, for as long as the cache is too large. It may end before that, where not all files were
   * candidates. What comes into the cache meanwhile is for the next eviction: nothing protected makes room for it.
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
    const room = this.targetBytes - Math.min(this.#protectedBytes, maxProtected);
    const large = this.#large.oldest();
    // It could not stay if all others of its kind went for it.
    for (const found of large) if (found.size > room) yield found;
    const once = [...this.#once.oldest(), ...large.filter(({ size }) => size <= room)].sort(byUse);
    const again = this.#again.oldest();
    // What is protected beyond its share stands in line with the others.
    let surplus = this.#protectedBytes - maxProtected;
    let [nextOnce, nextAgain] = [0, 0];
    for (;;) {
      const [one, other] = [once[nextOnce], again[nextAgain]];
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

  get #leastRoom(): number {
    return this.#maxBytes * (TARGET_SHARE - PROTECTED_SHARE);
  }
}

/** The files that were used longest ago, so many at most. */
class Candidates {
  #files: CachedFile[] = [];
  /** Whether there were more. */
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
