import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MEBIBYTE } from '../contracts/blob-store/steps.ts';
import { describeOnS3 } from './bucket.ts';
import {
  bytesOf,
  downloads,
  FILM,
  find,
  holdFirst,
  LARGE,
  machine,
  nameOf,
  proxy,
  put,
  setUp,
  start,
  tearDown,
} from './machines.ts';

/** Waits until both bucket and near cache have it. The usual second may not be enough to write 20 MB to a busy disk. */
async function comesNear(): Promise<void> {
  await vi.waitUntil(async () => (await machine.variants.stats()).fileCount === 2, { timeout: 30_000 });
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
    await comesNear();
    expect((await bytesOf(await find()))?.equals(LARGE)).toBe(true);
    // A caller that still holds the earlier result then reads from the near cache.
    expect((await bytesOf(variant, { start: 10, end: 19 }))?.equals(LARGE.subarray(10, 20))).toBe(true);
    expect(downloads()).toHaveLength(1);
  });

  test('is one download for all who come while it arrives; a part far ahead has one of its own', async () => {
    const release = holdFirst();
    const [one, other] = await Promise.all([find(), find()]);
    const whole = Promise.all([bytesOf(one), bytesOf(other), bytesOf(await find())]);
    const start = 15 * MEBIBYTE;
    const end = 15 * MEBIBYTE + 99_999;
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
    await comesNear();
    expect(downloads()).toHaveLength(1);
  });

  test('that is forgotten on its way does not come near, and its readers get all of it', async () => {
    const release = holdFirst();
    const reading = bytesOf(await find());
    expect(await machine.variants.evict(FILM)).toBe(0);
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
