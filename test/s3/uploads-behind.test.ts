import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parsePath } from '../../src/path.ts';
import { type BucketSettings, createBucket } from '../../src/storage/s3/bucket.ts';
import { listPages } from '../../src/storage/s3/list.ts';
import { ask } from '../http.ts';
import { type LibraryService, startLibrary } from '../library.ts';
import { startServiceProcess } from '../process/service-process.ts';
import { TEST_KEY } from '../service.ts';
import { describeOnS3, environmentOf, newBucket } from './bucket.ts';
import * as machines from './machines.ts';
import { type S3Proxy, startProxy } from './proxy.ts';

const PHOTO = parsePath('a/photo.jpg');
const OTHER = parsePath('a/other.jpg');

/** Holds the upload of every variant until the returned function is called. */
function holdUploads(proxy: S3Proxy): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  proxy.fault = (request) => (request.startsWith('PUT variants/') ? { delayUntil: promise } : undefined);
  return resolve;
}

const uploads = (proxy: S3Proxy) => proxy.requests.filter((request) => request.startsWith('PUT variants/')).length;
const arrived = (proxy: S3Proxy, count: number) =>
  vi.waitUntil(() => uploads(proxy) === count, { timeout: 30_000, interval: 10 });

describeOnS3('new variants on their way to the bucket', () => {
  beforeEach(machines.setUp);
  afterEach(machines.tearDown);
  const { putBehind, listed, start } = machines;
  const bytes = (n: number) => Buffer.alloc(1000 + n, n);

  test('are here before they are there, and counted when they are', async () => {
    const { machine, proxy } = machines;
    await machine.shared.recount();
    const release = holdUploads(proxy);
    for (let n = 0; n < 3; n++) expect(await putBehind(PHOTO, n, bytes(n))).toMatchObject({ size: 1000 + n });
    await arrived(proxy, 3);
    expect(await listed()).toEqual({ size: 0, fileCount: 0 });
    expect(await machine.shared.stats()).toMatchObject({ size: 0, fileCount: 0 });
    release();
    await machine.variants.settled();
    expect(await listed()).toEqual({ size: 3003, fileCount: 3 });
    expect(await machine.shared.stats()).toMatchObject({ size: 3003, fileCount: 3 });
  });

  test('outlive the near cache, which may let go of them meanwhile', async () => {
    const { machine, proxy } = machines;
    const release = holdUploads(proxy);
    for (let n = 0; n < 12; n++) await putBehind(PHOTO, n, bytes(n));
    await machine.variants.clear();
    release();
    await machine.variants.settled();
    expect(await listed()).toMatchObject({ fileCount: 12 });
    const other = await start();
    const variant = await other.variants.get(PHOTO, machines.nameOf(11), ['mp4']);
    expect((await machines.bytesOf(variant))?.equals(bytes(11))).toBe(true);
  });

  test.each([
    ['variants', { maxCount: 10, maxBytes: 1e9 }],
    ['bytes', { maxCount: 100, maxBytes: 10_500 }],
  ])('are bounded in %s: beyond that they are here only, and the figures are right', async (_, queue) => {
    const { proxy } = machines;
    const machine = await start({ queue });
    await machine.shared.recount();
    const release = holdUploads(proxy);
    for (let n = 0; n < 20; n++) {
      expect(await machine.variants.get(PHOTO, machines.nameOf(n), ['mp4'])).toBeUndefined();
      await putBehind(PHOTO, n, bytes(n), machine);
    }
    // Eight at a time, the others queued.
    await arrived(proxy, 8);
    release();
    await machine.variants.settled();
    expect(uploads(proxy)).toBe(10);
    const there = await listed();
    expect(there.fileCount).toBe(10);
    expect(await machine.shared.stats()).toMatchObject(there);
    for (let n = 0; n < 20; n++) expect(machine.variants.peek(machines.nameOf(n))?.size).toBe(1000 + n);
    // There is capacity again.
    proxy.fault = undefined;
    await putBehind(PHOTO, 20, bytes(20), machine);
    await machine.variants.settled();
    expect((await listed()).fileCount).toBe(11);
  });

  test('that are forgotten do not stay: neither what is sent nor what waits, and nothing else is dropped', async () => {
    const { machine, proxy } = machines;
    await machine.shared.recount();
    const release = holdUploads(proxy);
    for (let n = 0; n < 20; n++) await putBehind(n % 2 === 0 ? PHOTO : OTHER, n, bytes(n));
    await arrived(proxy, 8);
    const file = await machines.rendered(bytes(30));
    const taken = machine.variants.put(PHOTO, machines.nameOf(30), 'mp4', file);
    const forgetting = machine.variants.evictShared(PHOTO);
    release();
    // It knows of those already sent.
    expect(await forgetting).toBe(4);
    await taken;
    await machine.variants.settled();
    const there = await listed();
    expect(there.fileCount).toBe(10);
    expect(await machine.shared.stats()).toMatchObject(there);
    expect(await machine.variants.evictShared(OTHER)).toBe(10);
    expect(await machine.shared.stats()).toMatchObject({ size: 0, fileCount: 0 });
  });

  test('that another machine has stored meanwhile are counted by that one alone', async () => {
    const { machine, proxy } = machines;
    const other = await start();
    for (const { shared } of [machine, other]) await shared.recount();
    const release = holdUploads(proxy);
    await Promise.all([putBehind(PHOTO, 1, bytes(1)), putBehind(PHOTO, 1, bytes(1), other)]);
    release();
    await Promise.all([machine.variants.settled(), other.variants.settled()]);
    const counts = await Promise.all([machine, other].map(async ({ shared }) => (await shared.stats()).fileCount));
    expect(counts.sort()).toEqual([0, 1]);
  });

  test('that the store refuses are here all the same', async () => {
    const { machine, proxy } = machines;
    proxy.fault = (request) =>
      request.startsWith('PUT variants/') ? { status: 403, code: 'AccessDenied' } : undefined;
    await putBehind(PHOTO, 1, bytes(1));
    await machine.variants.settled();
    expect(machine.variants.peek(machines.nameOf(1))?.size).toBe(1001);
    expect(await machine.shared.stats()).toMatchObject({ fileCount: 0 });
  });
});

