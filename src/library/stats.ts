import type { VariantStore } from '../storage/cache/variant-store.ts';
import type { DatedUsage, Usage } from '../storage/usage.ts';
import type { Totals } from './totals.ts';

/** The answer of `GET /storage/stats`. */
export interface StorageStats {
  storage: Usage;
  cache: Usage;
  /** When the counters last changed; now, where they are counted for each request. */
  updatedAt: string;
}

export function createStats({ totals, variants }: { totals: Totals; variants: VariantStore }) {
  const withCache = async (counting: Promise<DatedUsage>): Promise<StorageStats> => {
    const [{ size, fileCount, updatedAt }, cache] = await Promise.all([counting, variants.stats()]);
    const latest = cache.updatedAt && cache.updatedAt > updatedAt ? cache.updatedAt : updatedAt;
    return {
      storage: { size, fileCount },
      cache: { size: cache.size, fileCount: cache.fileCount },
      updatedAt: latest.toISOString(),
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
