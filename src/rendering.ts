import { deriveKey } from './auth/signature.ts';
import type { CatalogStore } from './catalog/catalog-store.ts';
import { Describing } from './catalog/describing.ts';
import type { Cluster } from './cluster/cluster.ts';
import { type Config, ConfigError } from './config.ts';
import type { OpenDatabase } from './db/schema.ts';
import { createDeliver } from './delivery/deliver.ts';
import { createFindOriginal, type FetchMissing, type FollowRedirect } from './delivery/find-original.ts';
import { createFindInputs } from './delivery/inputs.ts';
import { createNotFound } from './delivery/not-found.ts';
import { createOverlays } from './delivery/overlays.ts';
import { budgetOfSpace, createRenderBudget } from './delivery/render-budget.ts';
import { createPlaylists } from './delivery/streaming/playlists.ts';
import { createFragmentCache } from './delivery/streaming/rendition-files.ts';
import { createTranscodes, resultUrl } from './delivery/transcodes.ts';
import { wrongPresets } from './delivery/url.ts';
import { planCapacity } from './jobs/capacity.ts';
import { createClientNamesOnce } from './jobs/client-names.ts';
import { createLocalJobEvents } from './jobs/events/local.ts';
import { PostgresJobEvents } from './jobs/events/postgres.ts';
import { type JobQueue, Queue } from './jobs/queue.ts';
import { SqlJobStore } from './jobs/sql-job-store.ts';
import { createTranscodeRun, createTranscodeRunBySpace } from './jobs/transcode-job.ts';
import { Worker, type WorkerOptions } from './jobs/worker.ts';
import type { Log } from './log.ts';
import type { StoragePath } from './path.ts';
import { Describer } from './render/describer.ts';
import { type Fonts, openFonts } from './render/fonts.ts';
import { createFrameExtractor, type FrameExtractor } from './render/frames.ts';
import { RenderPool } from './render/pool.ts';
import { createStillEncoder } from './render/render-for-job.ts';
import { readMachine } from './runtime/machine.ts';
import { jobUrl } from './spaces/job-url.ts';
import type { SpaceRegistry } from './spaces/registry.ts';
import { spacePath } from './spaces/rules.ts';
import type { VariantStore } from './storage/cache/variant-store.ts';
import type { Originals } from './storage/originals.ts';
import type { UsageMeter } from './usage/usage-meter.ts';
import type { Ffmpeg } from './video/ffmpeg/run.ts';
import { createJobEventSink } from './webhooks/payloads.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

export interface RenderingParts {
  database: OpenDatabase;
  catalog: CatalogStore;
  cluster: Cluster;
  webhooks: Webhooks;
  spaces: SpaceRegistry;
  originals: Originals;
  variants: VariantStore;
  usage: Pick<UsageMeter, 'countRender' | 'countTranscode'>;
  fonts: Fonts;
  fetchMissing: FetchMissing | undefined;
  followRedirect: FollowRedirect;
  /** Found meanwhile; undefined without it. */
  ffmpeg: Promise<Ffmpeg | undefined>;
  /** Secret of this installation; throws 503 while it cannot be read. */
  secret: () => string;
  transcodingOf: TranscodingOf;
  temp: string;
  log: Log;
}

/** Returns the parts that run transcodes of a space, and the translation of paths of the library. */
export type TranscodingOf = (space: string) => {
  transcoding: SpaceTranscoding;
  toInner(path: StoragePath): StoragePath;
};

export type SpaceTranscoding = ReturnType<typeof openDelivery>['transcoding'];

const NO_VIDEOS = 'ffmpeg and ffprobe were not found: videos are stored and served, but not transformed';
const NO_FRAMES = 'ffmpeg and ffprobe were not found: other nodes transcode videos, but this one cannot extract frames';

/** Interval of progress updates: one row for each job and second, which all nodes read. */
const SHARED_PROGRESS_MS = 1000;

/** Heartbeats per lease: a worker may miss two before its job counts as lost. */
const HEARTBEATS_PER_LEASE = 3;

