import type { CatalogService } from '../catalog/catalog-service.ts';
import type { CatalogStore } from '../catalog/catalog-store.ts';
import { recoverFirst } from '../catalog/recovering-lock.ts';
import type { TrashRecovery } from '../catalog/trash-recovery.ts';
import { TrashService } from '../catalog/trash-service.ts';
import type { VersionRecovery } from '../catalog/version-recovery.ts';
import type { Purges } from '../cdn/purges.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { UrlRules } from '../delivery/url.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Log } from '../log.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';
import type { Originals } from '../storage/originals.ts';
import type { RetentionStore } from '../storage/retention-store.ts';
import { Assets, type AssetsOptions } from './assets.ts';
import { Batch } from './batch.ts';
import { Cleaner, type OtherMachines } from './cleanup.ts';
import { createCloudinaryUrls } from './compat/cloudinary.ts';
import { FilesByStem } from './compat/files-by-stem.ts';
import { createImgproxyUrls } from './compat/imgproxy.ts';
import { createHasBytes } from './existing.ts';
import { readFieldsSchema } from './fields-schema.ts';
import { Library } from './library.ts';
import { createListing } from './listing.ts';
import { Sweep } from './sweep.ts';
import { Trash } from './trash.ts';
import { Versions } from './versions.ts';

export interface LibrarySettings {
  /** File of the operator's JSON Schema for the fields of metadata. */
  fieldsSchema: string | undefined;
  /** Maximum number of versions of a file, and their retention period in ms. */
  versions: number;
  versionsMs: number;
  /** Lifetime of cached files of URLs of other services, in ms. */
  rememberMs: number;
  /** Rules of URLs, and folders for the source URLs of other services. */
  rules: UrlRules;
  origins: Parameters<typeof createImgproxyUrls>[2];
}

export interface LibraryParts {
  originals: Originals;
  /** Store of versions and the trash. */
  retained: RetentionStore;
  variants: VariantStore;
  catalog: CatalogStore;
  sync: CatalogService;
  trashRecovery: TrashRecovery;
  versionRecovery: VersionRecovery;
  jobs: Queue;
  cluster: Pick<Cluster, 'node' | 'lock' | 'once'>;
  purges: Purges | undefined;
  /** Applies a change of a file here and on the other nodes. */
  changed: AssetsOptions['changed'];
  /** Invalidates variants here, on the other nodes and in the CDN. */
  invalidated: OtherMachines['invalidated'];
  log: Log;
}

/** Creates the changes and listings of originals, their metadata, versions and trash. */
export async function openLibrary(settings: LibrarySettings, parts: LibraryParts) {
  const { originals, retained, variants, catalog, sync, jobs, cluster, purges, changed, log } = parts;
  const { store } = originals;
  const { node } = cluster;
  const lock = recoverFirst(cluster.lock, parts.trashRecovery);
  const cleanup = { originals, variants, jobs, changes: { invalidated: parts.invalidated }, log };
  const cleaner = new Cleaner(cleanup);
  const onUnfinished = (intent: string) => sync.recover(intent);
  const versions = new Versions({
    catalog,
    retention: retained,
    store,
    cleaner,
    lock,
    keep: settings.versions,
    keepMs: settings.versionsMs,
    recovery: parts.versionRecovery,
    node,
    onUnfinished,
  });
  const trashService = new TrashService({
    catalog,
    retention: retained,
    recovery: parts.trashRecovery,
    node,
    onUnfinished,
  });
  const trash = new Trash({ catalog, trash: trashService, store, cleaner, lock });
  const sweep = new Sweep({ versions, trash, tombstones: sync, cluster, log });
  const hasBytes = createHasBytes(store, catalog);
  const library = new Library({ ...cleanup, lock, versions, hasBytes });
  const listing = createListing({ store, sync });
  const checkFields = await readFieldsSchema(settings.fieldsSchema);
  const assets = new Assets({ catalog, originals, variants, lock, changed, purges, checkFields });
  const batch = new Batch({ library, trash, listing, catalog, assets });
  const compat = openCompat(settings, parts);
  return { library, hasBytes, listing, assets, batch, versions, trash, sweep, compat };
}

/** Creates the readers of URLs of other services. */
function openCompat({ rememberMs, rules, origins }: LibrarySettings, { originals, catalog, sync }: LibraryParts) {
  const isIndexed = () => sync.progress()?.state === 'ready';
  const files = new FilesByStem({ originals, catalog, isIndexed, rememberMs });
  return {
    cloudinary: createCloudinaryUrls(files, rules),
    imgproxy: createImgproxyUrls(originals, rules, origins),
  };
}
