import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { nearMisses } from './config-near-misses.ts';
import { SECRETS, variables } from './config-variables.ts';

const KILOBYTE = 1024;
const MEGABYTE = 1024 * 1024;

/** All of a group are given, or none. */
const ADMIN = ['ADMIN_EMAIL', 'ADMIN_PASSWORD'] as const;
const BUCKET = ['STORAGE_BUCKET_NAME', 'STORAGE_ACCESS_KEY_ID', 'STORAGE_SECRET_ACCESS_KEY'] as const;

/** For how long changes by others go unnoticed; asking a bucket takes longer, and is paid for. */
const CHECK_MS = { disk: 1_000, bucket: 10_000 };

/** CPU time that renders for one network may take in a window. */
const RENDER_BUDGET_MS = 60_000;

type Variables = z.output<z.ZodObject<typeof variables>>;

/** The environment is wrong: one line for each wrong variable. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

export type Config = ReturnType<typeof arrange>;

/**
 * Reads and validates the whole environment at once. An empty variable counts as absent.
 * @throws ConfigError with one line for each wrong variable: its name, what was expected, what was received.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = z.object(variables).safeParse(present);
  const lines = [...(result.success ? [] : wrongVariables(result.error, present)), ...crossChecks(present)];
  if (!result.success || lines.length > 0) throw new ConfigError(lines);
  return deepFreeze(arrange(result.data));
}

/** A line for each variable that nobody reads and that was probably meant to be one of ours. */
export function misspelledVariables(environment: NodeJS.ProcessEnv = process.env): string[] {
  const misses = nearMisses(Object.keys(environment), Object.keys(variables));
  return misses.map(({ name, meant }) => `${name}: there is no such setting; is ${meant} meant?`);
}

/** The variables with their defaults as one would write them; empty where there is none. */
export function describeVariables(): Record<string, string> {
  const defaults = Object.entries(variables).map(([name, schema]) => {
    const { data } = schema.safeParse(undefined);
    return [name, typeof data === 'string' || typeof data === 'number' ? String(data) : ''];
  });
  return Object.fromEntries(defaults);
}

function wrongVariables(error: z.ZodError, present: NodeJS.ProcessEnv): string[] {
  const names = [...new Set(error.issues.map((issue) => String(issue.path[0])))];
  return names.map((name) => {
    const expected = variables[name as keyof typeof variables].description ?? describeInner(name);
    return `${name}: expected ${expected}, received ${received(name, present[name])}`;
  });
}

/** A default wraps the schema that carries the description. */
function describeInner(name: string): string {
  const schema: unknown = variables[name as keyof typeof variables];
  return (schema as { unwrap(): { description?: string } }).unwrap().description ?? 'another value';
}

function received(name: string, value: string | undefined): string {
  if (value === undefined) return 'nothing';
  return SECRETS.includes(name) ? `a value of ${value.length} characters` : JSON.stringify(value);
}

function crossChecks(values: NodeJS.ProcessEnv): string[] {
  const lines: string[] = [];
  for (const group of [ADMIN, BUCKET]) {
    const given = group.find((name) => values[name]);
    const missing = given === undefined ? [] : group.filter((name) => !values[name]);
    lines.push(...missing.map((name) => `${name}: expected a value because ${given} is set, received nothing`));
  }
  if (values.DELIVERY_MODE === 'signed' && !values.API_SECRET) {
    lines.push('API_SECRET: expected a value because DELIVERY_MODE is signed, received nothing');
  }
  return lines;
}

