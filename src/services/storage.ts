import { purgeChanges, purgeMoves } from '../cdn/purged-changes.ts';
import type { Purges } from '../cdn/purges.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Config } from '../config.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { createTotalsLedger, openVariantLedger } from '../db/totals-ledger.ts';
import { createCountedTotals, createWalkedTotals } from '../library/totals.ts';
import type { Log } from '../log.ts';
import type { StoragePath } from '../path.ts';
import { announceChanges, announceMoves } from '../storage/announced-changes.ts';
import { type Attic, itemsOf } from '../storage/attic.ts';
import type { Backend } from '../storage/backend.ts';
import { type BlobStore, readsOf } from '../storage/blob-store.ts';
import { createLocalVariants } from '../storage/cache/local-variants.ts';
import { TieredVariants } from '../storage/cache/tiered-variants.ts';
import { diskBackend } from '../storage/disk/backend.ts';
import { createOriginals, type FocalPoints } from '../storage/originals.ts';
import { s3Backend } from '../storage/s3/backend.ts';
import type { Changes } from './changes.ts';

export interface StorageParts {
  database: OpenDatabase;
  cluster: Pick<Cluster, 'node' | 'isAlive' | 'lock'>;
  changes: Changes;
  purges: Purges | undefined;
  temp: string;
  /** Of originals, as they are stored with what people say of them. */
  focalPoints: FocalPoints;
  log: Log;
}

/** The storage that the configuration chooses. Every kind of storage is a case here. */
export function backendOf({ storage, data }: Config): Backend {
  switch (storage.kind) {
    case 'disk':
      return diskBackend(data);
    case 's3':
      return s3Backend({ ...storage, staged: data.staged });
  }
}

/** The locks on variants have names that no original has. */
const VARIANTS = '\0variants';

/** Originals, their variants and the totals of the originals, on the storage that the configuration chooses. */
export async function openStorage(
  config: Config,
  { database, cluster, changes, purges, focalPoints, temp, log }: StorageParts,
) {
  const { data, cache } = config;
  const { whenThere } = database;
  const local = await createLocalVariants({ directory: data.variants, temp, ...cache });
  const context = { temp, log, openVariantLedger: () => openVariantLedger(database, cluster) };
  const { store, attic, sharedVariants: shared, counting, close } = await backendOf(config).open(context);
  const onError = (err: unknown) => log.error({ err }, 'the files could not be counted');
  const totals =
    counting === 'walk'
      ? createWalkedTotals(store)
      : await createCountedTotals({ store, ledger: createTotalsLedger(database.db, cluster), whenThere, onError });
  const variants = shared
    ? new TieredVariants({
        ...{ local, shared, temp, log, maxBytes: cache.maxBytes, queue: cache.uploadQueue },
        inTurn: (path, work) => cluster.lock.run([`${VARIANTS}/${path}` as StoragePath], work),
      })
    : local;
  const originals = createOriginals(entail(store, { changes, purges }), cache.originalCheckMs, undefined, {
    ...{ staleMs: cache.staleMs, focalPoints },
    onChange: (failure) => logOutage(log, failure),
  });
  return { originals, attic: entailMoves(attic, { changes, purges }), variants, totals, close };
}

interface Consequences {
  changes: Pick<Changes, 'original'>;
  purges: Pick<Purges, 'during'> | undefined;
}

/** The store as all others get it: each change of it entails what it has to. What is put around it first is done last. */
export function entail(store: BlobStore, { changes, purges }: Consequences): BlobStore {
  const purged = purges ? purgeChanges(store, purges) : store;
  return { ...readsOf(store), ...announceChanges(purged, changes.original) };
}

/** The attic as all others get it: what it takes from the originals, and gives back to them, entails the same. */
function entailMoves(attic: Attic, { changes, purges }: Consequences): Attic {
  const moves = purges ? purgeMoves(attic, purges) : attic;
  return announceMoves(
    { ...itemsOf(attic), keep: moves.keep.bind(moves), giveBack: moves.giveBack.bind(moves) },
    changes.original,
  );
}

function logOutage(log: Log, err: Error | undefined): void {
  if (err) log.warn({ err }, 'the storage does not answer: what is cached is served by the last known versions');
  else log.info('the storage answers again');
}