describeOnS3('a service on a bucket that is slow', () => {
  let proxy: S3Proxy;
  let service: LibraryService;
  let environment: Record<string, string>;
  let settings: BucketSettings;

  beforeEach(async () => {
    settings = await newBucket();
    proxy = await startProxy(settings.endpoint ?? '');
    environment = { ...environmentOf({ ...settings, endpoint: proxy.endpoint }), API_KEY: TEST_KEY };
    service = await startLibrary(environment);
    await service.store('a.png');
  });
  afterEach(async () => {
    await service.close();
    await proxy.close();
  });

  test('answers a cold render before the store has taken it', async () => {
    const release = holdUploads(proxy);
    const answer = await ask(service.url, '/t/w_10,f_png/a.png');
    expect([answer.status, answer.headers['x-cache']]).toEqual([200, 'miss']);
    expect((await ask(service.url, '/t/w_10,f_png/a.png')).headers['x-cache']).toBe('hit');
    release();
    await service.services.variants.settled();
    await service.services.variants.clear();
    expect((await ask(service.url, '/t/w_10,f_png/a.png')).headers['x-cache']).toBe('hit');
  });

  describe('and stops', () => {
    const ownData = () => ({ ...environment, DATA_DIR: `${service.data}-again` });
    afterEach(() => rm(ownData().DATA_DIR, { recursive: true }));
    /** True if the bucket has a variant. */
    const isStored = async () => {
      const bucket = createBucket(settings);
      const isThere = async () => (await listPages(bucket, 'variants/').next()).value?.objects.length === 1;
      await vi.waitUntil(isThere, { timeout: 30_000 });
      bucket.close();
    };
    const stats = async (url: string) =>
      (await ask(url, '/storage/stats', { headers: { 'x-api-key': TEST_KEY } })).json().cache;
    const recalculate = async (url: string) =>
      (await ask(url, '/storage/stats/recalculate', { method: 'POST', headers: { 'x-api-key': TEST_KEY } })).json()
        .cache;

    test('waits for what is on its way', async () => {
      const slow = await startServiceProcess(ownData());
      await stats(slow.url);
      const release = holdUploads(proxy);
      expect((await ask(slow.url, '/t/w_11,f_png/a.png')).status).toBe(200);
      await arrived(proxy, 1);
      const ended = slow.end('SIGTERM');
      await vi.waitUntil(() => slow.stdout().includes('finishing the requests'), { timeout: 30_000 });
      release();
      expect(await ended).toMatchObject({ code: 0 });
      const next = await startServiceProcess(ownData());
      // Locally and in the bucket; counted, not listed.
      proxy.requests.length = 0;
      expect(await stats(next.url)).toMatchObject({ fileCount: 2 });
      expect(proxy.requests.filter((request) => request.startsWith('LIST variants'))).toEqual([]);
      await next.end('SIGTERM');
    });

    test('gives it up at the deadline, and a recalculation counts what has arrived', async () => {
      const slow = await startServiceProcess({ ...ownData(), SHUTDOWN_TIMEOUT_MS: '300' });
      await stats(slow.url);
      // The store executes the request, and responds too late.
      const { promise, resolve } = Promise.withResolvers<void>();
      proxy.fault = (request) => (request.startsWith('PUT variants/') ? { answerAfter: promise } : undefined);
      expect((await ask(slow.url, '/t/w_12,f_png/a.png')).status).toBe(200);
      await isStored();
      expect(await slow.end('SIGTERM')).toMatchObject({ code: 0 });
      resolve();
      proxy.fault = undefined;
      const next = await startServiceProcess(ownData());
      expect(await recalculate(next.url)).toMatchObject({ fileCount: 2 });
      await next.end('SIGTERM');
    });

    test('is killed: a recalculation counts what has arrived', async () => {
      const killed = await startServiceProcess(ownData());
      expect(await stats(killed.url)).toMatchObject({ fileCount: 0 });
      const { promise, resolve } = Promise.withResolvers<void>();
      proxy.fault = (request) => (request.startsWith('PUT variants/') ? { answerAfter: promise } : undefined);
      expect((await ask(killed.url, '/t/w_13,f_png/a.png')).status).toBe(200);
      await isStored();
      await killed.end('SIGKILL');
      resolve();
      proxy.fault = undefined;
      const next = await startServiceProcess(ownData());
      expect(await recalculate(next.url)).toMatchObject({ fileCount: 2 });
      await next.end('SIGTERM');
    });
  });
});
