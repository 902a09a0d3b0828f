import type { LRUCache } from 'lru-cache';
import type { Availability } from '../availability.ts';
import { boundedCache } from '../bounded-cache.ts';
import { LATE, SingleFlight, within } from '../concurrency.ts';
import { type FocalPoint, isSamePoint } from '../focal-point.ts';
import { isWithin, ROOT, type StoragePath } from '../path.ts';
import { type BlobStat, type BlobStore, isOutage } from './blob-store.ts';

/** An original as readers see it. */
export interface OriginalStat extends BlobStat {
  /** The stored point; the same object as before where it has not moved. */
  focal?: FocalPoint;
}

/** Reads the stored points of originals. An error leaves the point that was last known. */
export type FocalPoints = (path: StoragePath) => Promise<FocalPoint | undefined>;

/** What readers see while the store does not answer. */
export interface StaleOptions {
  /** While the store is unavailable, last known states are used immediately. */
  availability?: Pick<Availability, 'isAvailable'> | undefined;
  /** For how long after it was last seen an original counts as it was then, in milliseconds. 0: not at all. */
  staleMs?: number;
  /** Without it no original has a point. */
  focalPoints?: FocalPoints;
  /** Told of an original that is found to be another one than before, without a change by this process that was told of. */
  onDifferent?: (path: StoragePath, stat: BlobStat | undefined) => void;
}

/** How many originals are remembered, with less than half a kilobyte for each. */
const MAX_REMEMBERED = 50_000;
/** The same where memory is all that is left of them while the store does not answer. */
const MAX_RECALLED = 100_000;

/** In the place of `doubts`: the state has to be looked up again. */
const STALE = -1;

/** How long a reader who could be told the last known state waits for the present one, in milliseconds. */
const PATIENCE_MS = 2000;

/** @see Originals */
export function createOriginals(
  store: BlobStore,
  checkMs: number,
  now: () => number = () => performance.now(),
  options: StaleOptions = {},
): Originals {
  return new Originals(store, { checkMs, now, ...options });
}

interface OriginalsOptions extends StaleOptions {
  /** For how long a change by another program may go unnoticed, in milliseconds. */
  checkMs: number;
  /** Milliseconds of a clock that is never set back, because old variants would be shown for that long. */
  now: () => number;
}

interface Known {
  stat: OriginalStat | undefined;
  checkedAt: number;
  /** How often everything had been doubted before. */
  doubts: number;
}

/**
 * Originals as readers see them: a store whose `stat` is remembered for a short time, and for longer while the store does not
 * answer.
 */
export class Originals {
  readonly store: BlobStore;
  readonly #availability: StaleOptions['availability'];
  readonly #checkMs: number;
  readonly #staleMs: number;
  readonly #focalPoints: FocalPoints | undefined;
  readonly #onDifferent: StaleOptions['onDifferent'];
  readonly #now: () => number;
  readonly #remembered: LRUCache<StoragePath, Known>;
  readonly #checks = new SingleFlight<OriginalStat | undefined>();
  readonly #underWay = new Set<{ path: StoragePath; isOvertaken: boolean }>();
  #changes = 0;
  #doubts = 0;
  #recalled = 0;

  constructor(store: BlobStore, { checkMs, staleMs = 0, focalPoints, onDifferent, now, ...rest }: OriginalsOptions) {
    this.store = store;
    this.#availability = rest.availability;
    this.#checkMs = checkMs;
    this.#staleMs = staleMs;
    this.#focalPoints = focalPoints;
    this.#onDifferent = onDifferent;
    this.#now = now;
    this.#remembered = boundedCache(staleMs > 0 ? MAX_RECALLED : MAX_REMEMBERED);
  }

  /** How often the last known state was given because the store did not answer. */
  get recalled(): number {
    return this.#recalled;
  }

  /** The remembered state; `unknown` when the store has to be asked. Makes no system call. */
  peek(path: StoragePath): OriginalStat | undefined | 'unknown' {
    // Each check puts the path last in line; what is used is checked again and again.
    const entry = this.#remembered.peek(path);
    const isGood = entry?.doubts === this.#doubts && this.#now() - entry.checkedAt < this.#checkMs;
    if (entry && isGood) return entry.stat;
    return this.#recallInOutage(path) ?? 'unknown';
  }

