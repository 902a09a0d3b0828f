import type { Availability } from '../availability.ts';
import type { CatalogKeeper } from '../catalog/catalog-keeper.ts';
import type { CatalogStore } from '../catalog/catalog-store.ts';
import { TrashRecovery } from '../catalog/trash-recovery.ts';
import { VersionRecovery } from '../catalog/version-recovery.ts';
import { purgeChanges, purgeMoves } from '../cdn/purged-changes.ts';
import type { Purges } from '../cdn/purges.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Config } from '../config.ts';
import type { OpenDatabase } from '../db/schema.ts';
import type { Log } from '../log.ts';
import { acceptExtraTypes } from '../media.ts';
import type { StoragePath } from '../path.ts';
import { announceChanges, announceMoves } from '../storage/announced-changes.ts';
import { type Attic, itemsOf } from '../storage/attic.ts';
import type { Backend } from '../storage/backend.ts';
import { type BlobStore, readsOf } from '../storage/blob-store.ts';
import { createLocalVariants } from '../storage/cache/local-variants.ts';
import { TieredVariants } from '../storage/cache/tiered-variants.ts';
import { diskBackend } from '../storage/disk/backend.ts';
import { type FocalPoints, Originals } from '../storage/originals.ts';
import { UsageCounter } from '../storage/usage-counter.ts';
import { openCatalogKeeper } from './catalog.ts';
import type { Changes } from './changes.ts';

export interface StorageParts {
  database: OpenDatabase;
  catalog: CatalogStore;
  cluster: Pick<Cluster, 'node' | 'isAlive' | 'lock'>;
  changes: Changes;
  purges: Purges | undefined;
  temp: string;
  /** Of originals, as they are stored with what people say of them. */
  focalPoints: FocalPoints;
  log: Log;
}

/** Opens the configured storage. Every kind of storage is a case here; its SDK is loaded only if needed. */
export async function backendOf({ storage, data }: Config): Promise<Backend> {
  switch (storage.kind) {
    case 'disk':
      return diskBackend(data);
    case 's3': {
      const { s3Backend } = await import('../storage/s3/backend.ts');
      return s3Backend({ ...storage, staged: data.staged });
    }
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The locks on variants have names that no original has. */
const VARIANTS = '\0variants';

/** Creates originals, their variants and the catalog of the originals, on the configured storage. */
export async function openStorage(
  config: Config,
  { database, catalog, cluster, changes, purges, focalPoints, temp, log }: StorageParts,
) {
  const { data, cache, limits } = config;
  acceptExtraTypes(limits.documents);
  const local = await createLocalVariants({ directory: data.variants, temp, ...cache });
  const context = { temp, log, usageCounter: new UsageCounter(database.db) };
  const backend = await backendOf(config);
  const { store, attic, sharedVariants: shared, availability, close } = await backend.open(context);
  const { node, lock } = cluster;
  const recovering = { catalog, attic, lock, node };
  const trashRecovery = new TrashRecovery({ ...recovering, store, keepMs: config.kept.trashDays * DAY_MS });
  const versionRecovery = new VersionRecovery(recovering);
  const recoveries = { ...trashRecovery.table, ...versionRecovery.table };
  const sync = openCatalogKeeper(config, { database, catalog, cluster, store, log, recoveries });
  const variants = shared
    ? new TieredVariants({
        local,
        shared,
        temp,
        log,
        maxBytes: cache.maxBytes,
        queue: cache.uploadQueue,
        inTurn: (path, work) => cluster.lock.run([`${VARIANTS}/${path}` as StoragePath], work),
      })
    : local;
  const originals = new Originals(entail(store, { sync, changes, purges }), {
    checkMs: cache.originalCheckMs,
    staleMs: cache.staleMs,
    availability,
    focalPoints,
    onDifferent: (path, stat) => sync.notice(path, stat),
  });
  if (availability && cache.staleMs > 0) logOutages(availability, log);
  return {
    originals,
    attic: entailMoves(attic, { sync, changes, purges }),
    variants,
    sync,
    trashRecovery,
    versionRecovery,
    close,
  };
}

interface Consequences {
  sync: Pick<CatalogKeeper, 'changes' | 'heed'>;
  changes: Pick<Changes, 'original'>;
  purges: Pick<Purges, 'during'> | undefined;
}

/** Wraps the store for all other modules, so that each change has its side effects. The innermost wrapper runs last. */
export function entail(store: BlobStore, { sync, changes, purges }: Consequences): BlobStore {
  const catalogued = sync.changes();
  const purged = purges ? purgeChanges(catalogued, purges) : catalogued;
  return { ...readsOf(store), ...announceChanges(purged, changes.original) };
}

/** Wraps the retention store likewise: moves from and to the originals have the same side effects. */
function entailMoves(attic: Attic, { sync, changes, purges }: Consequences): Attic {
  const moves = purges ? purgeMoves(attic, purges) : attic;
  return announceMoves(
    { ...itemsOf(attic), keep: moves.keep.bind(moves), giveBack: moves.giveBack.bind(moves) },
    async (path, isFolder) => {
      sync.heed(path, isFolder);
      await changes.original(path, isFolder);
    },
  );
}

/** Logs one line at the start of an outage and one at its end, however often its failure changes. */
function logOutages(availability: Availability, log: Log): void {
  let isOutage = false;
  availability.onChange((err) => {
    if (err === undefined) {
      log.info('the storage answers again');
    } else if (!isOutage) {
      log.warn({ err }, 'the storage does not answer: what is cached is served by the last known versions');
    }
    isOutage = err !== undefined;
  });
}
