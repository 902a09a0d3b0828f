import { rm } from 'node:fs/promises';
import { ensureAdmin } from './auth/accounts.ts';
import { createAuth } from './auth/auth.ts';
import { createKeyring } from './auth/keyring.ts';
import { readAuthSecret } from './auth/secret.ts';
import { createSetup } from './auth/setup.ts';
import type { Config } from './config.ts';
import { openDatabase } from './db/open.ts';
import type { OpenDatabase } from './db/schema.ts';
import { createDeliver } from './delivery/deliver.ts';
import { createTranscodes } from './delivery/transcode.ts';
import { planCapacity, readMachine } from './jobs/capacity.ts';
import { createJobEvents } from './jobs/events.ts';
import { createQueue } from './jobs/queue.ts';
import { createSqlJobStore } from './jobs/sql.ts';
import { createTranscodeRun } from './jobs/transcode.ts';
import { createWorker } from './jobs/worker.ts';
import { createLibrary } from './library/library.ts';
import { createListing } from './library/listing.ts';
import { createPathLock } from './library/path-lock.ts';
import { createStats } from './library/stats.ts';
import { createWalkedTotals } from './library/totals.ts';
import type { Log } from './log.ts';
import { createFrameExtractor } from './render/frames.ts';
import { createRenderPool } from './render/pool.ts';
import { createDiskStore } from './storage/disk.ts';
import { createOriginals, type Originals } from './storage/originals.ts';
import { createTempFolder } from './storage/temp.ts';
import { createVariantStore, type VariantStore } from './storage/variants.ts';
import { findFfmpeg } from './video/ffmpeg.ts';

export type Services = Awaited<ReturnType<typeof createServices>>;

/** Puts the service together: the only place that knows which implementation stands behind a contract. */
export async function createServices(config: Config, log: Log) {
  const { data, auth: accounts, cache, limits } = config;
  const temp = await createTempFolder(data.temp);
  const store = await createDiskStore({ root: data.originals, temp });
  const variants = await createVariantStore({ directory: data.variants, temp, ...cache });
  const database = await openDatabase({ file: data.database });
  const secret = await readAuthSecret(database.db);
  const onError = (error: unknown) => log.error({ err: error }, 'authentication failed');
  const auth = createAuth({ db: database.db, secret, baseUrl: config.http.publicUrl, onError });
  const keyring = createKeyring({ auth, db: database.db, sqlite: database.sqlite });
  if (accounts.admin) await ensureAdmin({ db: database.db, ...accounts.admin });

  const originals = createOriginals(store, cache.originalCheckMs);
  const pool = createRenderPool(config.render);
  const video = await createVideo(config, { originals, variants, database, temp, log });
  const { frames, transcodes } = video;
  const deliver = createDeliver({ originals, variants, pool, frames, transcodes, limits, temp });

  const listing = createListing(store);
  const totals = createWalkedTotals(store);
  const changing = { listing, totals, lock: createPathLock(), jobs: video.queue, log };
  const library = createLibrary({ originals, variants, ...changing });

  return {
    config,
    log,
    temp,
    database,
    auth,
    keyring,
    setup: createSetup(database.db),
    originals,
    variants,
    pool,
    deliver,
    library,
    listing,
    stats: createStats({ totals, variants }),
    transcodes,
    queue: video.queue,
    events: video.events,
    worker: video.worker,
    async close() {
      await video.worker?.stop();
      await pool.close();
      await totals.close();
      await variants.close();
      database.close();
      await rm(temp, { recursive: true, force: true });
    },
  };
}

interface VideoParts {
  originals: Originals;
  variants: VariantStore;
  database: OpenDatabase;
  temp: string;
  log: Log;
}

/** Everything that needs ffmpeg. Without it the service runs all the same, and says so where videos are asked for. */
async function createVideo(
  { video, limits, render }: Config,
  { originals, variants, database, temp, log }: VideoParts,
) {
  const tools = await findFfmpeg();
  if (!tools) log.warn('ffmpeg and ffprobe were not found: videos are stored and served, but not transformed');
  const capacity = planCapacity(readMachine(), video);
  const { outputSide } = limits;
  const pixels = { inputPixels: limits.inputMegapixels * 1e6, outputPixels: limits.outputMegapixels * 1e6, outputSide };
  const settings = { limits: pixels, threads: capacity.threads, niceness: video.niceness, stallMs: video.stallMs };
  const events = createJobEvents();
  const queue = createQueue({ store: createSqlJobStore(database.db), events, ...video });
  const run = tools && createTranscodeRun({ originals, variants, tools, settings, limits, temp });
  const { maxConcurrent } = capacity;
  return {
    queue,
    events,
    transcodes: createTranscodes({ variants, queue, hasFfmpeg: tools !== undefined }),
    frames: createFrameExtractor({ tools, settings, size: render.workers, ...render }),
    worker: run && createWorker({ queue, run, maxConcurrent, log, pollIntervalMs: video.pollIntervalMs }),
  };
}