  /** Like the store's `stat`, asked at most once in the check interval. */
  async stat(path: StoragePath): Promise<OriginalStat | undefined> {
    const known = this.peek(path);
    if (known !== 'unknown') return known;
    // One look for all who ask at once, but not together with those who asked before a change.
    return this.#hear(
      path,
      this.#checks.run(`${this.#changes} ${path}`, undefined, () => this.check(path)),
    );
  }

  /** The store's `stat` now: never older than this process's last change of the path, so it looks again after one. */
  check(path: StoragePath): Promise<OriginalStat | undefined> {
    return this.#look(path, () => undefined);
  }

  /** @param lastKnown what gives the point, instead of another question about it; then it is not fresher than it was */
  async #look(path: StoragePath, lastKnown: () => Known | undefined): Promise<OriginalStat | undefined> {
    for (;;) {
      const known = lastKnown();
      const checkedAt = known?.checkedAt ?? this.#now();
      const asking = { path, isOvertaken: false };
      this.#underWay.add(asking);
      try {
        const [found, focal] = await Promise.all([
          this.store.stat(path),
          known ? known.stat?.focal : this.#focalOf(path),
        ]);
        if (asking.isOvertaken) continue;
        const stat: OriginalStat | undefined = found && focal ? { ...found, focal } : found;
        const before = this.#remembered.peek(path);
        if (before && before.stat?.etag !== found?.etag) this.#onDifferent?.(path, found);
        this.#remembered.set(path, { stat, checkedAt, doubts: this.#doubts });
        return stat;
      } finally {
        this.#underWay.delete(asking);
      }
    }
  }

  async #focalOf(path: StoragePath): Promise<FocalPoint | undefined> {
    const known = this.#remembered.peek(path)?.stat?.focal;
    const focal = await this.#focalPoints?.(path).catch(() => known);
    return isSamePoint(known, focal) ? known : focal;
  }

  /** Like `check`, but the last known state while the store does not answer. */
  async current(path: StoragePath): Promise<OriginalStat | undefined> {
    return this.#recallInOutage(path) ?? this.#hear(path, this.check(path));
  }

  /** Whether an original is this version now, as far as `current` can tell. Its point does not matter, and is asked for only where it
   * has been forgotten. */
  async isCurrent(path: StoragePath, etag: string): Promise<boolean> {
    const lastKnown = () => {
      const known = this.#remembered.peek(path);
      return known?.stat && known.doubts === this.#doubts ? known : undefined;
    };
    const stat = this.#recallInOutage(path) ?? (await this.#hear(path, this.#look(path, lastKnown)));
    return stat?.etag === etag;
  }

  /** Makes a change of a file, or of everything in a folder, take effect at once. Without a path, everything is forgotten. */
  forget(path: StoragePath = ROOT, isFolder = path === ROOT): void {
    const isMeant = (one: StoragePath) => one === path || (isFolder && isWithin(one, path));
    this.#overtake(isMeant);
    if (path === ROOT) this.#remembered.clear();
    else if (!isFolder) this.#remembered.delete(path);
    else for (const one of [...this.#remembered.keys()].filter(isMeant)) this.#remembered.delete(one);
  }

  /**
   * Has a file looked up again that another node says it has changed into this version.
   * @returns true when this is the last known version, which then still counts while the store does not answer
   */
  confirm(path: StoragePath, etag: string): boolean {
    const known = this.#remembered.peek(path);
    if (known?.stat?.etag !== etag) return false;
    this.#overtake((one) => one === path);
    this.#remembered.set(path, { ...known, doubts: STALE });
    return true;
  }

  /** Has everything looked up again, because changes may have gone unnoticed. While the store does not answer, what was last known
   * still counts. */
  doubt(): void {
    this.#overtake(() => true);
    this.#doubts++;
  }

  #overtake(isMeant: (path: StoragePath) => boolean): void {
    this.#changes++;
    for (const asking of this.#underWay) if (isMeant(asking.path)) asking.isOvertaken = true;
  }

  #recallInOutage(path: StoragePath): OriginalStat | undefined {
    return this.#availability?.isAvailable === false ? this.#recall(path) : undefined;
  }

  /** The last known state of a file that nobody is known to have changed or removed since. */
  #recall(path: StoragePath): OriginalStat | undefined {
    const entry = this.#remembered.get(path);
    if (!entry?.stat || this.#now() - entry.checkedAt >= this.#staleMs) return undefined;
    this.#recalled++;
    return entry.stat;
  }

  /** What the store says, or the last known state when it says nothing. */
  async #hear(path: StoragePath, asking: Promise<OriginalStat | undefined>): Promise<OriginalStat | undefined> {
    if (this.#staleMs === 0 || !this.#remembered.peek(path)?.stat) return asking;
    try {
      const heard = await within(asking, PATIENCE_MS);
      if (heard !== LATE) return heard;
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
    // It may have been changed or removed meanwhile.
    return this.#recall(path) ?? asking;
  }
}
