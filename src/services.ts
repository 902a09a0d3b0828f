import { rm } from 'node:fs/promises';
import { ensureAdmin } from './auth/accounts.ts';
import { createAuth } from './auth/auth.ts';
import { createKeyring } from './auth/keyring.ts';
import { createPasswords } from './auth/passwords.ts';
import { readAuthSecret } from './auth/secret.ts';
import { Sessions } from './auth/sessions.ts';
import { createSetup } from './auth/setup.ts';
import { SignInBackoff } from './auth/sign-in-backoff.ts';
import { SignInTries } from './auth/sign-in-tries.ts';
import type { Config } from './config.ts';
import { openDatabase } from './db/open.ts';
import type { OpenDatabase } from './db/schema.ts';
import { createTotalsLedger, openCacheLedger } from './db/totals-ledger.ts';
import { createDeliver } from './delivery/deliver.ts';
import { createMissing } from './delivery/missing.ts';
import { createRenderBudget } from './delivery/render-budget.ts';
import { createTranscodes } from './delivery/video.ts';
import { planCapacity, readMachine } from './jobs/capacity.ts';
import { createClientNames } from './jobs/client-names.ts';
import { createJobEvents } from './jobs/events.ts';
import { createQueue } from './jobs/queue.ts';
import { createSqlJobStore } from './jobs/sql.ts';
import { createTranscodeRun } from './jobs/transcode-job.ts';
import { createWorker } from './jobs/worker.ts';
import { createLibrary } from './library/library.ts';
import { createListing } from './library/listing.ts';
import { createPathLock } from './library/path-lock.ts';
import { createStats } from './library/stats.ts';
import { createCountedTotals, createWalkedTotals } from './library/totals.ts';
import type { Log } from './log.ts';
import { createFrameExtractor } from './render/frames.ts';
import { createRenderPool } from './render/pool.ts';
import { createSharedVariants } from './storage/cache/shared-variants.ts';
import { createTieredVariants } from './storage/cache/tiered-variants.ts';
import { createVariantStore, type VariantStore } from './storage/cache/variants.ts';
import { createDiskStore } from './storage/disk/disk.ts';
import { createOriginals, type Originals } from './storage/originals.ts';
import { type Bucket, createBucket } from './storage/s3/bucket.ts';
import { createS3Store } from './storage/s3/s3.ts';
import { abortOrphans, checkBucket } from './storage/s3/start.ts';
import { createTempFolder } from './storage/temp.ts';
import { findFfmpeg } from './video/ffmpeg/ffmpeg.ts';

export type Services = Awaited<ReturnType<typeof createServices>>;

/** Puts the service together: the only place that knows which implementation stands behind a contract. */
export async function createServices(config: Config, log: Log) {
  const { data, auth: accounts, cache, limits } = config;
  const temp = await createTempFolder(data.temp);
  const database = await openDatabase({ file: data.database, ...config.database });
  const lock = createPathLock();
  const storage = await openStorage(config, { database, temp, log });
  const { store, variants, totals } = storage;
  const secret = await readAuthSecret(database.db);
  const passwords = createPasswords({ maxQueued: accounts.maxQueuedSignIns });
  const auth = createAuth({ db: database.db, secret, passwords, baseUrl: config.http.publicUrl });
  const keyring = createKeyring({ auth, database });
  if (accounts.firstKey !== undefined) await keyring.storeEnvironmentKey(accounts.firstKey);
  if (accounts.admin) await ensureAdmin({ db: database.db, passwords, ...accounts.admin });

  const originals = createOriginals(store, cache.originalCheckMs);
  const pool = createRenderPool(config.render);
  const video = await createVideo(config, { originals, variants, database, secret, temp, log });
  const { frames, transcodes } = video;
  const missing = createMissing({ rules: limits, namesPresets: config.http.deliveryMode !== 'signed' });
  const budget = createRenderBudget(config.renderBudget);
  const deliver = createDeliver({ originals, variants, pool, frames, budget, transcodes, missing, limits, temp });

  const listing = createListing(store);
  const changing = { listing, totals, lock, jobs: video.queue, log };
  const library = createLibrary({ originals, variants, ...changing });

  return {
    config,
    log,
    temp,
    database,
    auth,
    sessions: new Sessions(auth),
    signInTries: new SignInTries(),
    signInBackoff: new SignInBackoff({ maxFailures: accounts.maxSignInFailures }),
    keyring,
    setup: createSetup(database, passwords),
    originals,
    variants,
    pool,
    deliver,
    missing,
    library,
    listing,
    stats: createStats({ totals, variants }),
    transcodes,
    queue: video.queue,
    events: video.events,
    worker: video.worker,
    /** Ends all work; what would go on when the signal aborts is given up. */
    async close(deadline: AbortSignal = AbortSignal.timeout(config.http.shutdownTimeoutMs)) {
      await video.worker?.stop();
      await pool.close();
      await totals.close();
      await variants.close(deadline);
      await storage.close();
      database.close();
      await rm(temp, { recursive: true, force: true });
    },
  };
}

