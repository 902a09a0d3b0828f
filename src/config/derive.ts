import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { anonymousBytes, bytesWithReserve } from '../client.ts';
import { readMachine } from '../runtime/machine.ts';
import type { Values } from './tree.ts';

/** Default interval in which changes by other programs go unnoticed. Requests to a bucket are slower and cost money. */
const CHECK_MS = { disk: 1000, s3: 10_000 };

const MINUTE_MS = 60_000;
/** Default interval of reconciliations of the storage with the catalog. */
const SCAN_MS = { disk: 60 * MINUTE_MS, remote: 360 * MINUTE_MS };

/** Default budget of variants in memory: a share of the memory of the host, within bounds. */
const MEMORY_SHARE = 1 / 16;
const LEAST_MEMORY_BYTES = 128 * 1024 ** 2;
const MOST_MEMORY_BYTES = 1024 ** 3;

/** Default CPU time that renders for one client may take per window. */
const RENDER_BUDGET_MS = 60_000;

/** Completes the values of settings by those that depend on the host or on several settings. */
export function derive(values: Values) {
  const storage = deriveStorage(values.storage);
  const isOnDisk = storage.kind === 'disk';
  return {
    ...values,
    http: deriveHttp(values.http),
    data: dataPaths(values.data.directory),
    fonts: fontPaths(values),
    storage,
    database: { ...values.database, sessionUrl: values.database.sessionUrl ?? values.database.url },
    auth: deriveAuth(values.auth),
    upload: deriveUpload(values.upload),
    cache: {
      ...values.cache,
      memoryBytes: values.cache.memoryBytes ?? variantMemoryOf(readMachine()),
      originalCheckMs: values.cache.originalCheckMs ?? CHECK_MS[storage.kind],
      staleMs: isOnDisk ? 0 : values.cache.staleMs,
    },
    limits: {
      ...values.limits,
      /** Families of the fonts that were found; undefined before. */
      families: undefined as readonly string[] | undefined,
    },
    catalog: { ...values.catalog, scanMs: values.catalog.scanMs ?? (isOnDisk ? SCAN_MS.disk : SCAN_MS.remote) },
    purges: derivePurges(values.purges),
    compat: deriveCompat(values.compat),
    pull: { ...values.pull, maxFileBytes: values.upload.maxFileBytes },
    events: deriveEvents(values.events),
    // A single worker process would let one image that takes seconds delay all others.
    render: { ...values.render, workers: values.render.workers ?? Math.max(2, availableParallelism()) },
    renderBudget: deriveRenderBudget(values),
  };
}

/** Default budget of variants in memory, in bytes. */
export function variantMemoryOf({ memoryBytes }: { memoryBytes: number }): number {
  const share = Math.floor(memoryBytes * MEMORY_SHARE);
  return Math.min(MOST_MEMORY_BYTES, Math.max(LEAST_MEMORY_BYTES, share));
}

function deriveHttp(http: Values['http']) {
  return {
    ...http,
    /** Start of links in responses, before a path that begins with a slash. */
    linkBase: http.publicUrl ?? '',
    /** As `linkBase`, where links are relative to the host. */
    pathBase: '',
    maxConnectionsPerAddress: http.maxConnectionsPerAddress ?? shareOf(http.maxConnections),
  };
}

/** Default share of one address in all connections: enough for many people behind one NAT. */
function shareOf(connections: number): number {
  return Math.min(1000, Math.max(64, Math.floor(connections / 4)));
}

function dataPaths(directory: string) {
  return {
    directory,
    originals: resolve(directory, 'originals'),
    variants: resolve(directory, 'variants'),
    temp: resolve(directory, 'tmp'),
    uploads: resolve(directory, 'uploads'),
    staged: resolve(directory, 'staged'),
    retention: resolve(directory, 'attic'),
    /** Last invalidation that the cache of variants has applied. */
    invalidated: resolve(directory, 'invalidated'),
    database: resolve(directory, 'darkroom.db'),
  };
}

