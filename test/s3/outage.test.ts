import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parsePath } from '../../src/path.ts';
import type { BucketSettings } from '../../src/storage/s3/bucket.ts';
import { ask, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { describeOnS3, environmentOf, newBucket, newS3Store } from './bucket.ts';
import { type Fault, type S3Proxy, startProxy } from './proxy.ts';

const PHOTO = fixture('portrait-face.jpg');
const VARIANT = '/t/w_50,f_png/photo.jpg';
const ORIGINAL = '/t/photo.jpg';
/** Stored in the bucket only: this node created no variant of it. */
const ELSEWHERE = '/t/known.jpg';

let settings: BucketSettings;
let proxy: S3Proxy;
let service: TestService;

beforeEach(async () => {
  settings = await newBucket({ timeoutMs: 5000 });
  proxy = await startProxy(settings.endpoint ?? '');
  service = await startOnProxy();
  expect((await service.upload({ 'photo.jpg': PHOTO, 'known.jpg': PHOTO })).status).toBe(200);
  await get(ELSEWHERE);
  await get(VARIANT);
  await service.services.variants.settled();
});
afterEach(async () => {
  fail(undefined);
  await service.close();
  await proxy.close();
});

/** Starts a service on the proxy; every request reads the version of its original. */
function startOnProxy(more: Record<string, string> = {}): Promise<TestService> {
  const storage = environmentOf({ ...settings, endpoint: proxy.endpoint });
  return startService({ ...storage, ORIGINAL_CHECK_INTERVAL_MS: '0', ...more });
}

async function get(path: string, at = service) {
  const { status, headers, body } = await ask(at.url, path, { headers: { 'x-api-key': TEST_KEY } });
  const sha256 = createHash('sha256').update(body).digest('hex');
  return { status, etag: headers.etag, cache: headers['x-cache'], retryAfter: headers['retry-after'], sha256 };
}

const UNAVAILABLE = { status: 503, retryAfter: '5' };

function fail(fault: Fault | 'refused' | undefined): void {
  proxy.setDown(fault === 'refused');
  proxy.fault = fault === undefined || fault === 'refused' ? undefined : () => fault;
}

async function metric(name: string): Promise<number> {
  const text = await (await service.authorized('/metrics')).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

describeOnS3('while the bucket does not answer', () => {
  test.each<Fault | 'refused'>(['refused', 'silence', { status: 500, code: 'InternalError' }])(
    'the near cache serves the last known versions, all else is 503, and when it is back all is fresh: %j',
    async (fault) => {
      const variant = await get(VARIANT);
      const original = await get(ORIGINAL);
      expect([variant.status, variant.cache, original.status]).toEqual([200, 'hit', 200]);
      fail(fault);
      expect(await get(VARIANT)).toEqual(variant);
      expect(await get(ORIGINAL)).toEqual(original);
      expect(await get('/t/w_51,f_png/photo.jpg')).toMatchObject({ status: 200, cache: 'miss' });
      expect(await get('/t/w_51,f_png/photo.jpg')).toMatchObject({ status: 200, cache: 'hit' });
      const elsewhere = [ELSEWHERE, '/t/w_50,f_png/known.jpg', '/t/nobody-knows.jpg'].map((path) => get(path));
      const changes = [
        service.upload({ 'new.jpg': PHOTO }),
        service.authorized('/storage/photo.jpg', { method: 'DELETE' }),
      ];
      for (const answer of await Promise.all(elsewhere)) expect(answer).toMatchObject(UNAVAILABLE);
      for (const { status } of await Promise.all(changes)) expect(status).toBe(503);
      expect((await get('/readyz')).status).toBe(200);
      expect(await metric('darkroom_stale_originals_total')).toBeGreaterThan(3);

      const other = await newS3Store(settings);
      await other.store.write(parsePath('photo.jpg'), Readable.from([fixture('orientation-1.jpg')]));
      await other.close();
      expect(await get(VARIANT)).toEqual(variant);
      fail(undefined);
      await expect.poll(async () => (await get(VARIANT)).etag).not.toBe(variant.etag);
      expect((await get(ORIGINAL)).etag).not.toBe(original.etag);
      expect((await get('/t/w_50,f_png/known.jpg')).status).toBe(200);
      expect((await service.upload({ 'new.jpg': PHOTO })).status).toBe(200);
    },
  );

  test('it is asked by a probe now and then, however many requests come', async () => {
    fail('silence');
    expect(await get('/t/first.jpg')).toMatchObject(UNAVAILABLE);
    const before = proxy.requests.length;
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => get(`/t/w_50/nobody-knows-${n}.jpg`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(503));
    const asked = proxy.requests.slice(before);
    expect(new Set(asked)).toEqual(new Set(['HEAD .darkroom']));
    expect(asked.length).toBeLessThan(10);
  });

  test('a file that was deleted before is not served', async () => {
    expect((await get(VARIANT)).status).toBe(200);
    expect((await service.authorized('/storage/photo.jpg', { method: 'DELETE' })).status).toBe(200);
    fail('refused');
    expect(await get(VARIANT)).toMatchObject(UNAVAILABLE);
    expect(await get(ORIGINAL)).toMatchObject(UNAVAILABLE);
  });

  test('with STALE_IF_ERROR_MS=0 nothing is served that may have changed', async () => {
    const strict = await startOnProxy({ STALE_IF_ERROR_MS: '0' });
    expect((await get(VARIANT, strict)).status).toBe(200);
    fail('refused');
    expect(await get(VARIANT, strict)).toMatchObject(UNAVAILABLE);
    await strict.close();
  });

  test('one object that the store fails at takes nothing else down', async () => {
    proxy.fault = (request) =>
      request.endsWith('originals/known.jpg') ? { status: 500, code: 'InternalError' } : undefined;
    expect(await get('/t/w_50,f_png/known.jpg')).toMatchObject(UNAVAILABLE);
    expect(await get('/t/w_52,f_png/photo.jpg')).toMatchObject({ status: 200, cache: 'miss' });
    expect((await service.upload({ 'new.jpg': PHOTO })).status).toBe(200);
  });

  test('a store that refuses the service is in no outage: nothing old is served', async () => {
    expect((await get(VARIANT)).status).toBe(200);
    fail({ status: 403, code: 'AccessDenied' });
    expect(await get(VARIANT)).toMatchObject(UNAVAILABLE);
  });
});
