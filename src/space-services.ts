import { createRedirectLookup } from './catalog/redirect-lookup.ts';
import type { JobQueue } from './jobs/queue.ts';
import { openLibrary } from './library/open-library.ts';
import { createUploading } from './library/open-uploads.ts';
import { createStats } from './library/stats.ts';
import type { Assembled, OpenedServices, Services } from './library-services.ts';
import type { StoragePath } from './path.ts';
import { OriginProblem } from './pull/pull-through.ts';
import { openDelivery } from './rendering.ts';
import { createDeliveryRules } from './spaces/delivery-rules.ts';
import { createQuotaCheck } from './spaces/quotas.ts';
import { rootedStore } from './spaces/rooted/blob-store.ts';
import { rootedCatalog } from './spaces/rooted/catalog.ts';
import { createRootedJobEvents } from './spaces/rooted/job-events.ts';
import { rootedOriginals } from './spaces/rooted/originals.ts';
import { rootedPathLock } from './spaces/rooted/path-lock.ts';
import { createRootedQueue } from './spaces/rooted/queue.ts';
import { rootedTrashRecovery, rootedVersionRecovery } from './spaces/rooted/recovery.ts';
import { rootedRetentionStore } from './spaces/rooted/retention-store.ts';
import { createRoot, type Root } from './spaces/rooted/root.ts';
import { rootedVariants } from './spaces/rooted/variants.ts';
import { configIn, type RequestSpace } from './spaces/rules.ts';
import type { BlobStore } from './storage/blob-store.ts';
import { batchesOf } from './storage/in-parallel.ts';

/** Members that spaces share with the library. Every other one is a view of it: see `openViews`. */
const SHARED = [
  'log',
  'temp',
  'fonts',
  'database',
  'cluster',
  'changes',
  'auth',
  'sessions',
  'findSessionHolder',
  'members',
  'invitations',
  'oidc',
  'account',
  'signInTries',
  'signInBackoff',
  'setup',
  'requestWindows',
  'spaces',
  'spaceManager',
  'describing',
  'pool',
  'fetchBudget',
  'hasFfmpeg',
  'worker',
  'tempBudget',
  'trashPreviews',
  'audit',
  'auditIds',
] as const satisfies readonly (keyof Services)[];

type Shared = (typeof SHARED)[number];

/** Opens the services of a space. They hold nothing that has to be closed. */
export function openSpaceServices(library: Assembled, opened: OpenedServices, within: RequestSpace): Services {
  const shared = Object.fromEntries(SHARED.map((name) => [name, library[name]])) as Pick<Services, Shared>;
  return { ...shared, ...openViews(library, opened, within) };
}

/** Opens the views, so that a member which is neither shared nor here does not compile. */
function openViews(
  library: Assembled,
  opened: OpenedServices,
  { space, entrance }: RequestSpace,
): Omit<Services, Shared> {
  const root = createRoot(space.folder);
  const config = configIn(library.config, space, entrance);
  const views = openStorageViews(library, opened, root);
  const { originals, variants, catalog, sync } = views;
  const queue = createRootedQueue(library.queue, space.id, root);
  const fetchMissing = fetchMissingIn(library.fetchMissing, root);
  const followRedirect = createRedirectLookup({ redirects: catalog.redirects, areTogether: () => true });
  const usage = usageIn(library.usage, root);
  const { engine } = opened.rendering;
  const delivery = openDelivery(
    config,
    {
      originals,
      variants,
      queue,
      fetchMissing,
      followRedirect,
      root: space.folder,
      space: space.id,
      cluster: library.cluster,
      usage,
      temp: library.temp,
      log: library.log,
    },
    engine,
  );
  const files = openFiles(opened, config, views, queue, root);
  const deliveryRules = createDeliveryRules(library.spaces, library.config.limits, space);
  const uploading = createUploading(config, {
    library: files.library,
    pool: engine.pool,
    budget: delivery.budget,
    deliver: delivery.deliver,
    deliveryRules,
    requireQuota: createQuotaCheck(opened.quotas, originals.store, root.toOuter),
    temp: library.temp,
    log: library.log,
  });
  return {
    config,
    purges: undefined,
    deliveryRules,
    webhooks: library.webhooks.inSpace(space.id),
    keyring: { ...library.keyring.inSpace(space.id), verify: library.keyring.verify },
    catalog,
    sync,
    originals,
    variants,
    fetchMissing,
    followRedirect,
    queue,
    events: createRootedJobEvents(library.events, space.id, root),
    transcodes: delivery.transcodes,
    findOriginal: delivery.findOriginal,
    findInputs: delivery.findInputs,
    playlists: delivery.playlists,
    deliver: delivery.deliver,
    transcoding: delivery.transcoding,
    library: files.library,
    redirects: files.redirects,
    hasBytes: files.hasBytes,
    listing: files.listing,
    assets: files.assets,
    batch: files.batch,
    versions: files.versions,
    trash: files.trash,
    downloadTickets: library.downloadTickets.inSpace(space.id),
    compat: files.compat,
    uploading,
    resumable: library.resumable.inSpace(space.id, entrance === 'host'),
    stats: createStats({ originals, sync, variants, purges: undefined }),
    usage,
  };
}

