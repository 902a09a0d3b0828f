import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ROOT } from '../../src/path.ts';
import { StorageUnavailable } from '../../src/storage/blob-store.ts';
import { type BucketSettings, createBucket } from '../../src/storage/s3/bucket.ts';
import { abortOrphans, checkBucket } from '../../src/storage/s3/check-bucket.ts';
import { MEBIBYTE, path, pieces, put, putAll, read, text, walked } from '../contracts/blob-store/steps.ts';
import { describeOnS3, newBucket, newS3Store, type TestStore } from './bucket.ts';
import { type Fault, type S3Proxy, startProxy } from './proxy.ts';

const LARGE = randomBytes(20 * MEBIBYTE);

let settings: BucketSettings;
let proxy: S3Proxy;
let current: TestStore;
const store = () => current.store;

/** Fails every first attempt of a kind in one way. */
function failFirst(fault: Fault, pattern = /./): void {
  const seen = new Set<string>();
  proxy.fault = (request) => {
    if (!pattern.test(request) || seen.has(request)) return undefined;
    seen.add(request);
    return fault;
  };
}

function failAlways(fault: Fault, pattern = /./): void {
  proxy.fault = (request) => (pattern.test(request) ? fault : undefined);
}

describeOnS3('a bucket whose store fails', () => {
  beforeEach(async () => {
    settings = await newBucket({ timeoutMs: 2000, maxSockets: 8 });
    proxy = await startProxy(settings.endpoint ?? '');
    current = await newS3Store({ ...settings, endpoint: proxy.endpoint });
  });
  afterEach(async () => {
    await current.close();
    await proxy.close();
  });

  test.each<Fault>([
    { status: 500, code: 'InternalError' },
    { status: 503, code: 'SlowDown' },
    { delayMs: 100 },
    'reset',
    'lost answer',
  ])('does everything all the same when each request fails once: %j', async (fault) => {
    failFirst(fault);
    await store().write(path('a/large'), pieces(LARGE), { existing: 'keep' });
    await store().write(path('a/small'), pieces('small'), { existing: 'keep' });
    expect((await read(store(), 'a/large')).equals(LARGE)).toBe(true);
    await store().copy(path('a/small'), path('a/copy'), { existing: 'keep' });
    await store().moveFolder(path('a'), path('b'));
    expect(await walked(store(), '')).toEqual(['b/copy', 'b/large', 'b/small']);
    await store().remove(path('b/copy'));
    await store().removeFolder(path('b'));
    expect(await walked(store(), '')).toEqual([]);
  });

  test('a download whose connection is reset again and again arrives whole', async () => {
    await store().write(path('large'), pieces(LARGE));
    let resets = 0;
    proxy.fault = (request) =>
      request === 'GET originals/large' && resets++ < 6 ? { resetAfter: 3_000_000 } : undefined;
    expect((await read(store(), 'large')).equals(LARGE)).toBe(true);
    expect(await store().withLocalFile(path('large'), readFile)).toEqual(LARGE);
    expect(resets).toBeGreaterThan(6);
  });

  test('a download that breaks off for good is an error, and no local file', async () => {
    await store().write(path('large'), pieces(LARGE));
    failAlways({ resetAfter: 0 }, /^GET/);
    await expect(read(store(), 'large')).rejects.toThrow(StorageUnavailable);
    await expect(store().withLocalFile(path('large'), readFile)).rejects.toThrow(StorageUnavailable);
  });

  test('an upload that cannot be sent leaves no file, no parts, and the local file to the caller', async () => {
    const folder = await mkdtemp(join(tmpdir(), 's3-faults-'));
    const file = join(folder, 'upload');
    await writeFile(file, LARGE);
    const inParts = await newS3Store({ ...settings, endpoint: proxy.endpoint }, true);
    for (const [{ store }, pattern] of [
      [inParts, /^PART/],
      [inParts, /^COMPLETE/],
      [current, /^PUT originals.large/],
    ] as const) {
      failAlways({ status: 500, code: 'InternalError' }, pattern);
      await expect(store.adopt(path('large'), file, { existing: 'keep' })).rejects.toThrow(StorageUnavailable);
      await access(file);
    }
    await inParts.close();
    proxy.fault = undefined;
    expect(await walked(store(), '')).toEqual([]);
    expect(await abortOrphans(current.bucket, Date.now() + 2 * 86_400_000)).toBe(0);
    await rm(folder, { recursive: true });
  });

  test.each<Fault>([{ status: 503, code: 'SlowDown' }, 'reset', 'lost answer', 'silence'])(
    'a large file that goes in one request is stored all the same when the first fails: %j',
    async (fault) => {
      const folder = await mkdtemp(join(tmpdir(), 's3-faults-'));
      await writeFile(join(folder, 'upload'), LARGE);
      const impatient = await newS3Store({ ...settings, endpoint: proxy.endpoint, timeoutMs: 300 });
      failFirst(fault, /^PUT originals.large/);
      await impatient.store.adopt(path('large'), join(folder, 'upload'), { existing: 'keep' });
      expect(proxy.requests.filter((request) => request === 'PUT originals/large')).toHaveLength(2);
      expect((await read(store(), 'large')).equals(LARGE)).toBe(true);
      expect(await readdir(folder)).toEqual([]);
      await impatient.close();
      await rm(folder, { recursive: true });
    },
  );

  test('a folder whose move fails half way is where it was', async () => {
    const files = Array.from({ length: 40 }, (_, n) => `a/${String(n).padStart(2, '0')}`);
    await putAll(store(), files);
    failAlways({ status: 500, code: 'InternalError' }, /^PUT originals\/b\/2/);
    await expect(store().moveFolder(path('a'), path('b'))).rejects.toThrow(StorageUnavailable);
    proxy.fault = undefined;
    expect(await walked(store(), '')).toEqual(files);
    expect(await text(store(), 'a/20')).toBe('a/20');
  });

  test('a move that fails leaves alone what another machine has put under the new name', async () => {
    await putAll(store(), ['a/1', 'a/2', 'a/3']);
    const other = await newS3Store(settings);
    failAlways({ status: 500, code: 'InternalError' }, /^PUT originals\/b\/3/);
    const moving = store().moveFolder(path('a'), path('b'));
    await vi.waitUntil(() => proxy.requests.includes('PUT originals/b/1'), { timeout: 30_000 });
    await put(other.store, 'b/theirs', 'acknowledged');
    await expect(moving).rejects.toThrow(StorageUnavailable);
    expect(await walked(other.store, '')).toEqual(['a/1', 'a/2', 'a/3', 'b/theirs']);
    await other.close();
  });

  test('a store that is silent ends every request in time, and serves the next ones', async () => {
    await put(store(), 'a', 'bytes');
    failAlways('silence');
    const asked = [store().stat(path('a')), store().open(path('a')), store().list(ROOT), put(store(), 'b', 'bytes')];
    for (const outcome of await Promise.allSettled(asked)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'StorageUnavailable' } });
    }
    proxy.fault = undefined;
    expect(await text(store(), 'a')).toBe('bytes');
  });

  test('a store that is gone is an error that says so, and is found again when it is back', async () => {
    await put(store(), 'a', 'bytes');
    proxy.setDown(true);
    await expect(store().stat(path('a'))).rejects.toThrow(/does not answer/);
    proxy.setDown(false);
    expect(await text(store(), 'a')).toBe('bytes');
  });

  test('uploads in parts that nobody ended are given up after a day', async () => {
    failAlways({ status: 500, code: 'InternalError' }, /^(PART|ABORT)/);
    await expect(store().write(path('large'), pieces(LARGE))).rejects.toThrow(StorageUnavailable);
    proxy.fault = undefined;
    expect(await abortOrphans(current.bucket)).toBe(0);
    expect(await abortOrphans(current.bucket, Date.now() + 2 * 86_400_000)).toBe(1);
    expect(await abortOrphans(current.bucket, Date.now() + 2 * 86_400_000)).toBe(0);
  });
});