interface StorageParts {
  database: OpenDatabase;
  temp: string;
  log: Log;
}

/** Originals, their variants and how much there is of both: on the disk, or in a bucket with the disk as a near cache. */
async function openStorage({ data, cache, bucket: settings }: Config, { database, temp, log }: StorageParts) {
  const local = await createVariantStore({ directory: data.variants, temp, ...cache });
  if (!settings) {
    const store = await createDiskStore({ root: data.originals, temp, moves: data.moves });
    return { store, variants: local, totals: createWalkedTotals(store), close: async () => undefined };
  }
  const bucket = createBucket(settings);
  const conditions = await checkBucket(bucket);
  if (!conditions.hasConditions)
    log.warn('the storage knows no If-None-Match: only one service may write to this bucket');
  const staging = { directory: await createTempFolder(data.staged), maxBytes: settings.localCacheBytes };
  const store = createS3Store({ bucket, staging, ...conditions });
  const shared = await createSharedVariants({ bucket, ...conditions, ledger: await openCacheLedger(database.db) });
  const onError = (err: unknown) => log.error({ err }, 'the files could not be counted');
  const totals = await createCountedTotals({ store, ledger: createTotalsLedger(database.db), onError });
  void cleanUp(bucket, log);
  return {
    store,
    variants: createTieredVariants({
      ...{ local, shared, temp, log },
      maxBytes: cache.maxBytes,
      queue: settings.uploadQueue,
    }),
    totals,
    async close() {
      bucket.close();
      await rm(staging.directory, { recursive: true, force: true });
    },
  };
}

/** In the background: nothing waits for it, and the next start tries again. */
async function cleanUp(bucket: Bucket, log: Log): Promise<void> {
  try {
    const aborted = await abortOrphans(bucket);
    if (aborted > 0) log.info(`gave up ${aborted} uploads in parts that nobody had ended`);
  } catch (err) {
    log.warn({ err }, 'uploads in parts that nobody ended could not be given up');
  }
}

interface VideoParts {
  originals: Originals;
  variants: VariantStore;
  database: OpenDatabase;
  /** Of this installation. */
  secret: string;
  temp: string;
  log: Log;
}

/** A worker may miss two before its job is taken for lost. */
const HEARTBEATS_PER_LEASE = 3;

/** Everything that needs ffmpeg. Without it the service runs all the same, and says so where videos are asked for. */
async function createVideo(
  { video, limits, render }: Config,
  { originals, variants, database, secret, temp, log }: VideoParts,
) {
  const capacity = planCapacity(readMachine(), video);
  const found = await findFfmpeg();
  const tools = found && { ...found, memoryBytes: capacity.memoryBytes };
  if (!tools) log.warn('ffmpeg and ffprobe were not found: videos are stored and served, but not transformed');
  const { niceness, stallMs, timeoutMs } = video;
  const settings = {
    limits: { inputPixels: limits.inputMegapixels * 1e6, output: limits.videoOutput },
    ...{ threads: capacity.threads, niceness, stallMs, timeoutMs },
  };
  const events = createJobEvents();
  const queue = createQueue({ store: createSqlJobStore(database.db), events, ...video });
  const run = tools && createTranscodeRun({ originals, variants, tools, settings, limits, temp });
  const { maxConcurrent } = capacity;
  const { leaseMs, pollIntervalMs } = video;
  const heartbeatMs = Math.floor(leaseMs / HEARTBEATS_PER_LEASE);
  return {
    queue,
    events,
    transcodes: createTranscodes({
      variants,
      queue,
      hasFfmpeg: tools !== undefined,
      nameClient: createClientNames(secret),
    }),
    frames: createFrameExtractor({ tools, settings, size: render.workers, ...render }),
    worker: run && createWorker({ queue, run, maxConcurrent, log, pollIntervalMs, heartbeatMs }),
  };
}
