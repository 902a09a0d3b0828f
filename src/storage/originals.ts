import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../concurrency.ts';
import type { StoragePath } from '../path.ts';
import type { BlobStat, BlobStore } from './blob-store.ts';

export type Originals = ReturnType<typeof createOriginals>;

/**
 * Originals as readers see them: a store whose `stat` is remembered for a short time.
 * @param checkMs for how long a change by another program may go unnoticed, in milliseconds
 * @param now milliseconds of a clock that is never set back, because old variants would be shown for that long
 */
export function createOriginals(store: BlobStore, checkMs: number, now: () => number = () => performance.now()) {
  const remembered = new LRUCache<StoragePath, { stat: BlobStat | undefined; checkedAt: number }>({ max: 50_000 });
  const checks = new SingleFlight<BlobStat | undefined>();
  const underWay = new Set<{ path: StoragePath; isOvertaken: boolean }>();
  let changes = 0;

  /** The remembered state; `unknown` when the store has to be asked. Makes no system call. */
  function peek(path: StoragePath): BlobStat | undefined | 'unknown' {
    // Each check puts the path last in line; what is used is checked again and again.
    const entry = remembered.peek(path);
    return entry && now() - entry.checkedAt < checkMs ? entry.stat : 'unknown';
  }

  /** The store's `stat` now: never older than this process's last change of the path, so it looks again after one. */
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
    /** Like the store's `stat`, asked at most once in the check interval. */
    async stat(path: StoragePath): Promise<BlobStat | undefined> {
      const known = peek(path);
      // One look for all who ask at once, but not together with those who asked before a change.
      return known === 'unknown' ? checks.run(`${changes} ${path}`, undefined, () => check(path)) : known;
    },
    check,
    /** Makes a change by this process take effect at once. Without a path, everything is forgotten. */
    forget(path?: StoragePath): void {
      changes++;
      for (const asking of underWay) if (path === undefined || asking.path === path) asking.isOvertaken = true;
      if (path === undefined) remembered.clear();
      else remembered.delete(path);
    },
  };
}
