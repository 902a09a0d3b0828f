import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../concurrency.ts';
import type { StoragePath } from '../path.ts';
import { type BlobStat, type BlobStore, isOutage } from './blob-store.ts';
import { Outage, type OutageOptions } from './outage.ts';

export type Originals = ReturnType<typeof createOriginals>;

/** What readers see while the store does not answer. */
export interface StaleOptions extends OutageOptions {
  /** For how long after it was last seen an original counts as it was then, in milliseconds. 0: not at all. */
  staleMs?: number;
}

/** How many originals are remembered, with less than half a kilobyte for each. */
const MAX_REMEMBERED = 50_000;
/** The same where memory is all that is left of them while the store does not answer. */
const MAX_RECALLED = 100_000;

/** How long a reader who could be told the last known state waits for the present one, in milliseconds. */
const PATIENCE_MS = 2000;

/**
 * Originals as readers see them: a store whose `stat` is remembered for a short time, and for longer while the store does not
 * answer.
 * @param checkMs for how long a change by another program may go unnoticed, in milliseconds
 * @param now milliseconds of a clock that is never set back, because old variants would be shown for that long
 */
export function createOriginals(
  store: BlobStore,
  checkMs: number,
  now: () => number = () => performance.now(),
  { staleMs = 0, ...outageOptions }: StaleOptions = {},
) {
  const remembered = new LRUCache<StoragePath, { stat: BlobStat | undefined; checkedAt: number }>({
    max: staleMs > 0 ? MAX_RECALLED : MAX_REMEMBERED,
  });
  const checks = new SingleFlight<BlobStat | undefined>();
  const underWay = new Set<{ path: StoragePath; isOvertaken: boolean }>();
  const outage = new Outage(outageOptions);
  let changes = 0;
  let recalled = 0;

  /** The remembered state; `unknown` when the store has to be asked. Makes no system call. */
  function peek(path: StoragePath): BlobStat | undefined | 'unknown' {
    // Each check puts the path last in line; what is used is checked again and again.
    const entry = remembered.peek(path);
    if (entry && now() - entry.checkedAt < checkMs) return entry.stat;
    return (outage.isOn && recall(path)) || 'unknown';
  }

  /** The last known state of a file that nobody is known to have changed or removed since. */
  function recall(path: StoragePath): BlobStat | undefined {
    const entry = remembered.get(path);
    if (!entry?.stat || now() - entry.checkedAt >= staleMs) return undefined;
    recalled++;
    return entry.stat;
  }

  /** The store's `stat` now: never older than this process's last change of the path, so it looks again after one. */
  async function check(path: StoragePath): Promise<BlobStat | undefined> {
    for (;;) {
      const checkedAt = now();
      const asking = { path, isOvertaken: false };
      underWay.add(asking);
      try {
        const stat = await store.stat(path);
        if (asking.isOvertaken) continue;
        remembered.set(path, { stat, checkedAt });
        return stat;
      } catch (error) {
        if (staleMs > 0 && isOutage(error)) outage.begin(error, () => check(path));
        throw error;
      } finally {
        underWay.delete(asking);
      }
    }
  }

  /** What the store says, or the last known state when it says nothing. */
  async function hear(path: StoragePath, asking: Promise<BlobStat | undefined>): Promise<BlobStat | undefined> {
    if (staleMs === 0 || !remembered.get(path)?.stat) return asking;
    try {
      const heard = await withPatience(asking);
      if (heard !== 'late') return heard;
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
    // It may have been changed or removed meanwhile.
    return recall(path) ?? asking;
  }

  return {
    store,
    peek,
    /** Like the store's `stat`, asked at most once in the check interval. */
    async stat(path: StoragePath): Promise<BlobStat | undefined> {
      const known = peek(path);
      if (known !== 'unknown') return known;
      // One look for all who ask at once, but not together with those who asked before a change.
      return hear(
        path,
        checks.run(`${changes} ${path}`, undefined, () => check(path)),
      );
    },
    check,
    /** Like `check`, but the last known state while the store does not answer. */
    async current(path: StoragePath): Promise<BlobStat | undefined> {
      return (outage.isOn && recall(path)) || hear(path, check(path));
    },
    /** How often the last known state was given because the store did not answer. */
    recalled: () => recalled,
    /** Makes a change by this process take effect at once. Without a path, everything is forgotten. */
    forget(path?: StoragePath): void {
      changes++;
      for (const asking of underWay) if (path === undefined || asking.path === path) asking.isOvertaken = true;
      if (path === undefined) remembered.clear();
      else remembered.delete(path);
    },
  };
}

/** The result, or `late`. */
async function withPatience<T>(work: Promise<T>): Promise<T | 'late'> {
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), PATIENCE_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
