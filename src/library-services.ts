import { rm } from 'node:fs/promises';
import { AuditLog } from './audit/audit-log.ts';
import { createEntryIds } from './audit/entry-ids.ts';
import { recordSideEffect } from './audit/side-effects.ts';
import { openAccess } from './auth/access.ts';
import type { Keyring, SpaceKeyring } from './auth/keyring.ts';
import { openAuthSecret } from './auth/secret.ts';
import { deriveKey } from './auth/signature.ts';
import type { SpaceCatalog } from './catalog/catalog-store.ts';
import { recoverFirst } from './catalog/recovering-lock.ts';
import { createRedirectLookup } from './catalog/redirect-lookup.ts';
import type { Redirects } from './catalog/redirects.ts';
import { createSqlCatalog } from './catalog/sql/catalog.ts';
import { purgeInvalidations } from './cdn/purged-changes.ts';
import { Changes } from './cluster/changes.ts';
import { joinCluster } from './cluster/join.ts';
import { fingerprintsOf } from './config/fingerprints.ts';
import type { Config } from './config.ts';
import { assertCommonSettings } from './db/common-settings.ts';
import { createDownloadTickets, type DownloadTickets } from './db/download-tickets.ts';
import { openDatabase } from './db/open.ts';
import { createRequestWindows } from './db/request-windows.ts';
import { INSTALLATION } from './installation.ts';
import type { JobEventReads } from './jobs/events.ts';
import type { JobQueue } from './jobs/queue.ts';
import { readFieldsSchema } from './library/fields-schema.ts';
import { type LibrarySettings, type LibrarySync, openLibrary } from './library/open-library.ts';
import { openUploads } from './library/open-uploads.ts';
import { createUploadRecorder } from './library/recorded-uploads.ts';
import { MAX_REDIRECTS } from './library/redirects.ts';
import type { OwnUploads } from './library/resumable/resumable-uploads.ts';
import { createStats, type StatsOptions } from './library/stats.ts';
import { TrashPreviews } from './library/trash-previews.ts';
import type { Log } from './log.ts';
import { openInvalidations, openPull, openPurges, openUsage } from './open-parts.ts';
import { openStorage } from './open-storage.ts';
import { createReach } from './outgoing/public-address.ts';
import type { StoragePath } from './path.ts';
import { findFonts, openRendering } from './rendering.ts';
import { createSpaceWork } from './space-work.ts';
import { createDeliveryRules } from './spaces/delivery-rules.ts';
import { assertNoSpace, openSpaceManager } from './spaces/open-spaces.ts';
import { createPrivateMoves } from './spaces/private-moves.ts';
import { createQuotaCheck, createQuotas } from './spaces/quotas.ts';
import { createSpaceRegistry, type SpaceRegistry } from './spaces/registry.ts';
import { LIBRARY } from './spaces/space.ts';
import type { Originals } from './storage/originals.ts';
import { createTempFolder } from './storage/temp.ts';
import type { UsageMeter } from './usage/usage-meter.ts';
import { findFfmpeg } from './video/ffmpeg/run.ts';
import type { WebhookManagement } from './webhooks/managed-webhooks.ts';
import { createFileEventSink } from './webhooks/payloads.ts';
import { Webhooks } from './webhooks/webhooks.ts';

export type Assembled = ReturnType<typeof assemble>;

/** The services that answer a request, in the library or in a space. */
export type Services = Omit<Assembled, keyof SpaceViews | 'sweep' | 'close'> & SpaceViews;

/** The members of which a space has less than the library. */
export interface SpaceViews {
  catalog: SpaceCatalog;
  sync: LibrarySync & StatsOptions['sync'];
  originals: Originals;
  queue: JobQueue;
  events: JobEventReads;
  keyring: SpaceKeyring & Pick<Keyring, 'verify'>;
  webhooks: WebhookManagement;
  downloadTickets: DownloadTickets;
  resumable: OwnUploads;
  usage: Pick<UsageMeter, 'read' | 'counterOf' | 'countRender'>;
}

export type OpenedServices = Awaited<ReturnType<typeof openServices>>;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Other nodes apply a changed rule within 250 ms. Requests that were admitted before it have found their file by then. */
const RULE_SPREAD_MS = { postgres: 500, sqlite: 100 };