/**
 * Finds the fonts, and returns the settings with the families that URLs may name.
 * @throws ConfigError when a preset names another family
 */
export async function findFonts(settings: Config, log: Log): Promise<{ fonts: Fonts; config: Config }> {
  const fonts = await openFonts(settings.fonts);
  for (const problem of fonts.problems) log.warn(problem);
  const config: Config = { ...settings, limits: { ...settings.limits, families: fonts.families } };
  const wrong = wrongPresets(config.limits);
  if (wrong.length > 0) throw new ConfigError(wrong);
  return { fonts, config };
}

/**
 * Wires everything that makes variants: render workers, ffmpeg, the queue of videos, descriptions and delivery. The
 * service also runs without ffmpeg; requests for transformed videos then say what is missing, unless other nodes
 * transform them.
 */
export async function openRendering(config: Config, parts: RenderingParts) {
  const engine = await openEngine(config, parts);
  const { pool, tools, frames, maxConcurrent } = engine;
  const { events, queue } = openQueue(config, parts);
  const delivery = openDelivery(config, { ...parts, queue }, engine);
  const worker =
    tools && config.video.hasWorker
      ? openWorker(config, parts, { queue, ...createRun(tools, delivery.transcoding, parts), maxConcurrent })
      : undefined;
  const describing = openDescribing(config, parts, { pool, frames });
  return {
    ...delivery,
    engine,
    pool,
    hasFfmpeg: tools !== undefined,
    events,
    queue,
    worker,
    describing,
  };
}

/** Creates the functions that run each job on the parts of its space. */
function createRun(tools: Ffmpeg, library: SpaceTranscoding, { transcodingOf }: RenderingParts) {
  return createTranscodeRunBySpace(createTranscodeRun({ ...library, tools }), (space) => {
    const { transcoding, toInner } = transcodingOf(space);
    return { options: { ...transcoding, tools }, toInner };
  });
}

/** Parts that all spaces share. */
export type RenderingEngine = Awaited<ReturnType<typeof openEngine>>;

async function openEngine(config: Config, { fonts, secret, ...parts }: RenderingParts) {
  const { limits, render, video, renderBudget } = config;
  const pool = new RenderPool({ ...render, fontsFile: fonts.configFile });
  const capacity = planCapacity(readMachine(), video);
  const ffmpeg = await parts.ffmpeg;
  const tools = ffmpeg && { ...ffmpeg, memoryBytes: capacity.memoryBytes };
  if (!tools) parts.log.warn(video.hasWorker ? NO_VIDEOS : NO_FRAMES);
  const settings = {
    limits: { inputPixels: limits.inputMegapixels * 1e6, output: limits.videoOutput },
    threads: capacity.threads,
    niceness: video.niceness,
    stallMs: video.stallMs,
    timeoutMs: video.timeoutMs,
    encodeStill: createStillEncoder(pool, limits),
  };
  return {
    pool,
    tools,
    settings,
    maxConcurrent: capacity.maxConcurrent,
    frames: createFrameExtractor({ tools, settings, size: render.workers, ...render }),
    budget: createRenderBudget(renderBudget),
    // Of all spaces together, as its bound is one of the memory of the process.
    fragmentsOf: createFragmentCache(),
    fonts: fonts.fingerprint,
    canTranscode: tools !== undefined || !video.hasWorker,
    nameClient: createClientNamesOnce(() => deriveKey(secret(), 'job-clients')),
  };
}

/** Parts of delivery that each space has its own view of. */
export interface DeliveryParts {
  originals: Originals;
  variants: VariantStore;
  queue: Pick<JobQueue, 'enqueueAll'>;
  fetchMissing: FetchMissing | undefined;
  followRedirect: FollowRedirect;
  /** Outer path of the space's folder, which is part of the keys of its variants; undefined for the library. */
  root?: StoragePath | undefined;
  /** Id of the space, by which renders take turns; undefined for the library. */
  space?: string | undefined;
  cluster: Pick<Cluster, 'once'>;
  usage: Pick<UsageMeter, 'countRender'>;
  temp: string;
  log: Log;
}

