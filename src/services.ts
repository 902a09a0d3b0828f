import { rm } from 'node:fs/promises';
import { openAccess } from './auth/access.ts';
import { openAuthSecret } from './auth/secret.ts';
import { logOutages } from './availability.ts';
import { CatalogService } from './catalog/catalog-service.ts';
import type { CatalogStore } from './catalog/catalog-store.ts';
import { createFocalPoints } from './catalog/focal-points.ts';
import { createSqlCatalog } from './catalog/sql/catalog.ts';
import { TrashRecovery } from './catalog/trash-recovery.ts';
import { VersionRecovery } from './catalog/version-recovery.ts';
import { MAX_PURGE_DELAY_MS } from './cdn/purge-sender.ts';
import { purgeChanges, purgeInvalidations, purgeMoves } from './cdn/purged-changes.ts';
import { Purges } from './cdn/purges.ts';
import { Changes } from './cluster/changes.ts';
import type { Cluster } from './cluster/cluster.ts';
import { Invalidations } from './cluster/invalidations.ts';
import { joinCluster } from './cluster/join.ts';
import { fingerprintsOf } from './config/fingerprints.ts';
import type { Config } from './config.ts';
import { assertCommonSettings } from './db/common-settings.ts';
import { createDownloadTickets } from './db/download-tickets.ts';
import { createInvalidationLog } from './db/invalidation-log.ts';
import { openDatabase } from './db/open.ts';
import { createRequestWindows } from './db/request-windows.ts';
import type { OpenDatabase } from './db/schema.ts';
import { openLibrary } from './library/open-library.ts';
import { openUploads } from './library/open-uploads.ts';
import { createStats } from './library/stats.ts';
import type { Log } from './log.ts';
import { acceptExtraTypes } from './media.ts';
import { Outbox } from './outbox/outbox.ts';
import { createReach } from './outgoing/public-address.ts';
import type { StoragePath } from './path.ts';
import { createStoredCount, FetchBudget } from './pull/fetch-budget.ts';
import { createPullThrough } from './pull/pull-through.ts';
import { findFonts, openRendering } from './rendering.ts';
import { type BlobStore, readsOf } from './storage/blob-store.ts';
import { createLocalVariants } from './storage/cache/local-variants.ts';
import { TieredVariants } from './storage/cache/tiered-variants.ts';
import { announceChanges, announceMoves } from './storage/change-reports.ts';
import { chooseBackend } from './storage/choose-backend.ts';
import { Originals } from './storage/originals.ts';
import { itemsOf, type RetentionStore } from './storage/retention-store.ts';
import { createTempFolder } from './storage/temp.ts';
import { UsageCounter } from './storage/usage-counter.ts';
import { findFfmpeg } from './video/ffmpeg/run.ts';
import { createFileEventSink } from './webhooks/payloads.ts';
import { Webhooks } from './webhooks/webhooks.ts';

export type Services = Awaited<ReturnType<typeof createServices>>;

type Opened = Awaited<ReturnType<typeof openServices>>;