function fontPaths({ data, fonts }: Values) {
  return {
    /** Folder of the operator's fonts. */
    own: fonts.own ?? resolve(data.directory, 'fonts'),
    /** A folder that was set explicitly has to exist. */
    isOwnRequired: fonts.own !== undefined,
    /** Folder for links to all fonts and an index of them. */
    links: resolve(data.directory, 'font-links'),
  };
}

/** Chooses where the originals are stored. */
function deriveStorage({ bucket, accessKeyId, secretAccessKey, ...options }: Values['storage']) {
  if (!bucket || !accessKeyId || !secretAccessKey) return { kind: 'disk' } as const;
  return { kind: 's3' as const, bucket, accessKeyId, secretAccessKey, ...options };
}

function deriveAuth(auth: Values['auth']) {
  return {
    ...auth,
    admin: deriveAdmin(auth.admin),
    signIn: deriveSignIn(auth.signIn),
    replacedSecrets: auth.replacedSecrets.map((secret) => ({ secret, until: Number.POSITIVE_INFINITY })),
  };
}

function deriveAdmin({ email, password, name }: Values['auth']['admin']) {
  return email !== undefined && password !== undefined ? { email, password, name } : undefined;
}

/** Ways to sign in; `oidc` is undefined without an identity provider. */
function deriveSignIn({ password, oidc }: Values['auth']['signIn']) {
  const { issuer, clientId, clientSecret, ...options } = oidc;
  const isSet = issuer !== undefined && clientId !== undefined && clientSecret !== undefined;
  return { password, oidc: isSet ? { issuer, clientId, clientSecret, ...options } : undefined };
}

function deriveUpload(upload: Values['upload']) {
  const { maxFileBytes, maxRequestBytes } = upload;
  // A single file has to fit into the share of anonymous clients.
  const maxTempBytes = Math.max(upload.maxTempBytes, bytesWithReserve(maxFileBytes));
  const perClient = upload.maxTempBytesPerClient ?? Math.max(maxTempBytes / 4, maxRequestBytes);
  const ofAllAnonymous = anonymousBytes(maxTempBytes, maxFileBytes);
  return {
    ...upload,
    /** Kinds and MIME types that a space accepts; undefined for all. */
    types: undefined as readonly string[] | undefined,
    /** Name of what sets `maxFileBytes`, for errors. */
    maxFileSetting: 'MAX_FILE_SIZE_MB',
    maxTempBytes,
    maxTempBytesPerClient: Math.min(Math.max(perClient, maxFileBytes), ofAllAnonymous),
    maxUnauthenticatedBytes: Math.max(upload.maxUnauthenticatedBytes, maxFileBytes),
  };
}

/** Purges of a CDN; undefined where there is none. */
function derivePurges({ url, ...options }: Values['purges']) {
  return url === undefined ? undefined : { url, ...options };
}

/** Services whose URLs are answered. imgproxy's are signed with pairs of a key and a salt. */
function deriveCompat({ services, imgproxyKeys = [], imgproxySalts = [] }: Values['compat']) {
  const keys = imgproxyKeys.map((key, index) => ({ key, salt: imgproxySalts[index] ?? '' }));
  return {
    cloudinary: services.includes('cloudinary'),
    imgproxy: services.includes('imgproxy') ? { keys } : undefined,
  };
}

function deriveEvents({ visibility, ...limits }: Values['events']) {
  return {
    ...limits,
    /** True if events name files to everyone. */
    areNamed: visibility === 'full',
  };
}

function deriveRenderBudget({ http, renderBudget }: Values) {
  const { max, windowMs } = http.rateLimit;
  return {
    // CPU time is only counted per address if requests are.
    perClientMs: renderBudget.perClientMs ?? (max === 0 ? 0 : RENDER_BUDGET_MS),
    windowMs,
  };
}
