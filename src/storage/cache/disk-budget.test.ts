import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  age,
  filesOnDisk,
  KILOBYTE,
  keysOnDisk,
  lastUse,
  OTHER,
  openStore,
  PHOTO,
  put,
  root,
  setUp,
  tearDown,
  use,
} from '../../../test/variant-cache.ts';
import { parsePath } from '../../path.ts';
import { BlobNotFound } from '../blob-store.ts';

beforeEach(setUp);
afterEach(tearDown);

describe('the disk keeps within its budget', () => {
  test('the least recently used go first, down to nine tenths', async () => {
    const store = await openStore({ maxBytes: 5000, memoryBytes: 0 });
    for (const [index, key] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      await put(store, PHOTO, key);
      await age(key, 1000 + index);
    }
    expect((await store.stats()).fileCount).toBe(5);
    await put(store, PHOTO, 'f');
    await store.close();
    expect(await store.stats()).toEqual({ size: 4000, fileCount: 4 });
    expect(await store.get(PHOTO, 'a', ['webp'])).toBeUndefined();
    expect(await store.get(PHOTO, 'b', ['webp'])).toBeUndefined();
    expect(await store.get(PHOTO, 'c', ['webp'])).toBeDefined();
  });

  test('a use counts, from disk and from memory', async () => {
    const store = await openStore({ maxBytes: 4000, touchIntervalMs: 0 });
    for (const [index, key] of ['a', 'b', 'c', 'd'].entries()) {
      await put(store, PHOTO, key);
      await age(key, 1000 + index);
    }
    store.peek('b');
    await expect.poll(async () => (await lastUse('b')) > 1e6).toBe(true);
    const restarted = await openStore({ maxBytes: 4000, touchIntervalMs: 0 });
    await restarted.get(PHOTO, 'a', ['webp']);
    await expect.poll(async () => (await lastUse('a')) > 1e6).toBe(true);
    await put(restarted, PHOTO, 'e');
    await restarted.close();
    expect((await filesOnDisk()).map((file) => file.at(-6)).toSorted()).toEqual(['a', 'b', 'e']);
  });

  test('the first use is written down at once, and further ones once in the interval', async () => {
    const store = await openStore({ touchIntervalMs: 3_600_000 });
    await put(store);
    await age('key', 1000);
    store.peek('key');
    await expect.poll(() => lastUse('key')).toSatisfy((time) => Number.isInteger(time) && time > 1e6);
    await age('key', 1000);
    store.peek('key');
    await store.get(PHOTO, 'key', ['webp']);
    expect(await lastUse('key')).toBe(1000.5);
  });

  test('a use counts from now on also where the clock was set back since the last one', async () => {
    const store = await openStore({ touchIntervalMs: 3_600_000, memoryBytes: 0 });
    await put(store);
    const future = Date.now() / 1000 + 172_800;
    await age('key', future);
    await store.get(PHOTO, 'key', ['webp']);
    await expect.poll(() => lastUse('key')).toBeLessThan(future - 3600);
  });

  test('also after a restart, with what was there', async () => {
    const first = await openStore();
    for (const [index, key] of ['a', 'b', 'c', 'd'].entries()) {
      await put(first, PHOTO, key);
      await age(key, 1000 + index);
    }
    const restarted = await openStore({ maxBytes: 3500 });
    await restarted.close();
    await put(restarted, OTHER, 'e');
    await restarted.close();
    expect(await restarted.stats()).toEqual({ size: 3000, fileCount: 3 });
    expect(await restarted.get(PHOTO, 'd', ['webp'])).toBeDefined();
    expect(await restarted.get(PHOTO, 'b', ['webp'])).toBeUndefined();
  });

  test('a variant that takes the place of another is counted once', async () => {
    const store = await openStore({ maxBytes: 3000, memoryBytes: 0 });
    await put(store, PHOTO, 'b');
    for (let time = 0; time < 5; time++) await put(store, PHOTO, 'a');
    await store.close();
    expect(await store.stats()).toEqual({ size: 2000, fileCount: 2 });
  });

  test('what was asked for again stays, however much was asked for once', async () => {
    const store = await openStore({ maxBytes: 10_000, memoryBytes: 0, touchIntervalMs: 0 });
    for (const [index, key] of ['hot1', 'hot2', 'hot3'].entries()) {
      await put(store, PHOTO, key);
      await age(key, 1000 + index);
      await store.get(PHOTO, key, ['webp']);
      await expect.poll(() => lastUse(key)).toSatisfy(Number.isInteger);
      await use(key, 1000 + index);
    }
    for (let n = 0; n < 40; n++) await put(store, OTHER, `once${n}`, 800 + n);
    await store.close();
    const keys = await keysOnDisk();
    expect(keys).toEqual(expect.arrayContaining(['hot1', 'hot2', 'hot3']));
    // The newest of the other files use the remaining bytes.
    expect(keys).toContain('once39');
    expect(keys).not.toContain('once0');
    expect((await store.stats()).size).toBeLessThanOrEqual(10_000);
  });

  test('a large one that was asked for once goes before it displaces all others', async () => {
    const store = await openStore({ maxBytes: 10_000, memoryBytes: 0 });
    for (let n = 0; n < 7; n++) {
      await put(store, PHOTO, `hot${n}`);
      await use(`hot${n}`, 1000 + n);
    }
    await put(store, OTHER, 'small', 1000);
    const large = await put(store, OTHER, 'large', 5000);
    expect(large.bytes).toHaveLength(5000);
    await store.close();
    expect(await keysOnDisk()).toEqual(['hot0', 'hot1', 'hot2', 'hot3', 'hot4', 'hot5', 'hot6', 'small']);
  });

  test('what was asked for again has four fifths at most: beyond that the longest unused goes, and what is new stays', async () => {
    const store = await openStore({ maxBytes: 10_000, memoryBytes: 0 });
    for (let n = 0; n < 10; n++) {
      await put(store, PHOTO, `hot${n}`);
      await use(`hot${n}`, 1000 + n);
    }
    await put(store, OTHER, 'new', 500);
    await store.close();
    expect(await keysOnDisk()).toEqual([...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `hot${n}`), 'new']);
  });

  test('and what was asked for again after a restart is still protected', async () => {
    const first = await openStore({ maxBytes: 5000, memoryBytes: 0, touchIntervalMs: 0 });
    for (const key of ['a', 'b', 'c', 'd']) await put(first, PHOTO, key, 900);
    await first.get(PHOTO, 'a', ['webp']);
    await expect.poll(() => lastUse('a')).toSatisfy(Number.isInteger);
    const restarted = await openStore({ maxBytes: 5000, memoryBytes: 0 });
    await restarted.close();
    for (const key of ['e', 'f', 'g', 'h', 'i']) await put(restarted, OTHER, key, 900);
    await restarted.close();
    expect(await keysOnDisk()).toContain('a');
  });

  test('the least recently used of thousands go first, too', async () => {
    const count = 2500;
    for (let n = 0; n < count; n++) {
      const folder = join(root, 'variants', (n % 256).toString(16).padStart(2, '0'), `${n % 512}`);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, `${n}.webp`), '0123456789');
      await utimes(join(folder, `${n}.webp`), 1000.5 + n, 1000.5 + n);
    }
    const store = await openStore({ maxBytes: 20_000 });
    await store.close();
    expect(await store.usage()).toEqual({ size: 18_000, fileCount: 1800 });
    const left = (await keysOnDisk()).map(Number).toSorted((a, b) => a - b);
    expect(left).toEqual(Array.from({ length: 1800 }, (_, n) => count - 1800 + n));
  });

  test('a reader keeps reading a large file that is evicted', async () => {
    const store = await openStore({ maxBytes: 3 * 1024 * KILOBYTE });
    const large = await put(store, PHOTO, 'large', 2 * 1024 * KILOBYTE);
    const stream = await large.open();
    const reading = stream[Symbol.asyncIterator]();
    const first: Buffer = (await reading.next()).value;
    await age('large', 1000);
    await put(store, PHOTO, 'next', 2 * 1024 * KILOBYTE);
    await store.close();
    expect(await store.get(PHOTO, 'large', ['webp'])).toBeUndefined();
    await expect(large.open()).rejects.toThrow(BlobNotFound);
    let size = first.length;
    for await (const chunk of { [Symbol.asyncIterator]: () => reading }) size += chunk.length;
    expect(size).toBe(2 * 1024 * KILOBYTE);
  });
});

