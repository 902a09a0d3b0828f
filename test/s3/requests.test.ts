import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { describeOnS3, environmentOf, newBucket } from './bucket.ts';
import { type S3Proxy, startProxy } from './proxy.ts';

const PICTURE = fixture('concert.jpg');

let proxy: S3Proxy;
let service: TestService;
let environment: Record<string, string>;
const others: TestService[] = [];

/** Returns the requests to the store during an action, unordered. */
async function requestsOf(act: () => Promise<unknown>): Promise<string[]> {
  proxy.requests.length = 0;
  await act();
  await service.services.variants.settled();
  return proxy.requests.toSorted();
}

async function get(path: string, from = service): Promise<{ status: number; cache: string | null; bytes: Buffer }> {
  const answer = await fetch(from.url + path);
  // Requests of copies into the bucket after the response.
  await from.services.variants.settled();
  return {
    status: answer.status,
    cache: answer.headers.get('x-cache'),
    bytes: Buffer.from(await answer.arrayBuffer()),
  };
}

async function json(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await service.authorized(path, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Record<string, unknown>;
}

/** Starts another node on the same bucket, with its own data folder. */
async function anotherMachine(): Promise<TestService> {
  const other = await startService(environment);
  others.push(other);
  await other.services.sync.settled();
  return other;
}

describeOnS3('the requests to a bucket', () => {
  beforeEach(async () => {
    const settings = await newBucket();
    proxy = await startProxy(settings.endpoint ?? '');
    environment = {
      ...environmentOf({ ...settings, endpoint: proxy.endpoint }),
      ORIGINAL_CHECK_INTERVAL_MS: '3600000',
    };
    service = await startService(environment);
    await service.services.sync.settled();
  });
  afterEach(async () => {
    for (const other of others.splice(0)) await other.close();
    await service.close();
    await proxy.close();
  });

  test('of an upload are three: is the name free, the file, how it is stored', async () => {
    await service.upload({ 'a.jpg': PICTURE }, { folder: 'photos' });
    const requests = await requestsOf(() => service.upload({ 'b.jpg': PICTURE }, { folder: 'photos' }));
    expect(requests).toEqual(['HEAD originals/photos/b.jpg', 'LIST originals/photos/b', 'PUT originals/photos/b.jpg']);
  });

  test('of an upload whose name is taken 50 times are as many: the file is sent once, under a name that is free', async () => {
    const { store } = service.services.originals;
    const path = (name: string) => name as Parameters<typeof store.write>[0];
    const name = (n: number) => (n === 0 ? 'image.jpg' : `image (${n}).jpg`);
    await Promise.all(Array.from({ length: 50 }, (_, n) => store.write(path(name(n)), one('taken'))));
    const picture = Buffer.concat([PICTURE, Buffer.alloc(5 * 1024 * 1024 - PICTURE.length)]);
    for (const n of [50, 51]) {
      const requests = await requestsOf(() => service.upload({ 'image.jpg': picture }));
      expect(requests).toEqual([`HEAD originals/${name(n)}`, 'LIST originals/image', `PUT originals/${name(n)}`]);
    }
    expect((await get('/t/image%20(51).jpg')).bytes.equals(picture)).toBe(true);
    expect((await get('/t/image.jpg')).bytes.toString()).toBe('taken');
  });

  test('of uploads at once under one name send each file once, and each has a name of its own', async () => {
    await service.upload({ 'image.jpg': PICTURE });
    const requests = await requestsOf(() =>
      Promise.all(Array.from({ length: 10 }, () => service.upload({ 'image.jpg': PICTURE }))),
    );
    const puts = requests.filter((request) => request.startsWith('PUT'));
    expect(puts).toEqual(Array.from({ length: 10 }, (_, n) => `PUT originals/image (${n + 1}).jpg`).toSorted());
  });

  test('of an upload whose name another machine takes in the same moment are one put more, and no listing more', async () => {
    const { store } = (await anotherMachine()).services.originals;
    proxy.fault = (request) => {
      if (request !== 'PUT originals/image.jpg') return undefined;
      proxy.fault = undefined;
      const taken = store.write('image.jpg' as Parameters<typeof store.write>[0], one('taken'));
      return { delayUntil: taken };
    };
    const requests = await requestsOf(() => service.upload({ 'image.jpg': PICTURE }));
    expect(requests.filter((request) => request === 'LIST originals/image')).toHaveLength(1);
    // The first is the other node's.
    expect(requests.filter((request) => request.startsWith('PUT'))).toEqual([
      'PUT originals/image (1).jpg',
      'PUT originals/image.jpg',
      'PUT originals/image.jpg',
    ]);
    expect((await get('/t/image.jpg')).bytes.toString()).toBe('taken');
    expect((await get('/t/image%20(1).jpg')).bytes.equals(PICTURE)).toBe(true);
  });

  test('of a cold variant are six, of a cached one none, and of one in the bucket only its own', async () => {
    await service.upload({ 'a.jpg': PICTURE });
    let cold: Awaited<ReturnType<typeof get>> | undefined;
    const requests = await requestsOf(async () => {
      cold = await get('/t/w_40,f_png/a.jpg');
    });
    expect(cold).toMatchObject({ status: 200, cache: 'miss' });
    expect(requests.map((request) => request.replace(/[0-9a-f]{40}$/, 'KEY'))).toEqual([
      'GET originals/a.jpg',
      'GET variants/a.jpg/KEY',
      'HEAD originals/a.jpg',
      'HEAD originals/a.jpg',
      'HEAD originals/a.jpg',
      'PUT variants/a.jpg/KEY',
    ]);

    expect(await requestsOf(() => get('/t/w_40,f_png/a.jpg'))).toEqual([]);
    await service.services.variants.clear();
    let far: Awaited<ReturnType<typeof get>> | undefined;
    const farRequests = await requestsOf(async () => {
      far = await get('/t/w_40,f_png/a.jpg');
    });
    expect(far).toMatchObject({ status: 200, cache: 'hit' });
    expect(far?.bytes.equals(cold?.bytes ?? Buffer.alloc(0))).toBe(true);
    expect(farRequests).toHaveLength(1);
    expect(await requestsOf(() => get('/t/w_40,f_png/a.jpg'))).toEqual([]);
  });

  test('of a variant in the bucket whose format depends on the picture is one as well', async () => {
    await service.upload({ 'a.png': fixture('paper-alpha-1024x768.png') });
    const first = await get('/t/w_40/a.png');
    await service.services.variants.clear();
    const requests = await requestsOf(async () => expect((await get('/t/w_40/a.png')).bytes).toEqual(first.bytes));
    expect(requests).toHaveLength(1);
  });

  test('of ten sizes of one picture have one download of it', async () => {
    await service.upload({ 'a.jpg': PICTURE });
    const requests = await requestsOf(() =>
      Promise.all(Array.from({ length: 10 }, (_, n) => get(`/t/w_${20 + n},f_jpeg/a.jpg`))),
    );
    expect(requests.filter((request) => request === 'GET originals/a.jpg')).toHaveLength(1);
  });

  test('of another machine for a variant that one has rendered have no original', async () => {
    await service.upload({ 'a.jpg': PICTURE });
    const rendered = await get('/t/w_40,f_png/a.jpg');
    const other = await anotherMachine();
    const requests = await requestsOf(async () => {
      expect(await get('/t/w_40,f_png/a.jpg', other)).toMatchObject({ cache: 'hit', bytes: rendered.bytes });
    });
    expect(requests.map((request) => request.split('/')[0])).toEqual(['GET variants', 'HEAD originals']);
  });

  test('of listings and summaries are none', async () => {
    await service.upload({ 'a.jpg': PICTURE, 'b.jpg': PICTURE }, { folder: 'photos' });
    const requests = await requestsOf(async () => {
      expect((await json('GET', '/storage?path=photos')).files).toHaveLength(2);
      await json('GET', '/storage/folders');
      await json('GET', '/storage/folder-summaries?paths=photos');
    });
    expect(requests).toEqual([]);
  });

  test('of comparing everything are one for a thousand files', async () => {
    await service.upload({ 'a.jpg': PICTURE, 'b.jpg': PICTURE }, { folder: 'photos' });
    expect(await requestsOf(() => service.services.sync.reconciliation.run())).toEqual(['LIST originals/']);
  });

  test('of a delete and an invalidation do not grow with the cache', async () => {
    await service.upload({ 'a.jpg': PICTURE, 'b.jpg': PICTURE });
    for (let width = 20; width < 30; width++) await get(`/t/w_${width},f_jpeg/a.jpg`);
    await get('/t/w_20,f_jpeg/b.jpg');
    let details: unknown;
    const invalidation = await requestsOf(async () => {
      ({ details } = await json('DELETE', '/invalidate/a.jpg'));
    });
    expect(details).toEqual({ localCacheFilesDeleted: 10, cloudCacheFilesDeleted: 10 });
    expect(invalidation).toEqual(['DELETE-MANY', 'LIST originals/a.jpg/', 'LIST variants/a.jpg/']);

    await get('/t/w_20,f_jpeg/a.jpg');
    const removal = await requestsOf(async () => {
      ({ details } = await json('DELETE', '/storage/a.jpg'));
    });
    expect(details).toMatchObject({ localCacheFilesDeleted: 1, cloudCacheFilesDeleted: 1, errors: [] });
    expect(removal).toEqual([
      'DELETE originals/a.jpg',
      'DELETE-MANY',
      'HEAD originals/a.jpg',
      'HEAD originals/a.jpg',
      'LIST variants/a.jpg/',
    ]);
    expect((await get('/t/w_20,f_jpeg/a.jpg')).status).toBe(404);
    expect((await get('/t/w_20,f_jpeg/b.jpg')).cache).toBe('hit');
  });

  test('of a folder rename are one copy for each file, and the rest in batches', async () => {
    const { store } = service.services.originals;
    const files = Array.from({ length: 1000 }, (_, n) => `old/${n % 4}/${n}.txt`);
    for (let start = 0; start < files.length; start += 20) {
      await Promise.all(
        files.slice(start, start + 20).map(async (file) => {
          await service.services.originals.store.write(file as Parameters<typeof store.write>[0], one(file));
        }),
      );
    }
    const requests = await requestsOf(() => json('PATCH', '/storage/old', { name: 'new' }));
    const count = (pattern: RegExp) => requests.filter((request) => pattern.test(request)).length;
    // The folder and its four folders are objects too.
    expect(count(/^PUT originals\/new\//)).toBe(1005);
    expect(count(/^DELETE-MANY/)).toBe(2);
    expect(requests.length).toBeLessThan(1005 + 25);
    expect((await json('GET', '/storage?path=new/3')).files).toHaveLength(250);
    expect((await json('GET', '/storage?path=old')).files).toEqual([]);
  }, 120_000);

  test('of the stats are none: counters follow every change, and a recount agrees with them', async () => {
    await service.upload({ 'a.jpg': PICTURE, 'b.jpg': PICTURE });
    await get('/t/w_40,f_png/a.jpg');
    await Promise.all(Array.from({ length: 10 }, (_, n) => service.upload({ [`c${n}.jpg`]: PICTURE })));
    await json('DELETE', '/storage/b.jpg');
    let stats: Record<string, unknown> = await json('GET', '/storage/stats');
    const requests = await requestsOf(async () => {
      stats = await json('GET', '/storage/stats');
    });
    expect(requests).toEqual([]);
    expect(stats.storage).toEqual({ size: 11 * PICTURE.length, fileCount: 11 });
    // On this node, and in the bucket.
    expect(stats.cache).toMatchObject({ fileCount: 2 });
    const recounted = await json('POST', '/storage/stats/recalculate');
    expect([recounted.storage, recounted.cache]).toEqual([stats.storage, stats.cache]);
    expect(Date.parse(String(recounted.updatedAt))).toBeGreaterThan(Date.parse(String(stats.updatedAt)));
  });

  test('that find no store are answered with 503 until it is back, except for what lies here', async () => {
    await service.upload({ 'a.jpg': PICTURE, 'elsewhere.jpg': PICTURE });
    await get('/t/w_40,f_png/a.jpg');
    proxy.setDown(true);
    expect((await get('/t/w_40,f_png/a.jpg')).status).toBe(200);
    expect((await get('/t/w_41,f_png/a.jpg')).status).toBe(200);
    const cold = await fetch(`${service.url}/t/w_41,f_png/elsewhere.jpg`);
    expect([cold.status, cold.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await cold.json()).toMatchObject({ error: 'Service unavailable' });
    expect((await service.authorized('/storage')).status).toBe(200);
    expect((await service.upload({ 'b.jpg': PICTURE })).status).toBe(503);
    proxy.setDown(false);
    expect((await get('/t/w_41,f_png/elsewhere.jpg')).status).toBe(200);
    expect((await service.upload({ 'b.jpg': PICTURE })).status).toBe(200);
  });

  test('of a machine whose near cache is gone find every variant in the bucket', async () => {
    await service.upload({ 'a.jpg': PICTURE });
    await get('/t/w_40,f_png/a.jpg');
    await service.services.variants.clear();
    await rm(join(service.data, 'variants'), { recursive: true });
    expect((await get('/t/w_40,f_png/a.jpg')).cache).toBe('hit');
    const { details } = await json('POST', '/storage/cache/clear');
    expect(details).toEqual({ localCacheFilesDeleted: 1, cloudCacheFilesDeleted: 1 });
    expect((await get('/t/w_40,f_png/a.jpg')).cache).toBe('miss');
  });
});

async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
