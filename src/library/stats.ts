import type { CatalogService } from '../catalog/catalog-service.ts';
import type { SpaceCatalog } from '../catalog/catalog-store.ts';
import type { Purges } from '../cdn/purges.ts';
import { SingleFlight } from '../concurrency.ts';
import { ROOT, type StoragePath } from '../path.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';
import { type Usage, usageOf } from '../storage/usage.ts';

/** Response of `GET /storage/stats`. */
export interface StorageStats {
  storage: Usage;
  cache: Usage;
  /** Time at which the figures were read. */
  updatedAt: string;
  /** Pending purges of the CDN; only if there is one. */
  purges?: PurgeStats;
}

export interface PurgeStats {
  waiting: number;
  /** Number of dead letters. */
  failed: number;
  oldestAt: string | null;
  lastError: string | null;
}

export interface StatsOptions {
  originals: { store: Pick<BlobStore, 'walk'> };
  sync: Pick<CatalogService, 'revalidate'> & {
    rows: Pick<SpaceCatalog, 'usage'>;
    reconciliation: Pick<CatalogService['reconciliation'], 'run'>;
  };
  variants: VariantStore;
  purges: Pick<Purges, 'stats'> | undefined;
}

export function createStats({ originals, sync, variants, purges }: StatsOptions) {
  const walks = new SingleFlight<Usage>();

  async function readStorage(): Promise<Usage> {
    const where = await sync.revalidate(ROOT, { isDeep: true });
    if (where === 'rows') return sync.rows.usage.total(ROOT);
    return walks.run('all', undefined, () => usageOf(originals.store.walk(ROOT)));
  }

  async function readPurges(): Promise<{ purges?: PurgeStats }> {
    if (!purges) return {};
    const { waiting, failed, oldestAt, lastError } = await purges.stats();
    return { purges: { waiting, failed, oldestAt: oldestAt?.toISOString() ?? null, lastError: lastError ?? null } };
  }

  async function read(): Promise<StorageStats> {
    const [{ size, fileCount }, cache] = await Promise.all([readStorage(), variants.stats()]);
    return {
      storage: { size, fileCount },
      cache: { size: cache.size, fileCount: cache.fileCount },
      updatedAt: new Date().toISOString(),
      ...(await readPurges()),
    };
  }

  return {
    read,
    /** Returns the current figures of the catalog, without reading the files. */
    usage: () => sync.rows.usage.total(ROOT),
    /** Returns the usage of each subfolder, and of each kind. */
    below: (folder: StoragePath) => sync.rows.usage.below(folder),
    /** Compares and recalculates everything. */
    async recalculate(): Promise<StorageStats> {
      await Promise.all([sync.reconciliation.run(), variants.recount()]);
      return read();
    },
  };
}