/** The variables by the room that uses them; sizes in bytes, times in milliseconds. */
function arrange(values: Variables) {
  const dataDir = resolve(values.DATA_DIR);
  const bucket = arrangeBucket(values);
  return {
    mode: values.MODE,
    http: {
      port: values.PORT,
      host: values.HOST,
      publicUrl: values.PUBLIC_URL?.replace(/(?<!\/)\/+$/, ''),
      cacheControl: values.CACHE_CONTROL,
      corsOrigins: values.CORS_ORIGIN,
      trustedProxies: values.TRUSTED_PROXIES,
      rateLimit: { max: values.PUBLIC_RATE_LIMIT_MAX, windowMs: values.PUBLIC_RATE_LIMIT_WINDOW_MS },
      maxConnections: values.MAX_CONNECTIONS,
      maxConnectionsPerAddress: values.MAX_CONNECTIONS_PER_ADDRESS ?? shareOf(values.MAX_CONNECTIONS),
      maxPipelinedRequests: values.MAX_PIPELINED_REQUESTS,
      headersTimeoutMs: values.HEADERS_TIMEOUT_MS,
      socketTimeoutMs: values.SOCKET_TIMEOUT_MS,
      bodyTimeoutMs: values.BODY_TIMEOUT_MS,
      refusedBodyTimeoutMs: values.REFUSED_BODY_TIMEOUT_MS,
      json: {
        maxBytes: values.MAX_JSON_SIZE_MB * MEGABYTE,
        maxDepth: values.MAX_JSON_DEPTH,
        maxValues: values.MAX_JSON_VALUES,
      },
      deliveryMode: values.DELIVERY_MODE,
      shutdownTimeoutMs: values.SHUTDOWN_TIMEOUT_MS,
    },
    log: { level: values.LOG_LEVEL, format: values.LOG_FORMAT, requests: values.LOG_REQUESTS },
    data: {
      directory: dataDir,
      originals: resolve(dataDir, 'originals'),
      variants: resolve(dataDir, 'variants'),
      temp: resolve(dataDir, 'tmp'),
      staged: resolve(dataDir, 'staged'),
      moves: resolve(dataDir, 'moves'),
      database: resolve(dataDir, 'darkroom.db'),
    },
    bucket,
    database: { waitMs: values.DATABASE_WAIT_MS },
    auth: {
      secret: values.API_SECRET,
      signatureMaxSeconds: values.SIGNATURE_MAX_EXPIRES_IN,
      firstKey: values.API_KEY,
      maxQueuedSignIns: values.SIGN_IN_QUEUE_MAX,
      maxSignInFailures: values.SIGN_IN_FAILURES_MAX,
      admin:
        values.ADMIN_EMAIL && values.ADMIN_PASSWORD
          ? { email: values.ADMIN_EMAIL, password: values.ADMIN_PASSWORD, name: values.ADMIN_NAME }
          : undefined,
    },
    upload: {
      maxFileBytes: values.MAX_FILE_SIZE_MB * MEGABYTE,
      maxRequestBytes: values.MAX_REQUEST_SIZE_MB * MEGABYTE,
      maxFiles: values.MAX_FILES_PER_UPLOAD,
      // A single file has to fit.
      maxTempBytes: Math.max(values.UPLOAD_TEMP_MAX_MB, values.MAX_FILE_SIZE_MB) * MEGABYTE,
      maxUnprovenBytes: values.UPLOAD_UNPROVEN_MAX_MB * MEGABYTE,
      maxUnprovenPerClient: values.UPLOAD_UNPROVEN_MAX_PER_CLIENT,
      minBytesPerSecond: values.UPLOAD_MIN_RATE_KB * KILOBYTE,
      graceMs: values.UPLOAD_GRACE_MS,
    },
    cache: {
      maxBytes: values.CACHE_MAX_SIZE_MB * MEGABYTE,
      memoryBytes: values.CACHE_MEMORY_MB * MEGABYTE,
      originalCheckMs: values.ORIGINAL_CHECK_INTERVAL_MS ?? CHECK_MS[bucket ? 'bucket' : 'disk'],
    },
    limits: {
      inputMegapixels: values.MAX_INPUT_MEGAPIXELS,
      animationFrames: values.MAX_ANIMATION_FRAMES,
      outputSide: values.MAX_OUTPUT_SIDE,
      outputMegapixels: values.MAX_OUTPUT_MEGAPIXELS,
      videoOutput: { side: values.MAX_VIDEO_OUTPUT_SIDE, pixels: values.MAX_VIDEO_OUTPUT_MEGAPIXELS * 1e6 },
      formatMegapixels: {
        webp: values.MAX_WEBP_MEGAPIXELS,
        avif: values.MAX_AVIF_MEGAPIXELS,
        gif: values.MAX_GIF_MEGAPIXELS,
      },
      presets: values.PRESETS,
    },
    video: {
      maxConcurrent: values.VIDEO_MAX_CONCURRENT,
      threads: values.VIDEO_FFMPEG_THREADS,
      niceness: values.VIDEO_FFMPEG_NICENESS,
      stallMs: values.VIDEO_STALL_TIMEOUT_MS,
      timeoutMs: values.VIDEO_TIMEOUT_MS,
      memoryBytes: values.VIDEO_MEMORY_MB === undefined ? undefined : values.VIDEO_MEMORY_MB * MEGABYTE,
      queueMax: values.VIDEO_QUEUE_MAX,
      queueMaxPerClient: values.VIDEO_QUEUE_MAX_PER_CLIENT,
      retryMax: values.VIDEO_JOB_RETRY_MAX,
      retryDelayMs: values.VIDEO_JOB_RETRY_DELAY_MS,
      cleanupMs: values.VIDEO_JOB_CLEANUP_HOURS * 3_600_000,
      leaseMs: values.VIDEO_JOB_LEASE_MS,
      pollIntervalMs: values.VIDEO_POLL_INTERVAL_MS,
    },
    events: {
      maxClients: values.MAX_EVENT_CLIENTS,
      maxClientsPerAddress: values.MAX_EVENT_CLIENTS_PER_ADDRESS,
      heartbeatMs: values.EVENTS_HEARTBEAT_MS,
    },
    render: {
      // On one CPU a picture that takes seconds would stop all others.
      workers: values.RENDER_WORKERS ?? Math.max(2, availableParallelism()),
      maxQueued: values.RENDER_QUEUE_MAX,
      maxQueuedPerClient: values.RENDER_QUEUE_MAX_PER_CLIENT,
      maxWaitMs: values.RENDER_QUEUE_WAIT_MS,
      timeoutMs: values.RENDER_TIMEOUT_MS,
      memoryBytes: values.RENDER_MEMORY_MB * MEGABYTE,
      totalMemoryBytes: values.RENDER_TOTAL_MEMORY_MB * MEGABYTE,
    },
    renderBudget: {
      // Where requests are not counted by address, neither is their work.
      perClientMs: values.RENDER_BUDGET_PER_CLIENT ?? (values.PUBLIC_RATE_LIMIT_MAX === 0 ? 0 : RENDER_BUDGET_MS),
      windowMs: values.PUBLIC_RATE_LIMIT_WINDOW_MS,
    },
  };
}

/** What one client may have of all connections: enough for the many people who can have one address. */
function shareOf(connections: number): number {
  return Math.min(1000, Math.max(64, Math.floor(connections / 4)));
}

/** Undefined where the files lie on the disk. */
function arrangeBucket(values: Variables) {
  const [bucket, accessKeyId, secretAccessKey] = BUCKET.map((name) => values[name]);
  if (!bucket || !accessKeyId || !secretAccessKey) return undefined;
  return {
    ...{ bucket, accessKeyId, secretAccessKey },
    region: values.STORAGE_REGION,
    endpoint: values.STORAGE_ENDPOINT,
    prefix: values.STORAGE_PREFIX,
    maxSockets: values.STORAGE_MAX_CONNECTIONS,
    timeoutMs: values.STORAGE_TIMEOUT_MS,
    localCacheBytes: values.STORAGE_LOCAL_CACHE_MB * MEGABYTE,
    uploadQueue: {
      maxCount: values.STORAGE_UPLOAD_QUEUE_MAX,
      maxBytes: values.STORAGE_UPLOAD_QUEUE_MB * MEGABYTE,
    },
  };
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}
