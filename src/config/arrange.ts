import { resolve } from 'node:path';
import { arrangeFonts, arrangeLimits, arrangeRender } from './arrange-rendering.ts';
import { arrangeUpload } from './arrange-uploads.ts';
import { arrangeEvents, arrangeVideo } from './arrange-video.ts';
import type { Variables } from './variables.ts';

const MEGABYTE = 1024 * 1024;

/** For how long changes by others go unnoticed, in milliseconds; to ask a bucket takes longer, and costs money. */
const CHECK_MS = { disk: 1_000, s3: 10_000 };

/** How often everything that is stored is compared with the catalog, in minutes. */
const SCAN_MIN = { disk: 60, elsewhere: 360 };
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** CPU time that renders for one network may take in a window, in milliseconds. */
const RENDER_BUDGET_MS = 60_000;

/** Puts the variables together by the room that uses them; sizes in bytes, times in milliseconds. */
export function arrange(values: Variables) {
  return {
    mode: values.MODE,
    http: arrangeHttp(values),
    log: { level: values.LOG_LEVEL, format: values.LOG_FORMAT, requests: values.LOG_REQUESTS },
    tracing: { module: values.TRACING_MODULE === undefined ? undefined : resolve(values.TRACING_MODULE) },
    data: arrangeData(values),
    fonts: arrangeFonts(values),
    storage: arrangeStorage(values),
    database: arrangeDatabase(values),
    auth: arrangeAuth(values),
    upload: arrangeUpload(values),
    cache: arrangeCache(values),
    limits: arrangeLimits(values),
    kept: { versions: values.VERSIONS_KEEP, versionDays: values.VERSIONS_DAYS, trashDays: values.TRASH_DAYS },
    catalog: arrangeCatalog(values),
    purges: arrangePurges(values),
    compat: arrangeCompat(values),
    pull: arrangePull(values),
    outgoing: { privateNetworks: values.OUTGOING_PRIVATE_NETWORKS },
    webhooks: {
      timeoutMs: values.WEBHOOK_TIMEOUT_MS,
      maxWaiting: values.WEBHOOK_QUEUE_MAX,
      keepMs: values.WEBHOOK_LOG_DAYS * DAY_MS,
    },
    video: arrangeVideo(values),
    events: arrangeEvents(values),
    render: arrangeRender(values),
    cluster: { onceWaitMs: values.RENDER_ELSEWHERE_WAIT_MS },
    renderBudget: {
      // Where requests are not counted by address, neither is their work.
      perClientMs: values.RENDER_BUDGET_PER_CLIENT ?? (values.PUBLIC_RATE_LIMIT_MAX === 0 ? 0 : RENDER_BUDGET_MS),
      windowMs: values.PUBLIC_RATE_LIMIT_WINDOW_MS,
    },
  };
}

function arrangeHttp(values: Variables) {
  return {
    port: values.PORT,
    host: values.HOST,
    publicUrl: values.PUBLIC_URL?.replace(/(?<!\/)\/+$/, ''),
    cacheControl: values.CACHE_CONTROL,
    cdn: { cacheControl: values.CDN_CACHE_CONTROL, hasTags: values.CDN_TAGS === 'true' },
    corsOrigins: values.CORS_ORIGIN,
    trustedProxies: values.TRUSTED_PROXIES,
    rateLimit: {
      max: values.PUBLIC_RATE_LIMIT_MAX,
      windowMs: values.PUBLIC_RATE_LIMIT_WINDOW_MS,
      syncMs: values.RATE_LIMIT_SYNC_MS,
    },
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
    drainDelayMs: values.DRAIN_DELAY_MS,
    shutdownTimeoutMs: values.SHUTDOWN_TIMEOUT_MS,
  };
}

/** What one client may have of all connections: enough for the many people who can have one address. */
function shareOf(connections: number): number {
  return Math.min(1000, Math.max(64, Math.floor(connections / 4)));
}

function arrangeData(values: Variables) {
  const directory = resolve(values.DATA_DIR);
  return {
    directory,
    originals: resolve(directory, 'originals'),
    variants: resolve(directory, 'variants'),
    temp: resolve(directory, 'tmp'),
    uploads: resolve(directory, 'uploads'),
    staged: resolve(directory, 'staged'),
    moves: resolve(directory, 'moves'),
    attic: resolve(directory, 'attic'),
    /** The last invalidation that the cache of variants has seen. */
    invalidated: resolve(directory, 'invalidated'),
    database: resolve(directory, 'darkroom.db'),
  };
}

function arrangeDatabase(values: Variables) {
  return {
    /** The address of a PostgreSQL database; undefined for SQLite. */
    url: values.DATABASE_URL,
    /** For the one connection that has to be the same all the time, where there is a pooler before the database. */
    sessionUrl: values.DATABASE_SESSION_URL ?? values.DATABASE_URL,
    poolMax: values.DATABASE_POOL_MAX,
    migrate: values.DATABASE_MIGRATE,
    waitMs: values.DATABASE_WAIT_MS,
  };
}

