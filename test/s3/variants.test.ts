import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { createCacheLedger } from '../../src/db/totals-ledger.ts';
import { createLog } from '../../src/log.ts';
import { parsePath, type StoragePath } from '../../src/path.ts';
import { type Bucket, type BucketSettings, createBucket } from '../../src/storage/s3-bucket.ts';
import { listObjects } from '../../src/storage/s3-list.ts';
import { createSharedVariants, type SharedVariants } from '../../src/storage/shared-variants.ts';
import { createTieredVariants } from '../../src/storage/tiered-variants.ts';
import { createVariantStore, type Variant, type VariantStore } from '../../src/storage/variants.ts';
import { MEBIBYTE } from '../contracts/blob-store/steps.ts';
import { describeOnS3, newBucket } from './bucket.ts';
import { type S3Proxy, startProxy } from './proxy.ts';

const FILM = parsePath('films/film.mp4');
const LARGE = randomBytes(20 * MEBIBYTE);

interface Machine {
  bucket: Bucket;
  database: OpenDatabase;
  shared: SharedVariants;
  variants: VariantStore;
  folder: string;
}

let proxy: S3Proxy;
let settings: BucketSettings;
let machine: Machine;
const machines: Machine[] = [];

/** A machine with a near cache and a database of its own. */
async function start({ maxBytes = 1e9 } = {}): Promise<Machine> {
  const folder = await mkdtemp(join(tmpdir(), 's3-variants-'));
  const temp = join(folder, 'tmp');
  await mkdir(temp);
  const bucket = createBucket(settings);
  const database = await openDatabase({ file: join(folder, 'darkroom.db') });
  const local = await createVariantStore({ directory: join(folder, 'near'), temp, maxBytes, memoryBytes: 1e6 });
  const shared = createSharedVariants({ bucket, hasConditions: true, ledger: createCacheLedger(database.db) });
  const log = createLog({ level: 'silent', format: 'json' });
  const variants = createTieredVariants({ local, shared, temp, maxBytes, log });
  const started = { bucket, database, shared, variants, folder };
  machines.push(started);
  return started;
}

const rendered = async (bytes: Uint8Array, { folder } = machine) => {
  const file = join(folder, 'tmp', randomUUID());
  await writeFile(file, bytes);
  return file;
};
const nameOf = (n: number) => n.toString(16).padStart(40, '0');
const put = async (original: StoragePath, n: number, bytes: Uint8Array, on = machine) =>
  on.variants.put(original, nameOf(n), 'mp4', await rendered(bytes, on));
const find = (n = 1, on = machine) => on.variants.get(FILM, nameOf(n), ['mp4']);
const bytesOf = async (variant: Variant | undefined, range?: { start: number; end: number }) =>
  variant && buffer(await variant.open(range));
const downloads = () => proxy.requests.filter((request) => request.startsWith('GET variants/'));

/** The answer with a variant stops after a few bytes, until the test says so. */
function holdFirst(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  proxy.fault = (request) => {
    if (!request.startsWith('GET variants/')) return undefined;
    proxy.fault = undefined;
    return { holdAfter: 3 * MEBIBYTE, until: promise };
  };
  return resolve;
}

async function listed(prefix = ''): Promise<{ size: number; fileCount: number }> {
  const count = { size: 0, fileCount: 0 };
  for await (const { size } of listObjects(machine.bucket, `variants/${prefix}`)) {
    count.size += size;
    count.fileCount++;
  }
  return count;
}

async function setUp(): Promise<void> {
  settings = await newBucket({ timeoutMs: 5000 });
  proxy = await startProxy(settings.endpoint ?? '');
  settings = { ...settings, endpoint: proxy.endpoint };
  machine = await start();
}

async function tearDown(): Promise<void> {
  for (const { variants, bucket, database, folder } of machines.splice(0)) {
    await variants.close();
    expect(await readdir(join(folder, 'tmp')), 'temporary files are gone').toEqual([]);
    bucket.close();
    database.close();
    await rm(folder, { recursive: true });
  }
  await proxy.close();
}

