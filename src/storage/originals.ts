import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../concurrency.ts';
import type { StoragePath } from '../path.ts';
import type { BlobStat, BlobStore } from './blob-store.ts';

/** How many originals are remembered. */
const MAX_REMEMBERED = 50_000;

interface Remembered {
  stat: BlobStat | undefined;
  checkedAt: number;
}

/** Originals as readers see them: a store whose `stat` is remembered for a short time. */
export interface Originals {
  readonly store: BlobStore;
  /** The remembered state; `unknown` when it has to be asked for. Touches no disk. */
  peek(path: StoragePath): BlobStat | undefined | 'unknown';
  /** Like the store's `stat`, asked at most once in the check interval. */
  stat(path: StoragePath): Promise<BlobStat | undefined>;
  /** The store's `stat` now: nothing older than our own last change of the path. */
  check(path: StoragePath): Promise<BlobStat | undefined>;
  /** A change of our own takes effect at once: without a path, everything is forgotten. */
  forget(path?: StoragePath): void;
}

/**
 * @param checkMs for how long a change by another program may go unnoticed, in milliseconds
 * @param now milliseconds of a clock that nobody sets back: for so long old variants would be shown
 */
export function createOriginals(
  store: BlobStore,
  checkMs: number,
  now: () => number = () => performance.now(),
): Originals {
  const remembered = new LRUCache<StoragePath, Remembered>({ max: MAX_REMEMBERED });
  const checks = new SingleFlight<BlobStat | undefined>();
  const underWay = new Set<{ path: StoragePath; isOvertaken: boolean }>();
  let changes = 0;

  function peek(path: StoragePath) {
    const entry = remembered.get(path);
    return entry && now() - entry.checkedAt < checkMs ? entry.stat : 'unknown';
  }

  /** What it saw before a change of ours may be true no more: then it looks again. */
  async function check(path: StoragePath): Promise<BlobStat | undefined> {
    for (;;) {
      const checkedAt = now();
      const asking = { path, isOvertaken: false };
      underWay.add(asking);
      const stat = await store.stat(path).finally(() => underWay.delete(asking));
      if (asking.isOvertaken) continue;
      remembered.set(path, { stat, checkedAt });
      return stat;
    }
  }

  return {
    store,
    peek,
    async stat(path) {
      const known = peek(path);
      // However many ask for it at once; and never with those who asked before a change of ours.
      return known === 'unknown' ? checks.run(`${changes} ${path}`, undefined, () => check(path)) : known;
    },
    check,
    forget(path) {
      changes++;
      for (const asking of underWay) if (path === undefined || asking.path === path) asking.isOvertaken = true;
      if (path === undefined) remembered.clear();
      else remembered.delete(path);
    },
  };
}
