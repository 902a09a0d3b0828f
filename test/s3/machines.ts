import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { createLog } from '../../src/log.ts';
import { parsePath, type StoragePath } from '../../src/path.ts';
import { createLocalVariants } from '../../src/storage/cache/local-variants.ts';
import type { SharedVariants } from '../../src/storage/cache/shared-variants.ts';
import { TieredVariants } from '../../src/storage/cache/tiered-variants.ts';
import type { Variant, VariantStore } from '../../src/storage/cache/variant-store.ts';
import { type Bucket, type BucketSettings, createBucket } from '../../src/storage/s3/bucket.ts';
import { createBucketVariants } from '../../src/storage/s3/bucket-variants.ts';
import { listObjects } from '../../src/storage/s3/list.ts';
import { UsageCounter } from '../../src/storage/usage-counter.ts';
import { MEBIBYTE } from '../contracts/blob-store/steps.ts';
import { newBucket } from './bucket.ts';
import { type S3Proxy, startProxy } from './proxy.ts';

export const FILM = parsePath('films/film.mp4');
export const LARGE = randomBytes(20 * MEBIBYTE);

interface Machine {
  bucket: Bucket;
  database: OpenDatabase;
  shared: SharedVariants;
  variants: VariantStore;
  folder: string;
}

export let proxy: S3Proxy;
let settings: BucketSettings;
export let machine: Machine;
const machines: Machine[] = [];

/** Starts a node with its own near cache and database. */
export async function start({ maxBytes = 1e9, queue = { maxCount: 100, maxBytes: 1e9 } } = {}): Promise<Machine> {
  const folder = await mkdtemp(join(tmpdir(), 's3-variants-'));
  const temp = join(folder, 'tmp');
  await mkdir(temp);
  const bucket = createBucket(settings);
  const database = await openDatabase({ file: join(folder, 'darkroom.db') });
  const local = await createLocalVariants({ directory: join(folder, 'near'), temp, maxBytes, memoryBytes: 1e6 });
  const conditions = { hasConditions: true, hasPartConditions: false, hasDeleteConditions: false };
  const usageCounter = new UsageCounter(database.db);
  const shared = createBucketVariants({ bucket, ...conditions, usageCounter });
  const log = createLog({ level: 'silent', format: 'json' });
  const variants = new TieredVariants({
    local,
    shared,
    temp,
    maxBytes,
    queue,
    log,
    serialize: (_path, work) => work(),
  });
  const started = { bucket, database, shared, variants, folder };
  machines.push(started);
  return started;
}

/** Returns a finished temporary file. */
export const rendered = async (bytes: Uint8Array, { folder } = machine) => {
  const file = join(folder, 'tmp', randomUUID());
  await writeFile(file, bytes);
  return file;
};
export const nameOf = (n: number) => n.toString(16).padStart(40, '0');
/** Stores a variant locally and in the bucket. */
export const put = async (original: StoragePath, n: number, bytes: Uint8Array, on = machine) =>
  on.variants.put(original, nameOf(n), 'mp4', await rendered(bytes, on), { until: 'shared' });
/** Stores a variant locally, and in the bucket later. */
export const putBehind = async (original: StoragePath, n: number, bytes: Uint8Array, on = machine) =>
  on.variants.put(original, nameOf(n), 'mp4', await rendered(bytes, on));
export const find = (n = 1, on = machine) => on.variants.get(FILM, nameOf(n), ['mp4']);
export const bytesOf = async (variant: Variant | undefined, range?: { start: number; end: number }) =>
  variant && (variant.bytes ?? buffer(await variant.open(range)));
export const downloads = () => proxy.requests.filter((request) => request.startsWith('GET variants/'));

/** Holds the response with a variant after a few bytes, until the returned function is called. */
export function holdFirst(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  proxy.fault = (request) => {
    if (!request.startsWith('GET variants/')) return undefined;
    proxy.fault = undefined;
    return { holdAfter: 3 * MEBIBYTE, until: promise };
  };
  return resolve;
}

export async function listed(prefix = ''): Promise<{ size: number; fileCount: number }> {
  const count = { size: 0, fileCount: 0 };
  for await (const { size } of listObjects(machine.bucket, `variants/${prefix}`)) {
    count.size += size;
    count.fileCount++;
  }
  return count;
}

export async function setUp(): Promise<void> {
  settings = await newBucket({ timeoutMs: 5000 });
  proxy = await startProxy(settings.endpoint ?? '');
  settings = { ...settings, endpoint: proxy.endpoint };
  machine = await start();
}

export async function tearDown(): Promise<void> {
  for (const { variants, bucket, database, folder } of machines.splice(0)) {
    await variants.close();
    expect(await readdir(join(folder, 'tmp')), 'temporary files are gone').toEqual([]);
    bucket.close();
    await database.close();
    await rm(folder, { recursive: true });
  }
  await proxy.close();
}