/** Where the originals lie. Every kind of storage has its settings here. */
function arrangeStorage(values: Variables) {
  const { STORAGE_BUCKET_NAME, STORAGE_ACCESS_KEY_ID, STORAGE_SECRET_ACCESS_KEY } = values;
  if (!STORAGE_BUCKET_NAME || !STORAGE_ACCESS_KEY_ID || !STORAGE_SECRET_ACCESS_KEY) return { kind: 'disk' } as const;
  return {
    kind: 's3' as const,
    bucket: STORAGE_BUCKET_NAME,
    accessKeyId: STORAGE_ACCESS_KEY_ID,
    secretAccessKey: STORAGE_SECRET_ACCESS_KEY,
    region: values.STORAGE_REGION,
    endpoint: values.STORAGE_ENDPOINT,
    prefix: values.STORAGE_PREFIX,
    maxSockets: values.STORAGE_MAX_CONNECTIONS,
    timeoutMs: values.STORAGE_TIMEOUT_MS,
    localCacheBytes: values.STORAGE_LOCAL_CACHE_MB * MEGABYTE,
  };
}

function arrangeAuth(values: Variables) {
  return {
    secret: values.API_SECRET,
    signatureMaxSeconds: values.SIGNATURE_MAX_EXPIRES_IN,
    firstKey: values.API_KEY,
    maxQueuedSignIns: values.SIGN_IN_QUEUE_MAX,
    maxSignInFailures: values.SIGN_IN_FAILURES_MAX,
    knownClients: { max: values.SIGN_IN_KNOWN_MAX, days: values.SIGN_IN_KNOWN_DAYS },
    admin:
      values.ADMIN_EMAIL && values.ADMIN_PASSWORD
        ? { email: values.ADMIN_EMAIL, password: values.ADMIN_PASSWORD, name: values.ADMIN_NAME }
        : undefined,
  };
}

function arrangePull(values: Variables) {
  return {
    origins: values.ORIGINS,
    timeoutMs: values.ORIGINS_TIMEOUT_MS,
    maxConcurrent: values.ORIGINS_MAX_CONCURRENT,
    maxFileBytes: values.MAX_FILE_SIZE_MB * MEGABYTE,
    /** Of all that is fetched and kept; 0 for no limit. */
    maxBytes: values.ORIGINS_MAX_MB * MEGABYTE,
  };
}

function arrangeCache(values: Variables) {
  return {
    maxBytes: values.CACHE_MAX_SIZE_MB * MEGABYTE,
    memoryBytes: values.CACHE_MEMORY_MB * MEGABYTE,
    originalCheckMs: values.ORIGINAL_CHECK_INTERVAL_MS ?? CHECK_MS[arrangeStorage(values).kind],
    staleMs: arrangeStorage(values).kind === 'disk' ? 0 : values.STALE_IF_ERROR_MS,
    /** Of variants that are on their way to those who share them. */
    uploadQueue: {
      maxCount: values.STORAGE_UPLOAD_QUEUE_MAX,
      maxBytes: values.STORAGE_UPLOAD_QUEUE_MB * MEGABYTE,
    },
  };
}

function arrangeCatalog(values: Variables) {
  return {
    scanMs:
      (values.CATALOG_SCAN_INTERVAL_MIN ?? SCAN_MIN[arrangeStorage(values).kind === 'disk' ? 'disk' : 'elsewhere']) *
      MINUTE_MS,
    /** Whether this node describes originals in the background. */
    isDescribing: values.CATALOG_DESCRIBE === 'true',
    fieldsSchema: values.ASSET_FIELDS_SCHEMA && resolve(values.ASSET_FIELDS_SCHEMA),
  };
}

/** What a CDN is told of changes; undefined when there is none to tell. */
function arrangePurges(values: Variables) {
  if (values.CDN_PURGE_URL === undefined) return undefined;
  return {
    url: values.CDN_PURGE_URL,
    style: values.CDN_PURGE_STYLE,
    token: values.CDN_PURGE_TOKEN,
    delayMs: values.CDN_PURGE_DELAY_MS,
    retryMax: values.CDN_PURGE_RETRY_MAX,
    retryDelayMs: values.CDN_PURGE_RETRY_DELAY_MS,
    maxWaiting: values.OUTBOX_MAX,
  };
}

/** Whose URLs are answered. imgproxy's are signed with a key and a salt that belong together. */
function arrangeCompat({ COMPAT, IMGPROXY_KEY = [], IMGPROXY_SALT = [] }: Variables) {
  const keys = IMGPROXY_KEY.map((key, at) => ({ key, salt: IMGPROXY_SALT[at] ?? '' }));
  return { cloudinary: COMPAT.includes('cloudinary'), imgproxy: COMPAT.includes('imgproxy') ? { keys } : undefined };
}