describe('the running figure', () => {
  test('is what a count finds, whatever comes and goes, and while it is being counted', async () => {
    const store = await openStore({ maxBytes: 60_000, touchIntervalMs: 0 });
    const originals = Array.from({ length: 12 }, (_, n) => parsePath(`folder/${n}.jpg`));
    for (let round = 0; round < 8; round++) {
      await Promise.all([
        store.stats(),
        ...originals.map(async (original, n) => {
          await put(store, original, `key${n}-${(round * 7 + n) % 5}`, 100 * (1 + ((round + n) % 9)));
          if ((round + n) % 4 === 0) await store.evict(original);
        }),
        ...(round === 5 ? [store.clear()] : []),
      ]);
      const usage = await store.usage();
      expect(await store.stats()).toEqual(usage);
    }
    for (let n = 0; n < 100; n++) await put(store, PHOTO, `more${n}`, 1000);
    await store.close();
    const usage = await store.usage();
    expect(usage.size).toBeLessThanOrEqual(60_000);
    expect(await store.stats()).toEqual(usage);
  });

  test('is not counted to its end where the service stops, at the deadline', async () => {
    const first = await openStore();
    for (const key of ['a', 'b', 'c']) await put(first, PHOTO, key, 1000);
    const restarted = await openStore();
    await restarted.close(AbortSignal.abort());
    expect(await restarted.usage()).toEqual({ size: 0, fileCount: 0 });
  });

  test('is counted behind the start', async () => {
    const first = await openStore();
    for (const key of ['a', 'b', 'c']) await put(first, PHOTO, key, 1000);
    const restarted = await openStore();
    await expect.poll(() => restarted.usage()).toEqual({ size: 3000, fileCount: 3 });
  });
});
