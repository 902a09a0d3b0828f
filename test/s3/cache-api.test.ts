import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { StorageStats } from '../../src/library/stats.ts';
import { type BucketSettings, createBucket } from '../../src/storage/s3/bucket.ts';
import { listObjects } from '../../src/storage/s3/list.ts';
import { ask } from '../http.ts';
import { type LibraryService, picture, startLibrary } from '../library.ts';
import { openStudio } from '../video-samples.ts';
import { colourFilm } from '../videos.ts';
import { describeOnS3, environmentOf, newBucket } from './bucket.ts';
import { type S3Proxy, startProxy } from './proxy.ts';

let proxy: S3Proxy;
let service: LibraryService;
let environment: Record<string, string>;
let settings: BucketSettings;
const others: LibraryService[] = [];

/** Starts another node on the same bucket, with its own near cache and database. */
async function anotherMachine(): Promise<LibraryService> {
  const other = await startLibrary(environment);
  others.push(other);
  return other;
}

async function render(...paths: string[]): Promise<number> {
  let size = 0;
  for (const path of paths) {
    const answer = await ask(service.url, `/t/w_10,f_png/${path}`);
    expect(answer.headers['x-cache']).toBe('miss');
    size += answer.body.length;
  }
  await service.services.variants.settled();
  return size;
}

const details = async (method: string, path: string) => {
  const answer = await service.call(method, path);
  expect(answer.status).toBe(200);
  return answer.json().details;
};
const stats = async () => (await service.call('GET', '/storage/stats')).json() as unknown as StorageStats;
const recalculate = async () =>
  (await service.call('POST', '/storage/stats/recalculate')).json() as unknown as StorageStats;
const count = (...paths: string[]) => ({
  size: paths.reduce((sum, path) => sum + picture(path).length, 0),
  fileCount: paths.length,
});

async function setUp(): Promise<void> {
  settings = await newBucket();
  proxy = await startProxy(settings.endpoint ?? '');
  environment = { ...environmentOf({ ...settings, endpoint: proxy.endpoint }), ORIGINAL_CHECK_INTERVAL_MS: '0' };
  service = await startLibrary(environment);
}

async function tearDown(): Promise<void> {
  for (const other of others.splice(0)) await other.close();
  await service.close();
  await proxy.close();
}

