import type { CatalogKeeper } from '../catalog/catalog-keeper.ts';
import type { CatalogStore } from '../catalog/catalog-store.ts';
import { TrashKeeper } from '../catalog/trash-keeper.ts';
import type { TrashRecovery } from '../catalog/trash-recovery.ts';
import type { VersionRecovery } from '../catalog/version-recovery.ts';
import { purgeInvalidations } from '../cdn/purged-changes.ts';
import type { Purges } from '../cdn/purges.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Config } from '../config.ts';
import { createDownloadTickets } from '../db/download-tickets.ts';
import type { OpenDatabase } from '../db/schema.ts';
import type { Queue } from '../jobs/queue.ts';
import { Assets } from '../library/assets.ts';
import { Batch } from '../library/batch.ts';
import { Cleaner, type CleanerOptions } from '../library/cleanup.ts';
import { createHasBytes } from '../library/existing.ts';
import { readFieldsSchema } from '../library/fields-schema.ts';
import { Library } from '../library/library.ts';
import { createListing } from '../library/listing.ts';
import { Sweep } from '../library/sweep.ts';
import { Trash } from '../library/trash.ts';
import { Versions } from '../library/versions.ts';
import type { Log } from '../log.ts';
import type { Attic } from '../storage/attic.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';
import type { Originals } from '../storage/originals.ts';
import type { Changes, Memories } from './changes.ts';
import { openCompat } from './compat.ts';
import { openInvalidations } from './invalidations.ts';

export interface LibraryParts {
  originals: Originals;
  attic: Attic;
  variants: VariantStore;
  catalog: CatalogStore;
  sync: CatalogKeeper;
  trashRecovery: TrashRecovery;
  versionRecovery: VersionRecovery;
  queue: Queue;
  access: Memories['access'];
  describing: Memories['describing'];
  changes: Changes;
  purges: Purges | undefined;
  cluster: Cluster;
  database: OpenDatabase;
  log: Log;
}

/** Creates changes and listings of the originals. From here on, changes of other nodes take effect on this one. */
export async function openLibrary(
  config: Config,
  { queue, access, describing, cluster, database, ...parts }: LibraryParts,
) {
  const { originals, variants, sync, changes, purges } = parts;
  const { invalidated } = changes;
  const told = purges ? { invalidated: purgeInvalidations(invalidated, purges) } : changes;
  const changing = { ...parts, changes: told, lock: cluster.lock, jobs: queue };
  const { versions, trash, sweep } = openKept(config, { ...parts, cluster, changing });
  const hasBytes = createHasBytes(originals.store, parts.catalog);
  const library = new Library({ ...changing, versions, hasBytes });
  const listing = createListing({ store: originals.store, sync });
  const checkFields = await readFieldsSchema(config.catalog.fieldsSchema);
  const assets = new Assets({ ...parts, lock: cluster.lock, changed: changes.original, checkFields });
  const batch = new Batch({ ...parts, library, trash, listing, assets });
  const invalidations = openInvalidations(config, variants, database);
  await changes.heed({ originals, sync, variants, access, describing, invalidations });
  const downloadTickets = createDownloadTickets(database);
  const compat = openCompat(config, parts);
  return { library, hasBytes, listing, assets, batch, versions, trash, sweep, downloadTickets, compat };
}

const DAY_MS = 24 * 60 * 60 * 1000;

interface KeptParts
  extends Pick<LibraryParts, 'catalog' | 'cluster' | 'attic' | 'sync' | 'trashRecovery' | 'versionRecovery' | 'log'> {
  changing: CleanerOptions;
}

/** Creates the stores of retained data that is not served: versions and trash. */
function openKept({ kept }: Config, { changing, trashRecovery, versionRecovery, ...given }: KeptParts) {
  const { catalog, cluster, attic, sync, log } = given;
  const { store } = changing.originals;
  const parts = { catalog, attic, store, lock: cluster.lock };
  const cleaner = new Cleaner(changing);
  const keepMs = kept.versionDays * DAY_MS;
  const { node } = cluster;
  const onUnfinished = (intent: string) => sync.recover(intent);
  const versions = new Versions({
    ...parts,
    cleaner,
    keep: kept.versions,
    keepMs,
    recovery: versionRecovery,
    node,
    onUnfinished,
  });
  const keeper = new TrashKeeper({ catalog, attic, recovery: trashRecovery, node, onUnfinished });
  const trash = new Trash({ ...parts, cleaner, keeper });
  return { versions, trash, sweep: new Sweep({ versions, trash, tombstones: sync, cluster, log }) };
}
