import { rm } from 'node:fs/promises';
import { openAuthSecret } from './auth/secret.ts';
import type { Config } from './config.ts';
import { openDatabase } from './db/open.ts';
import { createRequestWindows } from './db/request-windows.ts';
import type { OpenDatabase } from './db/schema.ts';
import { createFindInputs } from './delivery/inputs.ts';
import { createStats } from './library/stats.ts';
import type { Log } from './log.ts';
import { RenderPool } from './render/pool.ts';
import { createAccess } from './services/access.ts';
import { openCatalog, openDescribing } from './services/catalog.ts';
import { joinCluster } from './services/cluster.ts';
import { assertCommonSettings } from './services/common-settings.ts';
import { openDelivery, openPull } from './services/delivery.ts';
import { findFamilies } from './services/fonts.ts';
import { openLibrary } from './services/library.ts';
import { openStorage } from './services/storage.ts';
import { openTold } from './services/told.ts';
import { openUploads } from './services/uploads.ts';
import { createVideo } from './services/video.ts';
import { webhooksOfFiles } from './services/webhooks.ts';
import { createTempFolder } from './storage/temp.ts';

export type Services = Awaited<ReturnType<typeof createServices>>;

/** Assembles the service. Only this file and its folder know the implementation of each contract. */
export async function createServices(given: Config, log: Log) {
  const { fonts, config } = await findFamilies(given, log);
  const temp = await createTempFolder(config.data.temp);
  const database = await openDatabase({ file: config.data.database, log, ...config.database });
  const cluster = await joinCluster(config, log);
  await assertCommonSettings(config, database, cluster);
  const told = openTold(config, database, cluster.bus, log);
  const { changes, purges, webhooks } = told;
  const { catalog, focalPoints } = openCatalog(database, webhooksOfFiles(webhooks));
  const stored = { database, catalog, cluster, changes, purges, focalPoints, temp, log };
  const { originals, attic, variants, sync, trashRecovery, versionRecovery, ...storage } = await openStorage(
    config,
    stored,
  );
  const secret = await openAuthSecret(database);
  const access = await createAccess(config, { database, cluster, changes, secret });
  const pool = new RenderPool({ ...config.render, fontsFile: fonts.configFile });
  const pull = openPull(config, { database, sync, originals, cluster, temp, log });
  const findInputs = createFindInputs(originals, fonts.fingerprint, pull.fetchMissing);
  const shared = { originals, variants, pool, findInputs, fetchMissing: pull.fetchMissing, temp, webhooks };
  const { transcodes, frames, ...video } = await createVideo(config, { ...shared, database, cluster, secret, log });
  const describing = openDescribing(config, { catalog, originals, pool, frames, temp, log });
  const delivery = openDelivery(config, { ...shared, frames, once: cluster.once, transcodes });
  const sides = { catalog, sync, describing, queue: video.queue, access, ...told, cluster, database, log };
  const files = await openLibrary(config, { originals, attic, variants, trashRecovery, versionRecovery, ...sides });
  const { resumable, ...uploads } = await openUploads(config, { originals, pool, temp, log, ...files, ...delivery });

  /** Ends all work. When the signal aborts, remaining work is abandoned. */
  async function close(deadline: AbortSignal = AbortSignal.timeout(config.http.shutdownTimeoutMs)): Promise<void> {
    await Promise.all([video.worker?.stop(), describing?.stop(), files.sweep.stop(), resumable.close(deadline)]);
    await video.events.close();
    await pool.close();
    await sync.close();
    await variants.close(deadline);
    await Promise.all([storage.close(), purges?.stop(deadline), webhooks.stop(deadline)]);
    await access.closeAccess();
    changes.close();
    await cluster.close();
    await database.close();
    await rm(temp, { recursive: true, force: true });
  }

  return {
    config,
    log,
    temp,
    fonts,
    database,
    ...access,
    requestWindows: requestWindowsOf(database, config),
    close,
    catalog,
    sync,
    describing,
    originals,
    variants,
    pool,
    ...delivery,
    ...pull,
    transcodes,
    ...video,
    resumable,
    ...files,
    ...uploads,
    stats: createStats({ originals, sync, variants, purges }),
    cluster,
    ...told,
  };
}

/** A single node counts alone. */
function requestWindowsOf({ dialect, db }: OpenDatabase, { http }: Config) {
  return dialect === 'postgres' ? createRequestWindows(db, http.rateLimit.windowMs) : undefined;
}