/** Creates the functions that answer requests for originals and variants. */
export function openDelivery(config: Config, parts: DeliveryParts, engine: RenderingEngine) {
  const { limits, http } = config;
  const { originals, variants, queue, fetchMissing, followRedirect, root, space, cluster, usage, temp, log } = parts;
  const { pool, frames, settings, fragmentsOf } = engine;
  const budget = space === undefined ? engine.budget : budgetOfSpace(engine.budget, space);
  const findInputs = createFindInputs(originals, engine.fonts, { fetchMissing, followRedirect, root });
  const transcodes = createTranscodes({
    variants,
    queue,
    canTranscode: engine.canTranscode,
    nameClient: engine.nameClient,
  });
  const missing = createNotFound({ rules: limits, namesPresets: http.deliveryMode !== 'signed' });
  const findOriginal = createFindOriginal(limits, missing, followRedirect);
  const heights = limits.streamHeights;
  const playlists = createPlaylists({ originals, variants, frames, budget, temp, transcodes, fragmentsOf, heights });
  const deliver = createDeliver({
    originals,
    variants,
    pool,
    frames,
    budget,
    once: cluster.once,
    limits,
    temp,
    transcodes,
    findOriginal,
    findInputs,
    playlists,
    fetchMissing,
    onRender: usage.countRender,
  });
  const splitTransformation = createOverlays({ originals, findInputs, pool, limits, temp });
  /** Parts of a run of its transcodes, but for ffmpeg. */
  const transcoding = { originals, variants, settings, rules: limits, splitTransformation, temp, log };
  return { budget, findOriginal, findInputs, transcodes, playlists, deliver, transcoding };
}

/** Creates the queue of transcodes and its events. */
function openQueue({ video, http }: Config, { database, cluster, webhooks, spaces, log }: RenderingParts) {
  const { db, dialect, file } = database;
  const { bus } = cluster;
  const events = dialect === 'postgres' ? new PostgresJobEvents({ db, bus, log }) : createLocalJobEvents();
  const sink = createJobEventSink(webhooks, (job, space) => {
    const { transformation, path } = job;
    const url = space ? spacePath(space) + resultUrl(transformation, path) : jobUrl(job, spaces);
    return (http.publicUrl ?? '') + url;
  });
  const store = new SqlJobStore(db, undefined, sink);
  const queue = new Queue({ store, events, bus, assertDurable: () => file.assertDurable(), ...video });
  return { events, queue };
}

/** Creates the worker that runs transcodes on this node. */
function openWorker(
  { video }: Config,
  { database, usage, log }: RenderingParts,
  { queue, run, runTogether, maxConcurrent }: Pick<WorkerOptions, 'queue' | 'run' | 'runTogether' | 'maxConcurrent'>,
): Worker {
  return new Worker({
    queue,
    run,
    runTogether,
    maxConcurrent,
    onAttempt: ({ path }, ms) => usage.countTranscode(path, ms),
    log,
    pollIntervalMs: video.pollIntervalMs,
    heartbeatMs: Math.floor(video.leaseMs / HEARTBEATS_PER_LEASE),
    ...(database.dialect === 'postgres' && { progressIntervalMs: SHARED_PROGRESS_MS }),
  });
}

/** Creates the background description of originals; undefined where the settings disable it on this node. */
function openDescribing(
  { catalog: settings, limits, render }: Config,
  { catalog, originals, temp, log }: RenderingParts,
  { pool, frames }: { pool: RenderPool; frames: FrameExtractor },
): Describing | undefined {
  if (!settings.isDescribing) return undefined;
  return new Describing({
    descriptions: catalog.descriptions,
    describer: new Describer({ pool, frames, temp, limits }),
    store: originals.store,
    log,
    // Leaves a slot for clients on the smallest host.
    concurrency: render.workers > 2 ? 2 : 1,
  });
}
