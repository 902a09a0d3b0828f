import { deriveKey } from '../auth/signature.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Config } from '../config.ts';
import type { OpenDatabase } from '../db/schema.ts';
import type { FindInputs } from '../delivery/inputs.ts';
import { createOverlays } from '../delivery/overlays.ts';
import { createTranscodes } from '../delivery/transcodes.ts';
import { planCapacity, readMachine } from '../jobs/capacity.ts';
import { createClientNames } from '../jobs/client-names.ts';
import { createLocalJobEvents } from '../jobs/events/local.ts';
import { PostgresJobEvents } from '../jobs/events/postgres.ts';
import { Queue } from '../jobs/queue.ts';
import { SqlJobStore } from '../jobs/sql-job-store.ts';
import { createTranscodeRun } from '../jobs/transcode-job.ts';
import { Worker } from '../jobs/worker.ts';
import type { Log } from '../log.ts';
import { createFrameExtractor } from '../render/frames.ts';
import type { RenderPool } from '../render/pool.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';
import type { Originals } from '../storage/originals.ts';
import { findFfmpeg } from '../video/ffmpeg/run.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { createStillEncoder } from './stills.ts';
import { webhooksOfJobs } from './webhooks.ts';

export interface VideoParts {
  originals: Originals;
  variants: VariantStore;
  database: OpenDatabase;
  cluster: Cluster;
  webhooks: Webhooks;
  /** Secret of this installation; throws 503 while it cannot be read. */
  secret: () => string;
  pool: RenderPool;
  findInputs: FindInputs;
  temp: string;
  log: Log;
}

const NO_VIDEOS = 'ffmpeg and ffprobe were not found: videos are stored and served, but not transformed';
const NO_FRAMES = 'ffmpeg and ffprobe were not found: other machines transform videos, but this one cannot take frames';

/** Interval of progress updates: one row for each job and second, which all nodes read. */
const SHARED_PROGRESS_MS = 1000;

/** Heartbeats per lease: a worker may miss two before its job counts as lost. */
const HEARTBEATS_PER_LEASE = 3;

/**
 * Creates everything that needs ffmpeg. The service also runs without it; requests for transformed videos then say what
 * is missing, unless other nodes transform them.
 */
export async function createVideo(
  { video, limits, render, http }: Config,
  { originals, variants, database, cluster, webhooks, secret, pool, findInputs, temp, log }: VideoParts,
) {
  const capacity = planCapacity(readMachine(), video);
  const found = await findFfmpeg();
  const tools = found && { ...found, memoryBytes: capacity.memoryBytes };
  if (!tools) log.warn(video.hasWorker ? NO_VIDEOS : NO_FRAMES);
  const { niceness, stallMs, timeoutMs } = video;
  const settings = {
    limits: { inputPixels: limits.inputMegapixels * 1e6, output: limits.videoOutput },
    threads: capacity.threads,
    niceness,
    stallMs,
    timeoutMs,
    encodeStill: createStillEncoder(pool, limits),
  };
  const { db, dialect } = database;
  const { bus } = cluster;
  const isShared = dialect === 'postgres';
  const events = isShared ? new PostgresJobEvents({ db, bus, log }) : createLocalJobEvents();
  const assertLasting = () => database.file.assertLasting();
  const store = new SqlJobStore(db, undefined, webhooksOfJobs(webhooks, http.publicUrl));
  const queue = new Queue({ store, events, bus, assertLasting, ...video });
  const splitTransformation = createOverlays({ originals, findInputs, pool, limits, temp });
  const run =
    tools && createTranscodeRun({ originals, variants, tools, settings, rules: limits, splitTransformation, temp });
  const { maxConcurrent } = capacity;
  const { leaseMs, pollIntervalMs } = video;
  const times = {
    pollIntervalMs,
    heartbeatMs: Math.floor(leaseMs / HEARTBEATS_PER_LEASE),
    ...(isShared && { progressIntervalMs: SHARED_PROGRESS_MS }),
  };
  return {
    hasFfmpeg: tools !== undefined,
    queue,
    events,
    transcodes: createTranscodes({
      variants,
      queue,
      canTranscode: tools !== undefined || !video.hasWorker,
      nameClient: createNameClient(secret),
    }),
    frames: createFrameExtractor({ tools, settings, size: render.workers, ...render }),
    worker: run && video.hasWorker ? new Worker({ queue, run, maxConcurrent, log, ...times }) : undefined,
  };
}

/** Derives the key at the first name: the secret cannot be read before the database is available. */
function createNameClient(secret: () => string): (network: string) => string {
  let nameOf: ReturnType<typeof createClientNames> | undefined;
  return (network) => {
    nameOf ??= createClientNames(deriveKey(secret(), 'job-clients'));
    return nameOf(network);
  };
}