describeOnS3('a large variant in the bucket', () => {
  beforeEach(async () => {
    await setUp();
    await put(FILM, 1, LARGE);
    await machine.variants.clear();
    proxy.requests.length = 0;
  });
  afterEach(tearDown);

  test('is on its way to its reader before it is here, with one request, and is near afterwards', async () => {
    const release = holdFirst();
    const variant = await find();
    expect(variant).toMatchObject({ size: LARGE.length, format: 'mp4' });
    const stream = (await variant?.open()) ?? [];
    const chunks: Buffer[] = [];
    for await (const chunk of stream) {
      chunks.push(Buffer.from(chunk));
      release();
    }
    expect(Buffer.concat(chunks).equals(LARGE)).toBe(true);
    expect(downloads()).toHaveLength(1);
    await vi.waitUntil(async () => (await machine.variants.stats()).fileCount === 2);
    expect((await bytesOf(await find()))?.equals(LARGE)).toBe(true);
    // Whoever still holds what was found then reads what is near now.
    expect((await bytesOf(variant, { start: 10, end: 19 }))?.equals(LARGE.subarray(10, 20))).toBe(true);
    expect(downloads()).toHaveLength(1);
  });

  test('is one download for all who come while it arrives; a part far ahead has one of its own', async () => {
    const release = holdFirst();
    const [one, other] = await Promise.all([find(), find()]);
    const whole = Promise.all([bytesOf(one), bytesOf(other), bytesOf(await find())]);
    const [start, end] = [15 * MEBIBYTE, 15 * MEBIBYTE + 99_999];
    expect((await bytesOf(one, { start, end }))?.equals(LARGE.subarray(start, end + 1))).toBe(true);
    expect(downloads()).toHaveLength(2);
    release();
    for (const bytes of await whole) expect(bytes?.equals(LARGE)).toBe(true);
    expect(downloads()).toHaveLength(2);
  });

  test('comes near also when its reader leaves, and when nobody reads it', async () => {
    const release = holdFirst();
    const stream = await (await find())?.open();
    stream?.destroy();
    release();
    await vi.waitUntil(async () => (await machine.variants.stats()).fileCount === 2);
    expect(downloads()).toHaveLength(1);
  });

  test('that is forgotten on its way does not come near, and its readers get all of it', async () => {
    const release = holdFirst();
    const reading = bytesOf(await find());
    expect(await machine.variants.forget(FILM)).toBe(0);
    release();
    expect((await reading)?.equals(LARGE)).toBe(true);
    expect(await machine.variants.stats()).toMatchObject({ fileCount: 1 });
  });

  test('whose download breaks off for good ends its readers, and is there again when the store is', async () => {
    proxy.fault = (request) => (request.startsWith('GET variants/') ? { resetAfter: 0 } : undefined);
    await expect(bytesOf(await find())).rejects.toThrow(/broke off/);
    proxy.fault = undefined;
    expect((await bytesOf(await find()))?.equals(LARGE)).toBe(true);
  });

  test('goes no further than the service: what is on its way when it stops is given up', async () => {
    holdFirst();
    const reading = bytesOf(await find()).catch(String);
    await machine.variants.close();
    expect(await reading).toContain('stops');
  });

  test('that the near cache could not hold is sent from the bucket alone', async () => {
    const small = await start({ maxBytes: 10 * MEBIBYTE });
    expect((await bytesOf(await find(1, small)))?.equals(LARGE)).toBe(true);
    expect((await bytesOf(await find(1, small), { start: 5, end: 9 }))?.equals(LARGE.subarray(5, 10))).toBe(true);
    expect(await readdir(join(small.folder, 'near'))).toEqual([]);
  });

  test('beyond eight at a time is sent from the bucket alone', async () => {
    for (let n = 2; n <= 10; n++) await put(FILM, n, LARGE.subarray(n * 1000, n * 1000 + 4 * MEBIBYTE));
    await machine.variants.clear();
    const { promise, resolve } = Promise.withResolvers<void>();
    proxy.fault = (request) =>
      /^GET variants.*[2-9]$/.test(request) ? { holdAfter: 3 * MEBIBYTE, until: promise } : undefined;
    const held = await Promise.all([2, 3, 4, 5, 6, 7, 8, 9].map((n) => find(n)));
    const last = await find(10);
    expect((await bytesOf(last))?.equals(LARGE.subarray(10_000, 10_000 + 4 * MEBIBYTE))).toBe(true);
    resolve();
    await Promise.all(held.map((variant) => bytesOf(variant)));
    expect(downloads().filter((request) => request.endsWith(nameOf(10)))).toHaveLength(2);
  });
});

describeOnS3('the variants that machines share', () => {
  beforeEach(setUp);
  afterEach(tearDown);

  test('are never fewer than none: a machine that removes what others stored counts anew', async () => {
    const other = await start();
    await machine.shared.stats();
    await put(FILM, 1, Buffer.alloc(1000), other);
    await put(FILM, 2, Buffer.alloc(2000), other);
    expect(await machine.shared.forget(parsePath('films'))).toBe(2);
    expect(await machine.shared.stats()).toMatchObject({ size: 0, fileCount: 0 });
  });

  test('are counted exactly while they come and go', async () => {
    await machine.shared.stats();
    for (let n = 0; n < 60; n++) await put(parsePath(`f/${n % 6}.png`), n, Buffer.alloc(100 + n));
    const writing = Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        for (let m = 0; m < 5; m++) await put(parsePath(`f/${n}.png`), 100 + 10 * n + m, Buffer.alloc(10));
        if (n % 2 === 0) await machine.shared.forget(parsePath(`f/${n}.png`));
      }),
    );
    await machine.shared.recount();
    await machine.shared.recount();
    await writing;
    expect(await machine.shared.stats()).toMatchObject(await listed());
  }, 120_000);

  test('that are on their way when their original goes do not stay', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = new Promise<void>((resolve) => {
      proxy.fault = (request) => {
        if (!request.startsWith('PUT variants/')) return undefined;
        resolve();
        return { delayUntil: promise };
      };
    });
    const putting = put(FILM, 1, Buffer.alloc(1000));
    await begun;
    const forgetting = machine.variants.forgetShared(FILM);
    resolve();
    await putting;
    expect(await forgetting).toBe(1);
    expect(await listed()).toEqual({ size: 0, fileCount: 0 });
  });

  test('of an original whose path fills the key go with its folder', async () => {
    const folder = 'x'.repeat(200);
    const long = parsePath([folder, folder, folder, folder, 'y'.repeat(190)].join('/'));
    const neighbour = parsePath([folder, folder, 'short'].join('/'));
    await put(long, 1, Buffer.alloc(10));
    await put(neighbour, 2, Buffer.alloc(10));
    await machine.variants.clear();
    expect(await machine.variants.get(long, nameOf(1), ['mp4'])).toMatchObject({ size: 10 });
    expect(await machine.shared.forget(parsePath([folder, folder, folder].join('/')))).toBe(1);
    expect(await machine.shared.forget(long)).toBe(0);
    expect(await machine.shared.forget(neighbour)).toBe(1);
  });
});
