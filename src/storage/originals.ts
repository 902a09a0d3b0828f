import type { LRUCache } from 'lru-cache';
import type { Availability } from '../availability.ts';
import { boundedCache } from '../bounded-cache.ts';
import { LATE, SingleFlight, within } from '../concurrency.ts';
import { type FocalPoint, isSamePoint } from '../focal-point.ts';
import { isWithin, ROOT, type StoragePath } from '../path.ts';
import { type BlobStat, type BlobStore, isOutage } from './blob-store.ts';

/** An original as readers see it. */
export interface OriginalStat extends BlobStat {
  /** The stored point; the same object as before while it has not moved. */
  focal?: FocalPoint;
}

/** Reads the stored point of an original. After an error the last known point is used. */
export type FocalPoints = (path: StoragePath) => Promise<FocalPoint | undefined>;

export interface OriginalsOptions {
  /** Time for which a change by another program may go unnoticed, in ms. */
  checkMs: number;
  /** A monotonic clock in ms: if set back, it would show old variants for that long. */
  now?: () => number;
  /** While the store is unavailable, last known states are used immediately. */
  availability?: Pick<Availability, 'isAvailable'> | undefined;
  /** Maximum age of a last known state, in ms; 0 disables stale states. */
  staleMs?: number;
  /** Without it no original has a point. */
  focalPoints?: FocalPoints;
  /** Called for an original that differs from the last known one without a reported change by this process. */
  onDifferent?: (path: StoragePath, stat: BlobStat | undefined) => void;
}

/** Maximum number of originals in memory, with less than half a kilobyte each. */
const MAX_REMEMBERED = 50_000;
/** The maximum where memory is the only source while the store does not respond. */
const MAX_RECALLED = 100_000;

/** Value for a stale state, which must be looked up again. */
const STALE = -1;

/** Timeout for the present state of a reader who could get the last known one, in ms. */
const TIMEOUT_MS = 2000;

interface Known {
  stat: OriginalStat | undefined;
  checkedAt: number;
  /** Generation in which it was read; `STALE` for none. */
  generation: number;
  /** Number of changes before it was found to be as it is. */
  since: number;
}

/**
 * Originals as seen by readers: a store whose `stat` is cached for a short time, and for longer while the store does
 * not respond.
 */
export interface Originals {
  readonly store: BlobStore;
  /** Number of last known states returned because the store did not respond. */
  readonly recalled: number;
  /** Returns the cached state; `unknown` when the store must be queried. Makes no system call. */
  peek(path: StoragePath): OriginalStat | undefined | 'unknown';
  /** Returns the store's `stat`, queried at most once per check interval. */
  stat(path: StoragePath): Promise<OriginalStat | undefined>;
  /**
   * Returns the store's `stat` now: never older than this process's last change of the path, after which it queries
   * again.
   */
  check(path: StoragePath): Promise<OriginalStat | undefined>;
  /** Returns `check`, or the last known state while the store does not respond. */
  current(path: StoragePath): Promise<OriginalStat | undefined>;
  /**
   * True if an original has this version now, as far as `current` knows. Its point does not matter, and is only
   * queried where it is not cached.
   */
  isCurrent(path: StoragePath, etag: string): Promise<boolean>;
  /**
   * Applies a change of a file, or of everything below a folder, immediately. Without a path, everything is
   * invalidated.
   */
  invalidate(path?: StoragePath, isFolder?: boolean): void;
}

/** What shows that an original was the same all the time, or missing, and that redirects lead to it as before. */
export interface SteadyOriginals {
  /** Number of changes so far. */
  readonly changes: number;
  /**
   * Returns the number of changes before an original was found as it is, which no change of it has followed, not even
   * one that put the same bytes back; undefined when its state is not known. Makes no system call.
   */
  unchangedSince(path: StoragePath): number | undefined;
  /**
   * As `unchangedSince`, for an original that is missing; undefined when it is not known to be.
   */
  missingSince(path: StoragePath): number | undefined;
}

/** Originals in the memory of this process. */
export class CachedOriginals implements Originals, SteadyOriginals {
  readonly store: BlobStore;
  readonly #availability: OriginalsOptions['availability'];
  readonly #checkMs: number;
  readonly #staleMs: number;
  readonly #focalPoints: FocalPoints | undefined;
  readonly #onDifferent: OriginalsOptions['onDifferent'];
  readonly #now: () => number;
  readonly #remembered: LRUCache<StoragePath, Known>;
  readonly #checks = new SingleFlight<OriginalStat | undefined>();
  readonly #reads = new Set<{ path: StoragePath; isOvertaken: boolean }>();
  #changes = 0;
  #generation = 0;
  #recalled = 0;

  constructor(store: BlobStore, options: OriginalsOptions) {
    const { staleMs = 0, now = () => performance.now() } = options;
    this.store = store;
    this.#availability = options.availability;
    this.#checkMs = options.checkMs;
    this.#staleMs = staleMs;
    this.#focalPoints = options.focalPoints;
    this.#onDifferent = options.onDifferent;
    this.#now = now;
    this.#remembered = boundedCache(staleMs > 0 ? MAX_RECALLED : MAX_REMEMBERED);
  }

  get recalled(): number {
    return this.#recalled;
  }

  get changes(): number {
    return this.#changes;
  }