/** Fetches missing files of a space. The errors name inner paths. */
function fetchMissingIn(base: Services['fetchMissing'], { toOuter }: Root): Services['fetchMissing'] {
  return (
    base &&
    (async (path, signal) => {
      try {
        return await base(toOuter(path), signal);
      } catch (error) {
        throw error instanceof OriginProblem ? error.about(path) : error;
      }
    })
  );
}

/** Originals that the other nodes are notified of in one message. */
const INVALIDATED_AT_ONCE = 100;

/** Invalidates variants of a space on the other nodes. Those of others stay, so all files are named. */
async function invalidateIn(
  { invalidated }: OpenedServices,
  { toOuter }: Root,
  store: Pick<BlobStore, 'walk'>,
  { path, files }: { path: StoragePath; files: readonly StoragePath[] | 'all' },
): Promise<void> {
  if (files !== 'all') return invalidated(toOuter(path), files.map(toOuter));
  for await (const batch of batchesOf(store.walk(path), INVALIDATED_AT_ONCE)) {
    const named = batch.map((file) => toOuter(file.path));
    await invalidated(toOuter(path), named);
  }
}

/** Counts the work of a space by the outer paths of its files. */
function usageIn(usage: Assembled['usage'], { toOuter }: Root): Services['usage'] {
  return {
    read: (by, range) => usage.read(by, range),
    counterOf: (path, key) => usage.counterOf(toOuter(path), key),
    countRender: (path, ms) => usage.countRender(toOuter(path), ms),
  };
}

type StorageViews = ReturnType<typeof openStorageViews>;

function openStorageViews(library: Assembled, { storage }: OpenedServices, root: Root) {
  const store = rootedStore(library.originals.store, root);
  const originals = rootedOriginals(library.originals, root, store);
  const variants = rootedVariants(library.variants, root, store);
  const catalog = rootedCatalog(library.catalog, root);
  const isOwnItem = async (id: string) =>
    (await catalog.trash.find(id)) !== undefined || (await catalog.versions.exists(id));
  const retained = rootedRetentionStore(storage.retained, root, isOwnItem);
  const { sync: base } = storage;
  const sync: Services['sync'] = {
    rows: catalog,
    revalidate: (folder, options) => base.revalidate(root.toOuter(folder), options),
    recover: (intent) => base.recover(intent),
    progress: () => base.progress(),
    // The library sweeps for all.
    sweep: async () => undefined,
    reconciliation: {
      async run() {
        await base.revalidate(root.folder, { isDeep: true });
      },
    },
  };
  return { originals, variants, catalog, retained, sync };
}

function openFiles(
  opened: OpenedServices,
  config: Services['config'],
  { originals, variants, catalog, retained, sync }: StorageViews,
  jobs: Pick<JobQueue, 'removeWithin'>,
  root: Root,
) {
  const { toOuter } = root;
  const { changes, cluster, purges, log, storage, librarySettings } = opened;
  return openLibrary(
    { ...librarySettings, rules: config.limits, origins: [], assertMovable: undefined },
    {
      originals,
      retained,
      variants,
      catalog,
      sync,
      trashRecovery: rootedTrashRecovery(storage.trashRecovery, root),
      versionRecovery: rootedVersionRecovery(storage.versionRecovery, root),
      jobs,
      cluster,
      lock: rootedPathLock(opened.lock, root),
      adding: (path, bytes, change) => opened.quotas.adding(toOuter(path), bytes, change),
      purges: purges && { during: (path, kind, change) => purges.during(toOuter(path), kind, change) },
      changed: (path, isFolder) => changes.original(toOuter(path), isFolder),
      invalidated: (path, files) => invalidateIn(opened, root, originals.store, { path, files }),
      areTogether: () => true,
      countTogether: () => catalog.redirects.count(),
      log,
    },
  );
}
