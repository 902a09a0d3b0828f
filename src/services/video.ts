import type { Config } from '../config.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { createTranscodes } from '../delivery/video.ts';
import { planCapacity, readMachine } from '../jobs/capacity.ts';
import { createClientNames } from '../jobs/client-names.ts';
import { createLocalJobEvents } from '../jobs/events/local.ts';
import { Queue } from '../jobs/queue.ts';
import { SqlJobStore } from '../jobs/sql-store.ts';
import { createTranscodeRun } from '../jobs/transcode-job.ts';
import { Worker } from '../jobs/worker.ts';
import type { Log } from '../log.ts';
import { createFrameExtractor } from '../render/frames.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';
import type { Originals } from '../storage/originals.ts';
import { findFfmpeg } from '../video/ffmpeg/run.ts';

export interface VideoParts {
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

/** Everything that needs ffmpeg. The service also runs without it; requests for transformed videos then say what is missing. */
export async function createVideo(
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
  const events = createLocalJobEvents();
  const assertLasting = () => database.file.assertLasting();
  const queue = new Queue({ store: new SqlJobStore(database.db), events, assertLasting, ...video });
  const run = tools && createTranscodeRun({ originals, variants, tools, settings, rules: limits, temp });
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
    worker: run && new Worker({ queue, run, maxConcurrent, log, pollIntervalMs, heartbeatMs }),
  };
}
