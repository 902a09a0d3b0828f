import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { headerValue, integer, keyPrefix, networks, oneOf, origins, presets, text, url } from './config-forms.ts';

const MEGABYTE = 1024 * 1024;

/** Every variable that the service reads: its form and its default. `docs/configuration.md` explains them. */
const variables = {
  PORT: integer(0, 65_535).prefault('3000'),
  HOST: text('a host name or an address').prefault('0.0.0.0'),
  MODE: oneOf(['full', 'api']).prefault('full'),
  DATA_DIR: text('a folder').prefault('./data'),
  PUBLIC_URL: url().optional(),
  CORS_ORIGIN: origins().prefault(''),
  TRUSTED_PROXIES: networks().prefault(''),
  PUBLIC_RATE_LIMIT_MAX: integer(0, 1e9).prefault('100'),
  PUBLIC_RATE_LIMIT_WINDOW_MS: integer(1, 86_400_000).prefault('60000'),
  MAX_CONNECTIONS: integer(1, 1e6).prefault('20000'),
  HEADERS_TIMEOUT_MS: integer(100, 3_600_000).prefault('15000'),
  SOCKET_TIMEOUT_MS: integer(1000, 86_400_000).prefault('600000'),
  BODY_TIMEOUT_MS: integer(100, 3_600_000).prefault('30000'),
  DELIVERY_MODE: oneOf(['open', 'signed', 'presets']).prefault('open'),
  PRESETS: presets().prefault(''),
  API_SECRET: text('at least 16 characters', 16).optional(),
  SIGNATURE_MAX_EXPIRES_IN: integer(1, 1e9).prefault('3600'),
  API_KEY: text('at least 32 characters', 32).optional(),
  ADMIN_EMAIL: z.email().optional().describe('an e-mail address'),
  ADMIN_PASSWORD: text('8 to 128 characters', 8, 128).optional(),
  ADMIN_NAME: text('a name').prefault('Admin'),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).prefault('info'),
  LOG_REQUESTS: oneOf(['all', 'errors']).prefault('all'),
  LOG_FORMAT: oneOf(['auto', 'json', 'pretty']).prefault('auto'),
  CACHE_CONTROL: headerValue('a Cache-Control value').prefault('public, max-age=31536000, must-revalidate'),
  CACHE_MAX_SIZE_MB: integer(1, 1e9).prefault('10240'),
  CACHE_MEMORY_MB: integer(0, 1e6).prefault('128'),
  ORIGINAL_CHECK_INTERVAL_MS: integer(0, 3_600_000).optional(),
  STORAGE_BUCKET_NAME: text('the name of a bucket').optional(),
  STORAGE_ACCESS_KEY_ID: text('an access key').optional(),
  STORAGE_SECRET_ACCESS_KEY: text('a secret key').optional(),
  STORAGE_REGION: text('a region').prefault('auto'),
  STORAGE_ENDPOINT: url().optional(),
  STORAGE_PREFIX: keyPrefix().prefault(''),
  STORAGE_MAX_CONNECTIONS: integer(1, 10_000).prefault('64'),
  STORAGE_TIMEOUT_MS: integer(100, 3_600_000).prefault('15000'),
  STORAGE_LOCAL_CACHE_MB: integer(0, 1e9).prefault('2048'),
  MAX_FILE_SIZE_MB: integer(1, 1e6).prefault('50'),
  MAX_REQUEST_SIZE_MB: integer(1, 1e6).prefault('1024'),
  MAX_FILES_PER_UPLOAD: integer(1, 100_000).prefault('1000'),
  MAX_INPUT_MEGAPIXELS: integer(1, 10_000).prefault('100'),
  MAX_ANIMATION_FRAMES: integer(1, 1e6).prefault('2000'),
  MAX_OUTPUT_SIDE: integer(1, 16_383).prefault('8192'),
  MAX_OUTPUT_MEGAPIXELS: integer(1, 268).prefault('50'),
  RENDER_WORKERS: integer(1, 256).optional(),
  RENDER_QUEUE_MAX: integer(0, 100_000).prefault('500'),
  RENDER_QUEUE_WAIT_MS: integer(1, 3_600_000).prefault('60000'),
  RENDER_TIMEOUT_MS: integer(100, 3_600_000).prefault('60000'),
  RENDER_MEMORY_MB: integer(128, 1e6).prefault('2048'),
  VIDEO_MAX_CONCURRENT: integer(1, 256).optional(),
  VIDEO_FFMPEG_THREADS: integer(1, 256).optional(),
  VIDEO_FFMPEG_NICENESS: integer(0, 19).prefault('15'),
  VIDEO_STALL_TIMEOUT_MS: integer(1000, 3_600_000).prefault('60000'),
  VIDEO_JOB_RETRY_MAX: integer(0, 100).prefault('3'),
  VIDEO_JOB_RETRY_DELAY_MS: integer(1, 3_600_000).prefault('2000'),
  VIDEO_JOB_CLEANUP_HOURS: integer(1, 100_000).prefault('24'),
  VIDEO_JOB_LEASE_MS: integer(1000, 3_600_000).prefault('15000'),
  VIDEO_POLL_INTERVAL_MS: integer(10, 3_600_000).prefault('5000'),
  MAX_EVENT_CLIENTS: integer(1, 100_000).prefault('2000'),
  EVENTS_HEARTBEAT_MS: integer(10, 3_600_000).prefault('30000'),
  SHUTDOWN_TIMEOUT_MS: integer(0, 3_600_000).prefault('20000'),
};

