import type { Purges } from '../cdn/purges.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';
import type { DatedUsage, Usage } from '../storage/usage.ts';
import type { Totals } from './totals.ts';

/** The answer of `GET /storage/stats`. */
export interface StorageStats {
  storage: Usage;
  cache: Usage;
  /** When the counters last changed; now, where they are counted for each request. */
  updatedAt: string;
  /** What a CDN is still to be told; only where there is one. */
  purges?: PurgeStats;
}

export interface PurgeStats {
  waiting: number;
  /** How many were given up. */
  failed: number;
  oldestAt: string | null;
  lastError: string | null;
}

export interface StatsOptions {
  totals: Totals;
  variants: VariantStore;
  purges: Pick<Purges, 'stats'> | undefined;
}

export function createStats({ totals, variants, purges }: StatsOptions) {
  async function readPurges(): Promise<{ purges?: PurgeStats }> {
    if (!purges) return {};
    const { waiting, failed, oldestAt, lastError } = await purges.stats();
    return { purges: { waiting, failed, oldestAt: oldestAt?.toISOString() ?? null, lastError: lastError ?? null } };
  }

  const withCache = async (counting: Promise<DatedUsage>): Promise<StorageStats> => {
    const [{ size, fileCount, updatedAt }, cache] = await Promise.all([counting, variants.stats()]);
    const latest = cache.updatedAt && cache.updatedAt > updatedAt ? cache.updatedAt : updatedAt;
    return {
      storage: { size, fileCount },
      cache: { size: cache.size, fileCount: cache.fileCount },
      updatedAt: latest.toISOString(),
      ...(await readPurges()),
    };
  };
  return {
    read: () => withCache(totals.read()),
    /** Counts everything again. */
    async recalculate() {
      const [count] = await Promise.all([totals.recount(), variants.recount()]);
      return withCache(Promise.resolve(count));
    },
  };
}
