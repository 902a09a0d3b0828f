import type { CatalogService } from '../catalog/catalog-service.ts';
import type { SpaceCatalog } from '../catalog/catalog-store.ts';
import { TrashService, type TrashServiceOptions } from '../catalog/trash-service.ts';
import type { VersionRecovery } from '../catalog/version-recovery.ts';
import type { Cluster, PathLock } from '../cluster/cluster.ts';
import { Sweep } from '../cluster/sweep.ts';
import type { UrlRules } from '../delivery/url.ts';
import type { JobQueue } from '../jobs/queue.ts';
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
import type { CheckFields } from './fields-schema.ts';
import { type AssertMovable, Library } from './library.ts';
import { createListing, type ListingOptions } from './listing.ts';
import { Redirecting, type RedirectingOptions } from './redirects.ts';
import { Trash } from './trash.ts';
import { type AddBytes, Versions } from './versions.ts';

export interface LibrarySettings {
  /** Maximum number of versions of a file, and their retention period in ms. */
  versions: number;
  versionsMs: number;
  /** Lifetime of cached files of URLs of other services, in ms. */
  rememberMs: number;
  /** Rules of URLs, and folders for the source URLs of other services. */
  rules: UrlRules;
  origins: Parameters<typeof createImgproxyUrls>[2];
  /** Checks custom fields of metadata. */
  checkFields: CheckFields;
  assertMovable?: AssertMovable | undefined;
}

/** The part of the service of the catalog that a space has as well. */
export type LibrarySync = ListingOptions['sync'] & Pick<CatalogService, 'recover' | 'progress' | 'sweep'>;

export interface LibraryParts {
  originals: Originals;
  /** Store of versions and the trash. */
  retained: RetentionStore;
  variants: VariantStore;
  catalog: SpaceCatalog;
  sync: LibrarySync;
  trashRecovery: TrashServiceOptions['recovery'];
  versionRecovery: Pick<VersionRecovery, 'recover'>;
  jobs: Pick<JobQueue, 'removeWithin'>;
  cluster: Pick<Cluster, 'node' | 'once'>;
  /** Recovers unfinished moves into the trash before each change. */
  lock: PathLock;
  /** Counts what replaced files add to the quota of their space. */
  adding: AddBytes;
  purges: AssetsOptions['purges'];
  /** Applies a change of a file here and on the other nodes. */
  changed: AssetsOptions['changed'];
  areTogether: RedirectingOptions['areTogether'];
  countTogether: RedirectingOptions['countTogether'];
  /** Invalidates variants here, on the other nodes and in the CDN. */
  invalidated: OtherMachines['invalidated'];
  log: Log;
}

/** Creates the changes and listings of originals, their metadata, versions and trash. */
export function openLibrary(settings: LibrarySettings, parts: LibraryParts) {
  const { originals, retained, variants, catalog, sync, jobs, cluster, lock, purges, changed, log } = parts;
  const { checkFields, assertMovable } = settings;
  const { store } = originals;
  const { node } = cluster;
  const cleanup = { originals, variants, jobs, changes: { invalidated: parts.invalidated }, log };
  const cleaner = new Cleaner(cleanup);
  const onUnfinished = (intent: string) => sync.recover(intent);
  const versions = new Versions({
    catalog,
    retention: retained,
    store,
    cleaner,
    lock,
    adding: parts.adding,
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
  const trash = new Trash({ catalog, trash: trashService, store, cleaner, lock, assertMovable });
  const sweep = new Sweep({
    name: 'sweep of what is kept',
    fails: 'old versions and the trash could not be swept',
    tasks: [trash, sync, versions].map((expiring) => (now, signal) => expiring.sweep(now, signal)),
    cluster,
    log,
  });
  const hasBytes = createHasBytes(store, catalog);
  const { areTogether, countTogether } = parts;
  const redirects = new Redirecting({ catalog, store, lock, purges, changed, areTogether, countTogether });
  const library = new Library({ ...cleanup, lock, versions, hasBytes, redirects, assertMovable });
  const listing = createListing({ store, sync });
  const assets = new Assets({ catalog, originals, variants, lock, changed, purges, checkFields });
  const batch = new Batch({ library, trash, listing, catalog, assets });
  const compat = openCompat(settings, parts);
  return { library, redirects, hasBytes, listing, assets, batch, versions, trash, sweep, compat };
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