/** Checking a larger database before the start would take seconds. */
const CHECKED_FIRST_BYTES = 64 * 1024 * 1024;

export function assemble(opened: OpenedServices) {
  const { config, database, access, storage, pull, rendering, library, uploads, purges, spaces } = opened;
  const { originals, sync, variants } = storage;
  const isShared = database.dialect === 'postgres';
  return {
    config,
    log: opened.log,
    temp: opened.temp,
    fonts: opened.fonts,
    database,
    cluster: opened.cluster,
    audit: opened.audit,
    auditIds: createEntryIds(() => deriveKey(opened.secret(), 'audit-entries')),
    usage: opened.usage,
    changes: opened.changes,
    purges,
    webhooks: opened.webhooks,
    auth: access.auth,
    keyring: access.keyring,
    sessions: access.sessions,
    findSessionHolder: access.findSessionHolder,
    members: access.members,
    invitations: access.invitations,
    oidc: access.oidc,
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
    followRedirect: opened.followRedirect,
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
    transcoding: rendering.transcoding,
    spaces,
    spaceManager: opened.spaceManager,
    deliveryRules: opened.deliveryRules,
    library: library.library,
    redirects: library.redirects,
    hasBytes: library.hasBytes,
    listing: library.listing,
    assets: library.assets,
    batch: library.batch,
    versions: library.versions,
    trash: library.trash,
    trashPreviews: new TrashPreviews({
      retention: storage.retained,
      pool: rendering.pool,
      frames: rendering.engine.frames,
      limits: config.limits,
      temp: opened.temp,
    }),
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

/** Opens what stores and coordinates, each part after those that it needs. */
async function openFoundation(settings: Config, log: Log) {
  // A process of its own that runs while the rest is opened.
  const ffmpeg = findFfmpeg();
  const [{ config, fonts }, temp, database] = await Promise.all([
    findFonts(settings, log),
    createTempFolder(settings.data.temp),
    openDatabase({ file: settings.data.database, log, checkedFirstBytes: CHECKED_FIRST_BYTES, ...settings.database }),
  ]);
  const cluster = await joinCluster(config, log);
  await assertCommonSettings(database, cluster, () => fingerprintsOf(config));
  const audit = new AuditLog({ db: database.db, cluster, log, keepMs: config.kept.auditDays * DAY_MS });
  const spaces = createSpaceRegistry();
  const spaceWork = createSpaceWork(spaces);
  const usage = openUsage(config, { database, cluster, spaces, log });
  const changes = new Changes(cluster.bus, log);
  const purges = openPurges(config, { database, cluster, log });
  const guard = { mayReach: createReach(config.outgoing.privateNetworks) };
  const webhooks = new Webhooks({ db: database.db, bus: cluster.bus, log, settings: config.webhooks, guard });
  const catalog = createSqlCatalog(database, undefined, createFileEventSink(webhooks));
  const quotas = createQuotas({ registry: spaces, storedBytes: (space) => usage.storedBytes(space) });
  const spreadMs = RULE_SPREAD_MS[database.dialect];
  const privateMoves = createPrivateMoves({ registry: spaces, spreadMs, onClosed: noteClosed(audit), log });
  const stored = { database, catalog, cluster, changes, purges, quotas, privateMoves, temp, log };
  const storage = await openStorage(config, stored);
  const secret = await openAuthSecret(database);
  return {
    config,
    fonts,
    ffmpeg,
    temp,
    database,
    cluster,
    audit,
    spaces,
    spaceWork,
    usage,
    changes,
    purges,
    quotas,
    privateMoves,
    webhooks,
    catalog,
    storage,
    secret,
    log,
  };
}

/** Creates the function that records folders that became private by a move. */
function noteClosed(audit: Pick<AuditLog, 'record'>) {
  return (owner: string, privateFolders: readonly string[]): void => {
    const detail = { fields: ['privateFolders'], privateFolders };
    // In the log of a space, the list of the library would name what is around it.
    const place = owner === LIBRARY && { space: INSTALLATION };
    recordSideEffect(audit, { action: 'space.updated', target: owner, detail, ...place });
  };
}

/** Counts the redirects that share the limit of a path: what one space has takes nothing from others. */
async function countTogether(
  path: StoragePath,
  spaces: Pick<SpaceRegistry, 'containing'>,
  redirects: Pick<Redirects, 'count' | 'countOutsideSpaces'>,
): Promise<number> {
  const all = await redirects.count();
  if (all < MAX_REDIRECTS) return all;
  const own = spaces.containing(path);
  return own ? redirects.count(own.folder) : redirects.countOutsideSpaces();
}

/** Opens everything. */
export async function openServices(settings: Config, log: Log) {
  const foundation = await openFoundation(settings, log);
  const { config, database, catalog, cluster, changes, purges, storage, spaces, spaceWork, temp, secret } = foundation;
  const access = await openAccess(config.auth, {
    publicUrl: config.http.publicUrl,
    database,
    nodes: cluster,
    secret,
    onChange: changes.access,
    log,
  });
  const pull = openPull(config, foundation);
  const areTogether = (path: StoragePath, other: StoragePath) =>
    spaces.containing(path)?.id === spaces.containing(other)?.id;
  const followRedirect = createRedirectLookup({ redirects: catalog.redirects, areTogether });
  const rendering = await openRendering(config, {
    ...foundation,
    originals: storage.originals,
    variants: storage.variants,
    fetchMissing: pull.fetchMissing,
    followRedirect,
    transcodingOf: spaceWork.transcodingOf,
  });
  const lock = recoverFirst(cluster.lock, storage.trashRecovery);
  const invalidated = purges ? purgeInvalidations(changes.invalidated, purges) : changes.invalidated;
  const librarySettings = await readLibrarySettings(config, spaces);
  const library = openLibrary(librarySettings, {
    ...storage,
    catalog,
    cluster,
    lock,
    adding: foundation.quotas.adding,
    purges,
    jobs: rendering.queue,
    changed: changes.original,
    invalidated,
    areTogether,
    countTogether: (path) => countTogether(path, spaces, catalog.redirects),
    log,
  });
  const spaceManagement = openSpaceManager(config, { ...foundation, rendering });
  const spaceManager = spaceManagement.manager;
  foundation.privateMoves.connect(spaceManager);
  await spaceManagement.start();
  // From here on, changes of other nodes take effect on this one.
  await changes.follow({
    originals: storage.originals,
    sync: storage.sync,
    variants: storage.variants,
    access: access.caches,
    describing: rendering.describing,
    spaces: spaceManager,
    invalidations: openInvalidations(config, { database, storage }),
  });
  const deliveryRules = createDeliveryRules(spaces, config.limits);
  const uploads = await openUploads(config, {
    ...library,
    ...rendering,
    deliveryRules,
    store: storage.originals.store,
    requireQuota: createQuotaCheck(foundation.quotas, storage.originals.store),
    storageOf: spaceWork.storageOf,
    onConcluded: createUploadRecorder(foundation.audit, foundation.usage),
    temp,
    log,
  });
  return {
    ...foundation,
    access,
    pull,
    followRedirect,
    rendering,
    library,
    deliveryRules,
    uploads,
    spaceManager,
    spaceManagement,
    lock,
    invalidated,
    librarySettings,
  };
}

/** Closes the parts in the reverse order of their creation. */
async function closeServices(opened: OpenedServices, deadline: AbortSignal): Promise<void> {
  const { database, cluster, audit, usage, changes, purges, webhooks, storage, access, temp } = opened;
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
  opened.spaceManagement.close();
  await Promise.all([audit.stop(), usage.stop()]);
  changes.close();
  await cluster.close();
  await database.close();
  await rm(temp, { recursive: true, force: true });
}

/** Reads the settings of the library, which keeps the folders of spaces where they are. */
async function readLibrarySettings(config: Config, spaces: SpaceRegistry): Promise<LibrarySettings> {
  const { kept, catalog, cache, limits, pull } = config;
  return {
    versions: kept.versions,
    versionsMs: kept.versionDays * DAY_MS,
    rememberMs: cache.originalCheckMs,
    rules: limits,
    origins: pull.origins,
    checkFields: await readFieldsSchema(catalog.fieldsSchema),
    assertMovable: (path) => assertNoSpace(spaces, path),
  };
}