/** The parts that are passed to functions below. */
interface Parts {
  database: OpenDatabase;
  cluster: Cluster;
  changes: Changes;
  purges: Purges | undefined;
  webhooks: Webhooks;
  catalog: CatalogStore;
  storage: Awaited<ReturnType<typeof openStorage>>;
  rendering: Awaited<ReturnType<typeof openRendering>>;
  library: Awaited<ReturnType<typeof openLibrary>>;
  temp: string;
  log: Log;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Checking a larger database before the start would take seconds. */
const CHECKED_FIRST_BYTES = 64 * 1024 * 1024;

/**
 * Assembles the service. Only this file and `rendering.ts` know the implementation of each contract. Those of the
 * cluster and of the storage are chosen in their modules, because commands of the operator need them too.
 */
export async function createServices(settings: Config, log: Log) {
  const opened = await openServices(settings, log);
  const { config, database, access, storage, pull, rendering, library, uploads, purges } = opened;
  const { originals, sync, variants } = storage;
  const isShared = database.dialect === 'postgres';
  return {
    config,
    log,
    temp: opened.temp,
    fonts: opened.fonts,
    database,
    cluster: opened.cluster,
    changes: opened.changes,
    purges,
    webhooks: opened.webhooks,
    auth: access.auth,
    keyring: access.keyring,
    sessions: access.sessions,
    account: access.account,
    signInTries: access.signInTries,
    signInBackoff: access.signInBackoff,
    setup: access.setup,
    // A single node counts alone.
    requestWindows: isShared ? createRequestWindows(database.db, config.http.rateLimit.windowMs) : undefined,
    catalog: opened.catalog,
    sync,
    describing: rendering.describing,
    originals,
    variants,
    pool: rendering.pool,
    fetchMissing: pull.fetchMissing,
    fetchBudget: pull.fetchBudget,
    hasFfmpeg: rendering.hasFfmpeg,
    queue: rendering.queue,
    events: rendering.events,
    worker: rendering.worker,
    transcodes: rendering.transcodes,
    findOriginal: rendering.findOriginal,
    findInputs: rendering.findInputs,
    playlists: rendering.playlists,
    deliver: rendering.deliver,
    library: library.library,
    listing: library.listing,
    assets: library.assets,
    batch: library.batch,
    versions: library.versions,
    trash: library.trash,
    sweep: library.sweep,
    downloadTickets: createDownloadTickets(database),
    compat: library.compat,
    uploading: uploads.uploading,
    tempBudget: uploads.tempBudget,
    resumable: uploads.resumable,
    stats: createStats({ originals, sync, variants, purges }),
    /** Ends all work. When the signal aborts, remaining work is abandoned. */
    close: (deadline = AbortSignal.timeout(config.http.shutdownTimeoutMs)) => closeServices(opened, deadline),
  };
}

/** Opens each part after those that it needs. */
async function openServices(settings: Config, log: Log) {
  // A process of its own that runs while the rest is opened.
  const ffmpeg = findFfmpeg();
  const [{ config, fonts }, temp, database] = await Promise.all([
    findFonts(settings, log),
    createTempFolder(settings.data.temp),
    openDatabase({ file: settings.data.database, log, checkedFirstBytes: CHECKED_FIRST_BYTES, ...settings.database }),
  ]);
  const cluster = await joinCluster(config, log);
  await assertCommonSettings(database, cluster, () => fingerprintsOf(config));
  const changes = new Changes(cluster.bus, log);
  const purges = openPurges(config, { database, cluster, log });
  const guard = { mayReach: createReach(config.outgoing.privateNetworks) };
  const webhooks = new Webhooks({ db: database.db, bus: cluster.bus, log, settings: config.webhooks, guard });
  const catalog = createSqlCatalog(database, undefined, createFileEventSink(webhooks));
  const storage = await openStorage(config, { database, catalog, cluster, changes, purges, temp, log });
  const secret = await openAuthSecret(database);
  const access = await openAccess(config.auth, {
    publicUrl: config.http.publicUrl,
    database,
    nodes: cluster,
    secret,
    onChange: changes.access,
  });
  const pull = openPull(config, { database, catalog, cluster, storage, temp, log });
  const rendering = await openRendering(config, {
    database,
    catalog,
    cluster,
    webhooks,
    originals: storage.originals,
    variants: storage.variants,
    fonts,
    fetchMissing: pull.fetchMissing,
    ffmpeg,
    secret,
    temp,
    log,
  });
  const library = await openFiles(config, { catalog, cluster, changes, purges, storage, rendering, log });
  // From here on, changes of other nodes take effect on this one.
  await changes.follow({
    originals: storage.originals,
    sync: storage.sync,
    variants: storage.variants,
    access: access.caches,
    describing: rendering.describing,
    invalidations: openInvalidations(config, { database, storage }),
  });
  const uploads = await openUploads(config, { ...library, ...rendering, store: storage.originals.store, temp, log });
  return {
    config,
    fonts,
    temp,
    database,
    cluster,
    changes,
    purges,
    webhooks,
    catalog,
    storage,
    access,
    pull,
    rendering,
    library,
    uploads,
  };
}

/** Closes the parts in the reverse order of their creation. */
async function closeServices(opened: Opened, deadline: AbortSignal): Promise<void> {
  const { database, cluster, changes, purges, webhooks, storage, access, temp } = opened;
  const { worker, describing, events, pool } = opened.rendering;
  const { sweep } = opened.library;
  const { resumable } = opened.uploads;
  await Promise.all([worker?.stop(), describing?.stop(), sweep.stop(), resumable.close(deadline)]);
  await events.close();
  await pool.close();
  await storage.sync.close();
  await storage.variants.close(deadline);
  await Promise.all([storage.close(), purges?.stop(deadline), webhooks.stop(deadline)]);
  await access.close();
  changes.close();
  await cluster.close();
  await database.close();
  await rm(temp, { recursive: true, force: true });
}

/** Creates the purges of the CDN; undefined when the settings name none. */
function openPurges(
  { purges: settings }: Config,
  { database, cluster, log }: Pick<Parts, 'database' | 'cluster' | 'log'>,
) {
  if (!settings) return undefined;
  const outbox = new Outbox(database.db, { maxWaitMs: MAX_PURGE_DELAY_MS });
  return new Purges({ settings, outbox, bus: cluster.bus, log });
}

type StorageParts = Pick<Parts, 'database' | 'catalog' | 'cluster' | 'changes' | 'purges' | 'temp' | 'log'>;

/** Opens originals, their retained versions, their variants and the service that maintains their rows. */
async function openStorage(config: Config, parts: StorageParts) {
  const { database, catalog, cluster, changes, purges, temp, log } = parts;
  const { data, cache, limits } = config;
  acceptExtraTypes(limits.documents);
  const local = await createLocalVariants({ directory: data.variants, temp, ...cache });
  const backend = await chooseBackend(config);
  const { store, retention, sharedVariants, availability, close } = await backend.open({
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
  const originals = new Originals(withSideEffects(store, { sync, changes, purges }), {
    checkMs: cache.originalCheckMs,
    staleMs: cache.staleMs,
    availability,
    focalPoints: createFocalPoints(catalog.words),
    onDifferent: (path, stat) => sync.notice(path, stat),
  });
  if (availability && cache.staleMs > 0) logOutages(availability, log);
  const retained: RetentionStore = withMoveSideEffects(retention, { sync, changes, purges });
  return { originals, retained, variants, sync, trashRecovery, versionRecovery, close };
}

interface SideEffects {
  sync: Pick<CatalogService, 'changes' | 'followChange'>;
  changes: Pick<Changes, 'original'>;
  purges: Pick<Purges, 'during'> | undefined;
}

/** Wraps the store for all modules, so that each change has its side effects. The innermost wrapper runs last. */
export function withSideEffects(store: BlobStore, { sync, changes, purges }: SideEffects): BlobStore {
  const catalogued = sync.changes();
  const purged = purges ? purgeChanges(catalogued, purges) : catalogued;
  return { ...readsOf(store), ...announceChanges(purged, changes.original) };
}

/** Wraps the retention store likewise: moves from and to the originals have the same side effects. */
function withMoveSideEffects(retention: RetentionStore, { sync, changes, purges }: SideEffects): RetentionStore {
  const purged = purges ? { ...itemsOf(retention), ...purgeMoves(retention, purges) } : retention;
  return announceMoves(purged, async (path, isFolder) => {
    sync.followChange(path, isFolder);
    await changes.original(path, isFolder);
  });
}

/** Fetches originals from external sources, within a budget; both are undefined without such sources. */
function openPull(
  { pull }: Config,
  parts: Pick<Parts, 'database' | 'catalog' | 'cluster' | 'storage' | 'temp' | 'log'>,
) {
  const { database, catalog, cluster, storage, temp, log } = parts;
  const folders = pull.origins.map(({ folder }) => folder);
  const countStored = createStoredCount(folders, {
    isIndexed: () => storage.sync.progress()?.state === 'ready',
    sizeOf: async (folder) => (await catalog.usage.total(folder)).size,
  });
  const budget = new FetchBudget({ db: database.db, maxBytes: pull.maxBytes, countStored });
  const { originals } = storage;
  const fetchMissing = createPullThrough({ ...pull, budget, originals, lock: cluster.lock, temp, log });
  return { fetchMissing, fetchBudget: fetchMissing && budget };
}

type FilesParts = Pick<Parts, 'catalog' | 'cluster' | 'changes' | 'purges' | 'storage' | 'rendering' | 'log'>;

/** Opens the changes and listings of originals, whose invalidations also reach the CDN. */
function openFiles({ kept, catalog: settings, cache, limits, pull }: Config, parts: FilesParts) {
  const { catalog, cluster, changes, purges, storage, rendering, log } = parts;
  const { originals, retained, variants, sync, trashRecovery, versionRecovery } = storage;
  return openLibrary(
    {
      fieldsSchema: settings.fieldsSchema,
      versions: kept.versions,
      versionsMs: kept.versionDays * DAY_MS,
      rememberMs: cache.originalCheckMs,
      rules: limits,
      origins: pull.origins,
    },
    {
      originals,
      retained,
      variants,
      catalog,
      sync,
      trashRecovery,
      versionRecovery,
      jobs: rendering.queue,
      cluster,
      purges,
      changed: changes.original,
      invalidated: purges ? purgeInvalidations(changes.invalidated, purges) : changes.invalidated,
      log,
    },
  );
}

/** Creates the invalidations that this node has to follow; undefined without other nodes. */
function openInvalidations({ data }: Config, { database, storage }: Pick<Parts, 'database' | 'storage'>) {
  if (database.dialect === 'sqlite') return undefined;
  const { variants } = storage;
  return new Invalidations({ log: createInvalidationLog(database.db), seenFile: data.invalidated, variants });
}
