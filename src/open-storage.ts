import { logOutages } from './availability.ts';
import { CatalogService } from './catalog/catalog-service.ts';
import type { CatalogStore } from './catalog/catalog-store.ts';
import { createFocalPoints } from './catalog/focal-points.ts';
import { movedBytes } from './catalog/sql/usage.ts';
import { TrashRecovery } from './catalog/trash-recovery.ts';
import { VersionRecovery } from './catalog/version-recovery.ts';
import { purgeChanges, purgeMoves } from './cdn/purged-changes.ts';
import type { Purges } from './cdn/purges.ts';
import type { Changes } from './cluster/changes.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { Config } from './config.ts';
import type { OpenDatabase } from './db/schema.ts';
import type { Log } from './log.ts';
import { acceptExtraTypes } from './media.ts';
import type { StoragePath } from './path.ts';
import type { PrivateMoves } from './spaces/private-moves.ts';
import { limitWrites, type Measures, type Quotas } from './spaces/quotas.ts';
import { type BlobStore, readsOf } from './storage/blob-store.ts';
import { createLocalVariants } from './storage/cache/local-variants.ts';
import { TieredVariants } from './storage/cache/tiered-variants.ts';
import { announceChanges, announceMoves } from './storage/change-reports.ts';
import { chooseBackend } from './storage/choose-backend.ts';
import { CachedOriginals } from './storage/originals.ts';
import { itemsOf, type RetentionStore } from './storage/retention-store.ts';
import { UsageCounter } from './storage/usage-counter.ts';

export interface StorageParts {
  database: OpenDatabase;
  catalog: CatalogStore;
  cluster: Cluster;
  changes: Changes;
  purges: Purges | undefined;
  quotas: Quotas;
  privateMoves: PrivateMoves;
  temp: string;
  log: Log;
}

export type OpenedStorage = Awaited<ReturnType<typeof openStorage>>;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Opens originals, their retained versions, their variants and the service that maintains their rows. */
export async function openStorage(config: Config, parts: StorageParts) {
  const { database, catalog, cluster, changes, purges, quotas, privateMoves, temp, log } = parts;
  const { data, cache, limits } = config;
  acceptExtraTypes(limits.documents);
  const local = await createLocalVariants({ directory: data.variants, temp, ...cache });
  const backend = await chooseBackend(config);
  const { store, retention, sharedVariants, sharedText, availability, close } = await backend.open({
    temp,
    log,
    usageCounter: new UsageCounter(database.db),
  });
  const { lock } = cluster;
  const keepMs = config.kept.trashDays * DAY_MS;
  const trashRecovery = new TrashRecovery({
    catalog,
    retention,
    moves: { completeKeep: (path, id) => retained.completeKeep(path, id) },
    store,
    lock,
    keepMs,
  });
  const versionRecovery = new VersionRecovery({ catalog, retention, lock });
  const sync = new CatalogService({
    database,
    rows: catalog,
    store,
    cluster,
    log,
    scanMs: config.catalog.scanMs,
    recoveries: { ...trashRecovery.table, ...versionRecovery.table },
  });
  const variants = sharedVariants
    ? new TieredVariants({
        local,
        shared: sharedVariants,
        temp,
        log,
        maxBytes: cache.maxBytes,
        queue: cache.uploadQueue,
        // No original has such a path.
        serialize: (path, work) => lock.run([`\0variants/${path}` as StoragePath], work),
      })
    : local;
  const isRedirected = (path: StoragePath) => catalog.redirects.areAround(path);
  const changed = withSideEffects(store, { sync, changes, purges, isRedirected });
  const leftovers = { store, trash: catalog.trash };
  const moving: BlobStore = { ...readsOf(store), ...privateMoves.keepPrivate(changed, leftovers) };
  // The outermost wrapper: a refused write leaves no intent, no rule, no purge and no message, and the bytes of a change
  // stay reserved until the catalog has them.
  const limited: BlobStore = { ...readsOf(store), ...limitWrites(moving, quotas, createMeasures(parts)) };
  const originals = new CachedOriginals(limited, {
    checkMs: cache.originalCheckMs,
    staleMs: cache.staleMs,
    availability,
    focalPoints: createFocalPoints(catalog.words),
    onDifferent: (path, stat) => sync.notice(path, stat),
  });
  if (availability && cache.staleMs > 0) logOutages(availability, log);
  const moved = withMoveSideEffects(retention, { sync, changes, purges, isRedirected });
  const retained: RetentionStore = privateMoves.keepRestoredPrivate(moved, leftovers);
  return { originals, retained, variants, sync, trashRecovery, versionRecovery, sharedText, close };
}

function createMeasures({ catalog, database }: Pick<StorageParts, 'catalog' | 'database'>): Measures {
  return {
    versionsOf: async (file) => (await catalog.versions.of(file)).reduce((sum, { size }) => sum + size, 0),
    below: (folder) => movedBytes(database.reader, folder),
  };
}

interface SideEffects {
  sync: Pick<CatalogService, 'changes' | 'followChange'>;
  changes: Pick<Changes, 'original'>;
  purges: Pick<Purges, 'during'> | undefined;
  isRedirected?: (path: StoragePath) => Promise<boolean>;
}

/** Wraps the store for all modules, so that each change has its side effects. The innermost wrapper runs last. */
export function withSideEffects(store: BlobStore, { sync, changes, purges, isRedirected }: SideEffects): BlobStore {
  const catalogued = sync.changes();
  const purged = purges ? purgeChanges(catalogued, purges, isRedirected) : catalogued;
  return { ...readsOf(store), ...announceChanges(purged, changes.original) };
}

/** Wraps the retention store likewise: moves from and to the originals have the same side effects. */
function withMoveSideEffects(
  retention: RetentionStore,
  { sync, changes, purges, isRedirected }: SideEffects,
): RetentionStore {
  const purged = purges ? { ...itemsOf(retention), ...purgeMoves(retention, purges, isRedirected) } : retention;
  return announceMoves(purged, async (path, isFolder) => {
    sync.followChange(path, isFolder);
    await changes.original(path, isFolder);
  });
}