/** Whose values are never shown, not even when they are wrong. */
const SECRETS: readonly string[] = ['API_SECRET', 'API_KEY', 'ADMIN_PASSWORD', 'STORAGE_SECRET_ACCESS_KEY'];

/** All of a group are given, or none. */
const ADMIN = ['ADMIN_EMAIL', 'ADMIN_PASSWORD'] as const;
const BUCKET = ['STORAGE_BUCKET_NAME', 'STORAGE_ACCESS_KEY_ID', 'STORAGE_SECRET_ACCESS_KEY'] as const;

/** For how long changes by others go unnoticed; asking a bucket takes longer, and is paid for. */
const CHECK_MS = { disk: 1_000, bucket: 10_000 };

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
      publicUrl: values.PUBLIC_URL?.replace(/\/+$/, ''),
      cacheControl: values.CACHE_CONTROL,
      corsOrigins: values.CORS_ORIGIN,
      trustedProxies: values.TRUSTED_PROXIES,
      rateLimit: { max: values.PUBLIC_RATE_LIMIT_MAX, windowMs: values.PUBLIC_RATE_LIMIT_WINDOW_MS },
      maxConnections: values.MAX_CONNECTIONS,
      headersTimeoutMs: values.HEADERS_TIMEOUT_MS,
      socketTimeoutMs: values.SOCKET_TIMEOUT_MS,
      bodyTimeoutMs: values.BODY_TIMEOUT_MS,
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
      database: resolve(dataDir, 'darkroom.db'),
    },
    bucket,
    auth: {
      secret: values.API_SECRET,
      signatureMaxSeconds: values.SIGNATURE_MAX_EXPIRES_IN,
      firstKey: values.API_KEY,
      admin:
        values.ADMIN_EMAIL && values.ADMIN_PASSWORD
          ? { email: values.ADMIN_EMAIL, password: values.ADMIN_PASSWORD, name: values.ADMIN_NAME }
          : undefined,
    },
    upload: {
      maxFileBytes: values.MAX_FILE_SIZE_MB * MEGABYTE,
      maxRequestBytes: values.MAX_REQUEST_SIZE_MB * MEGABYTE,
      maxFiles: values.MAX_FILES_PER_UPLOAD,
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
      presets: values.PRESETS,
    },
    video: {
      maxConcurrent: values.VIDEO_MAX_CONCURRENT,
      threads: values.VIDEO_FFMPEG_THREADS,
      niceness: values.VIDEO_FFMPEG_NICENESS,
      stallMs: values.VIDEO_STALL_TIMEOUT_MS,
      retryMax: values.VIDEO_JOB_RETRY_MAX,
      retryDelayMs: values.VIDEO_JOB_RETRY_DELAY_MS,
      cleanupMs: values.VIDEO_JOB_CLEANUP_HOURS * 3_600_000,
      leaseMs: values.VIDEO_JOB_LEASE_MS,
      pollIntervalMs: values.VIDEO_POLL_INTERVAL_MS,
    },
    events: { maxClients: values.MAX_EVENT_CLIENTS, heartbeatMs: values.EVENTS_HEARTBEAT_MS },
    render: {
      // On one CPU a picture that takes seconds would stop all others.
      workers: values.RENDER_WORKERS ?? Math.max(2, availableParallelism()),
      maxQueued: values.RENDER_QUEUE_MAX,
      maxWaitMs: values.RENDER_QUEUE_WAIT_MS,
      timeoutMs: values.RENDER_TIMEOUT_MS,
      memoryBytes: values.RENDER_MEMORY_MB * MEGABYTE,
    },
  };
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
  };
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}