describeOnS3('the start on a bucket', () => {
  test('tells a wrong secret, an unknown key, a missing bucket and a wrong address apart', async () => {
    const settings = await newBucket({ timeoutMs: 2000 });
    const messages = [
      [{ secretAccessKey: 'wrong' }, /STORAGE_SECRET_ACCESS_KEY/],
      [{ accessKeyId: 'UNKNOWN' }, /STORAGE_ACCESS_KEY_ID/],
      [{ bucket: 'no-such-bucket' }, /STORAGE_BUCKET_NAME/],
      [{ endpoint: 'http://127.0.0.1:9' }, /does not answer \(ECONNREFUSED\): .*STORAGE_ENDPOINT/],
      [{ endpoint: settings.endpoint?.replace('http', 'https') }, /does not answer \(EPROTO\): .*STORAGE_ENDPOINT/],
    ] as const;
    for (const [wrong, message] of messages) {
      const bucket = createBucket({ ...settings, ...wrong });
      await expect(checkBucket(bucket)).rejects.toThrow(message);
      bucket.close();
    }
  });

  test.each([
    [200, 'text/html', '<html><body>The console of a store</body></html>'],
    [200, 'text/plain', ''],
    [301, 'text/html', '<html>Moved</html>'],
    [404, 'application/json', '{"error": "Not found"}'],
    [405, 'text/html', '<html>Method not allowed</html>'],
  ])('takes a server that is no store for none: %i %s', async (status, type, body) => {
    const server = http.createServer((_, response) => response.writeHead(status, { 'content-type': type }).end(body));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const bucket = createBucket({ ...(await newBucket({ timeoutMs: 2000 })), endpoint });
    await expect(checkBucket(bucket)).rejects.toMatchObject({
      name: 'StorageUnavailable',
      message: expect.stringContaining('STORAGE_ENDPOINT'),
    });
    bucket.close();
    server.close();
  });

  test('learns that the store heeds conditions, at the first start and at later ones', async () => {
    const bucket = createBucket(await newBucket());
    expect(await checkBucket(bucket)).toMatchObject({ hasConditions: true });
    expect(await checkBucket(bucket)).toMatchObject({ hasConditions: true });
    bucket.close();
  });
});