  unchangedSince(path: StoragePath): number | undefined {
    return this.peek(path) === 'unknown' ? undefined : this.#remembered.peek(path)?.since;
  }

  missingSince(path: StoragePath): number | undefined {
    return this.peek(path) === undefined ? this.unchangedSince(path) : undefined;
  }

  peek(path: StoragePath): OriginalStat | undefined | 'unknown' {
    // Each check moves the path to the end of the LRU order; paths in use are checked again and again.
    const entry = this.#remembered.peek(path);
    const isGood = entry?.generation === this.#generation && this.#now() - entry.checkedAt < this.#checkMs;
    if (entry && isGood) return entry.stat;
    return this.#recallInOutage(path) ?? 'unknown';
  }

  async stat(path: StoragePath): Promise<OriginalStat | undefined> {
    const known = this.peek(path);
    if (known !== 'unknown') return known;
    // One lookup for all concurrent callers, except that those after a change do not join an earlier lookup.
    return this.#hear(
      path,
      this.#checks.run(`${this.#changes} ${path}`, undefined, () => this.check(path)),
    );
  }

  check(path: StoragePath): Promise<OriginalStat | undefined> {
    return this.#look(path, () => undefined);
  }

  /** @param lastKnown provides the point instead of another query; then it is as old as it was */
  async #look(path: StoragePath, lastKnown: () => Known | undefined): Promise<OriginalStat | undefined> {
    for (;;) {
      const known = lastKnown();
      const checkedAt = known?.checkedAt ?? this.#now();
      const reading = { path, isOvertaken: false };
      this.#reads.add(reading);
      try {
        const [found, focal] = await Promise.all([
          this.store.stat(path),
          known ? known.stat?.focal : this.#focalOf(path),
        ]);
        if (reading.isOvertaken) continue;
        const stat: OriginalStat | undefined = found && focal ? { ...found, focal } : found;
        const before = this.#remembered.peek(path);
        if (before && before.stat?.etag !== found?.etag) this.#onDifferent?.(path, found);
        const isSame = before?.generation === this.#generation && before.stat?.etag === stat?.etag;
        const since = isSame ? before.since : this.#changes;
        this.#remembered.set(path, { stat, checkedAt, generation: this.#generation, since });
        return stat;
      } finally {
        this.#reads.delete(reading);
      }
    }
  }

  async #focalOf(path: StoragePath): Promise<FocalPoint | undefined> {
    const known = this.#remembered.peek(path)?.stat?.focal;
    const focal = await this.#focalPoints?.(path).catch(() => known);
    return isSamePoint(known, focal) ? known : focal;
  }

  async current(path: StoragePath): Promise<OriginalStat | undefined> {
    return this.#recallInOutage(path) ?? this.#hear(path, this.check(path));
  }

  async isCurrent(path: StoragePath, etag: string): Promise<boolean> {
    const lastKnown = () => {
      const known = this.#remembered.peek(path);
      return known?.stat && known.generation === this.#generation ? known : undefined;
    };
    const stat = this.#recallInOutage(path) ?? (await this.#hear(path, this.#look(path, lastKnown)));
    return stat?.etag === etag;
  }

  invalidate(path: StoragePath = ROOT, isFolder = path === ROOT): void {
    const isAffected = (one: StoragePath) => one === path || (isFolder && isWithin(one, path));
    this.#overtake(isAffected);
    if (path === ROOT) this.#remembered.clear();
    else if (!isFolder) this.#remembered.delete(path);
    else for (const one of [...this.#remembered.keys()].filter(isAffected)) this.#remembered.delete(one);
  }

  /**
   * Marks a file stale that another node reports to have changed into this version.
   * @returns true when this is the last known version, which then remains valid while the store does not respond
   */
  confirm(path: StoragePath, etag: string): boolean {
    const known = this.#remembered.peek(path);
    if (known?.stat?.etag !== etag) return false;
    this.#overtake((one) => one === path);
    this.#remembered.set(path, { ...known, generation: STALE });
    return true;
  }

  /**
   * Marks everything stale, because changes may have been missed. While the store does not respond, the last known
   * states remain valid.
   */
  markStale(): void {
    this.#overtake(() => true);
    this.#generation++;
  }

  #overtake(isAffected: (path: StoragePath) => boolean): void {
    this.#changes++;
    for (const reading of this.#reads) if (isAffected(reading.path)) reading.isOvertaken = true;
  }

  #recallInOutage(path: StoragePath): OriginalStat | undefined {
    return this.#availability?.isAvailable === false ? this.#recall(path) : undefined;
  }

  /** Returns the last known state of a file without a known change or removal since. */
  #recall(path: StoragePath): OriginalStat | undefined {
    const entry = this.#remembered.get(path);
    if (!entry?.stat || this.#now() - entry.checkedAt >= this.#staleMs) return undefined;
    this.#recalled++;
    return entry.stat;
  }

  /** Returns the response of the store, or the last known state when there is none. */
  async #hear(path: StoragePath, reading: Promise<OriginalStat | undefined>): Promise<OriginalStat | undefined> {
    if (this.#staleMs === 0 || !this.#remembered.peek(path)?.stat) return reading;
    try {
      const heard = await within(reading, TIMEOUT_MS);
      if (heard !== LATE) return heard;
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
    // It may have been changed or removed meanwhile.
    return this.#recall(path) ?? reading;
  }
}