describeOnS3('both caches of a service on a bucket', () => {
  beforeEach(async () => {
    await setUp();
    await service.store('a.png', 'trips/b.png', 'trips/rome/c.png');
  });
  afterEach(tearDown);

  describe('are emptied together', () => {
    beforeEach(() => render('a.png', 'trips/b.png', 'trips/rome/c.png'));

    test.each([
      ['DELETE', '/storage/a.png', 1],
      ['DELETE', '/storage/trips?recursive=true', 2],
      ['DELETE', '/invalidate/a.png', 1],
      ['DELETE', '/invalidate/trips', 2],
      ['DELETE', '/invalidate/none.png', 0],
      ['POST', '/storage/cache/clear', 3],
    ])('%s %s', async (method, path, deleted) => {
      expect(await details(method, path)).toMatchObject({
        localCacheFilesDeleted: deleted,
        cloudCacheFilesDeleted: deleted,
      });
      expect((await stats()).cache.fileCount).toBe(2 * (3 - deleted));
    });

    test('what is gone from the near one only is counted so', async () => {
      await service.services.variants.clear();
      expect((await stats()).cache.fileCount).toBe(3);
      expect(await details('DELETE', '/storage/a.png')).toMatchObject({
        localCacheFilesDeleted: 0,
        cloudCacheFilesDeleted: 1,
      });
    });
  });

  test('are what the figures count, at once after every change, and a recount agrees', async () => {
    const size = await render('a.png', 'trips/b.png');
    const all = {
      storage: count('a.png', 'trips/b.png', 'trips/rome/c.png'),
      cache: { size: 2 * size, fileCount: 4 },
      updatedAt: expect.any(String),
    };
    expect(await stats()).toEqual(all);
    expect(await recalculate()).toEqual(all);
    await service.call('DELETE', '/storage/a.png');
    const { storage, cache } = await stats();
    expect([storage, cache.fileCount]).toEqual([count('trips/b.png', 'trips/rome/c.png'), 2]);
  });

  test('and those of another machine are counted when they are asked to be, and never below none', async () => {
    await stats();
    const other = await anotherMachine();
    await other.store('d.png');
    const before = await stats();
    expect(before.storage.fileCount).toBe(3);
    const recounted = await recalculate();
    expect(recounted.storage).toEqual(count('a.png', 'd.png', 'trips/b.png', 'trips/rome/c.png'));
    expect(Date.parse(recounted.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));

    await other.store('e.png', 'f.png');
    for (const path of ['a.png', 'd.png', 'trips/b.png', 'trips/rome/c.png', 'e.png', 'f.png']) {
      expect((await service.call('DELETE', `/storage/${path}`)).status).toBe(200);
    }
    expect(await stats()).toMatchObject({ storage: count(), cache: count() });
  });

  test('keep nothing of a folder that is deleted while visitors ask for its pictures', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    // No variant exists yet, so the first batch is that of the originals.
    proxy.fault = (request) => (request === 'DELETE-MANY' ? { delayUntil: promise } : undefined);
    const deleting = service.call('DELETE', '/storage/trips?recursive=true');
    await vi.waitUntil(() => proxy.requests.includes('DELETE-MANY'), { timeout: 30_000 });
    await render('trips/b.png', 'trips/rome/c.png');
    resolve();
    expect((await deleting).json()).toMatchObject({ details: { cloudCacheFilesDeleted: 2, errors: [] } });
    const bucket = createBucket(settings);
    for await (const { key } of listObjects(bucket, 'variants/')) expect.unreachable(`${key} is left behind`);
    bucket.close();
    expect((await ask(service.url, '/t/w_10,f_png/trips/b.png')).status).toBe(404);
  });

  test('of another machine notice what this one deletes and replaces', async () => {
    const other = await anotherMachine();
    await render('a.png');
    const url = `${other.url}/t/w_10,f_png/a.png`;
    const old = await fetch(url);
    expect([old.status, old.headers.get('x-cache')]).toEqual([200, 'hit']);
    await service.call('DELETE', '/storage/a.png');
    expect((await fetch(url)).status).toBe(404);
    await service.upload({ 'a.png': picture('another') });
    const fresh = await fetch(url);
    expect([fresh.status, fresh.headers.get('x-cache')]).toEqual([200, 'miss']);
    expect(fresh.headers.get('etag')).not.toBe(old.headers.get('etag'));
  });
});

describeOnS3('a transcode that lies in the bucket', () => {
  beforeEach(setUp);
  afterEach(tearDown);

  test('is ready on every machine, with its size, its ranges and one download', async () => {
    const studio = await openStudio();
    const film = await colourFilm(studio);
    await studio.close();
    await service.upload({ 'film.mp4': film });
    const url = '/t/w_640,q_100/film.mp4';
    expect((await ask(service.url, url)).status).toBe(202);
    service.services.worker?.start();
    const state = async (on: LibraryService) => (await ask(on.url, '/video-status/w_640%2Cq_100/film.mp4')).json();
    await vi.waitUntil(async () => (await state(service)).status === 'completed', { timeout: 30_000, interval: 50 });
    const made = await ask(service.url, url);
    expect(made.headers['x-cache']).toBe('hit');

    const other = await anotherMachine();
    proxy.requests.length = 0;
    expect(await state(other)).toMatchObject({ status: 'completed', progress: 100 });
    const { body } = await ask(other.url, '/video-status/w_640,q_100/film.mp4/size');
    expect(JSON.parse(body.toString())).toEqual({ size: made.body.length, status: 'ready' });
    const whole = await ask(other.url, url);
    expect([whole.status, whole.headers['x-cache'], whole.headers.etag]).toEqual([200, 'hit', made.headers.etag]);
    expect(whole.body.equals(made.body)).toBe(true);
    const part = await ask(other.url, url, { headers: { range: 'bytes=1000-1999' } });
    expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 1000-1999/${made.body.length}`]);
    expect(part.body.equals(made.body.subarray(1000, 2000))).toBe(true);
    const unchanged = await ask(other.url, url, { headers: { 'if-none-match': String(made.headers.etag) } });
    expect(unchanged.status).toBe(304);
    expect(proxy.requests.filter((request) => request.startsWith('GET'))).toHaveLength(1);
  });
});