describeOnS3('readers that leave', () => {
  test('2,000 downloads aborted over two connections keep nothing from the next one', async () => {
    const settings = await newBucket({ maxSockets: 2 });
    proxy = await startProxy(settings.endpoint ?? '');
    const { store, close } = await newS3Store({ ...settings, endpoint: proxy.endpoint });
    await store.write(path('large'), pieces(LARGE.subarray(0, 6 * MEBIBYTE)));
    for (let round = 0; round < 100; round++) {
      await Promise.all(Array.from({ length: 20 }, (_, n) => leave(store, n)));
    }
    expect((await read(store, 'large')).length).toBe(6 * MEBIBYTE);
    expect(proxy.connections()).toBeLessThanOrEqual(4);
    await close();
    await proxy.close();
  });
});

/** Aborts at every moment: before the response, before the first byte, in the middle, by destroying the stream. */
async function leave(store: TestStore['store'], n: number): Promise<void> {
  const abort = new AbortController();
  const opening = store.open(path('large'), { signal: abort.signal });
  if (n % 4 === 0) abort.abort();
  const stream = await opening.catch(() => undefined);
  if (!stream) return;
  stream.on('error', () => undefined);
  if (n % 4 === 1) abort.abort();
  else if (n % 4 === 2) stream.destroy();
  else {
    for await (const _ of stream) break;
    abort.abort();
  }
}
