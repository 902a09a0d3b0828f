import { readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  bytesOf,
  filesOnDisk,
  KILOBYTE,
  OTHER,
  openStore,
  PHOTO,
  put,
  root,
  setUp,
  tearDown,
} from '../../../test/variant-cache.ts';
import { BlobNotFound } from '../blob-store.ts';
import type { VariantFile, VariantStore } from './variant-store.ts';

beforeEach(setUp);
afterEach(tearDown);

describe('a variant that was put', () => {
  test('is there, in memory and on disk, and its temporary file is gone', async () => {
    const store = await openStore();
    const variant = await put(store);
    expect(variant).toMatchObject({ key: 'key', format: 'webp', size: 1000 });
    expect(store.peek('key')?.bytes).toEqual(Buffer.alloc(1000, 'key'));
    expect(await filesOnDisk()).toHaveLength(1);
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
  });

  test('survives a restart', async () => {
    await put(await openStore());
    const restarted = await openStore();
    expect(restarted.peek('key')).toBeUndefined();
    const variant = await restarted.get(PHOTO, 'key', ['webp']);
    expect(variant).toMatchObject({ key: 'key', format: 'webp', size: 1000 });
    expect(await bytesOf(variant)).toEqual(Buffer.alloc(1000, 'key'));
    expect(restarted.peek('key')).toBeDefined();
  });

  test('is found in whichever of the formats it was stored', async () => {
    await put(await openStore(), PHOTO, 'key', 1000, 'png');
    const store = await openStore();
    expect(await store.get(PHOTO, 'key', ['webp', 'avif'])).toBeUndefined();
    expect((await store.get(PHOTO, 'key', ['jpeg', 'png']))?.format).toBe('png');
  });

  test('is not found under another key or another original', async () => {
    await put(await openStore());
    const store = await openStore();
    expect(await store.get(PHOTO, 'other', ['webp'])).toBeUndefined();
    expect(await store.get(OTHER, 'key', ['webp'])).toBeUndefined();
  });

  test('takes the place of an older one under its key', async () => {
    const store = await openStore();
    await put(store, PHOTO, 'key', 10);
    await put(store, PHOTO, 'key', 20);
    expect(store.peek('key')?.size).toBe(20);
    expect(await store.stats()).toEqual({ size: 20, fileCount: 1 });
  });

  test('can be empty', async () => {
    await put(await openStore(), PHOTO, 'key', 0);
    expect((await (await openStore()).get(PHOTO, 'key', ['webp']))?.bytes).toEqual(Buffer.alloc(0));
  });

  test('with its bytes is not read, and retains no memory but theirs', async () => {
    const store = await openStore();
    const file = join(root, 'tmp/rendered');
    await writeFile(file, 'stored');
    const bytes = Buffer.from('message with bytes in it').subarray(13, 18);
    const variant = await store.put(PHOTO, 'key', 'webp', file, { bytes });
    expect(variant).toMatchObject({ size: 5, bytes: Buffer.from('bytes') });
    expect(variant.bytes?.buffer.byteLength).toBe(5);
    expect(await filesOnDisk()).toHaveLength(1);
  });

  test('needs its file', async () => {
    const store = await openStore();
    await expect(store.put(PHOTO, 'key', 'webp', join(root, 'tmp/none'))).rejects.toThrow(BlobNotFound);
    expect(await store.get(PHOTO, 'key', ['webp'])).toBeUndefined();
  });
});

describe('memory', () => {
  test('answers peek without the disk: the file may even be gone', async () => {
    const store = await openStore();
    await put(store);
    await rm(join(root, 'variants'), { recursive: true });
    expect(store.peek('key')?.bytes).toEqual(Buffer.alloc(1000, 'key'));
  });

  test('holds small variants only; large ones are streamed, whole or in part', async () => {
    const store = await openStore({ memoryBytes: 1e9 });
    const small = await put(store, PHOTO, 'small', 512 * KILOBYTE);
    const large = await put(store, PHOTO, 'large', 512 * KILOBYTE + 1);
    expect(small.bytes).toHaveLength(512 * KILOBYTE);
    expect(large.bytes).toBeUndefined();
    expect(store.peek('large')).toBeUndefined();
    const found = await store.get(PHOTO, 'large', ['webp']);
    expect(found).toMatchObject({ size: 512 * KILOBYTE + 1, bytes: undefined });
    expect(await bytesOf(found)).toHaveLength(512 * KILOBYTE + 1);
    expect((await buffer(await large.open({ start: 1, end: 5 }))).toString()).toBe('argel');
  });

  test('keeps within its budget, the least recently used go first, and none is lost on disk', async () => {
    const store = await openStore({ memoryBytes: 10_000 });
    for (const key of ['a', 'b', 'c']) await put(store, PHOTO, key, 1000);
    store.peek('a');
    await put(store, PHOTO, 'd', 1000);
    expect(['a', 'b', 'c', 'd'].filter((key) => store.peek(key))).toEqual(['a', 'c', 'd']);
    expect((await store.get(PHOTO, 'b', ['webp']))?.bytes).toHaveLength(1000);
  });

  test.each([0, 2100])('with a budget of %i bytes keeps nothing and loses nothing', async (memoryBytes) => {
    const store = await openStore({ memoryBytes });
    await put(store);
    expect(store.peek('key')).toBeUndefined();
    expect((await store.get(PHOTO, 'key', ['webp']))?.size).toBe(1000);
  });
});

describe('a variant whose file is known', () => {
  const read = (store: VariantStore, file: VariantFile | undefined) =>
    new Promise<Buffer | undefined>((resolve, reject) => {
      if (file) store.read(file, resolve);
      else reject(new Error('The variant has no file.'));
    });

  test('is read from the disk, and is in memory afterwards', async () => {
    const store = await openStore({ memoryBytes: 5000 });
    const { file } = await put(store, PHOTO, 'a');
    await put(store, PHOTO, 'b');
    expect(store.peek('a')).toBeUndefined();
    expect(await read(store, file)).toEqual(Buffer.alloc(1000, 'a'));
    expect(store.peek('a')?.bytes).toEqual(Buffer.alloc(1000, 'a'));
  });

  test('is read once for concurrent readers, and again for later ones', async () => {
    const store = await openStore({ memoryBytes: 0 });
    const { file } = await put(store);
    const [one, other] = await Promise.all([read(store, file), read(store, file)]);
    expect(one).toBe(other);
    const later = await read(store, file);
    expect(later).not.toBe(one);
    expect(later).toEqual(one);
  });

  test('is not found after it was evicted or replaced by one of another size', async () => {
    const store = await openStore({ memoryBytes: 0 });
    const { file } = await put(store);
    expect(await read(store, file)).toHaveLength(1000);
    await put(store, PHOTO, 'key', 2000);
    expect(await read(store, file)).toBeUndefined();
    const { file: replaced } = await put(store, PHOTO, 'key', 1000);
    expect(await read(store, replaced)).toHaveLength(1000);
    await store.evict(PHOTO);
    expect(await read(store, replaced)).toBeUndefined();
  });

  test('does not enter memory when it was evicted during the read', async () => {
    const store = await openStore({ memoryBytes: 5000 });
    const { file } = await put(store, PHOTO, 'a');
    await put(store, PHOTO, 'b');
    const reading = read(store, file);
    await store.evict(PHOTO);
    await reading;
    expect(store.peek('a')).toBeUndefined();
  });

  test('does not enter memory when it is read while its file is being removed', async () => {
    const store = await openStore({ memoryBytes: 5000 });
    const { file } = await put(store, PHOTO, 'a');
    await read(store, file);
    await put(store, PHOTO, 'b');
    await put(store, PHOTO, 'c');
    const evicting = store.evict(PHOTO);
    await Promise.all([read(store, file), evicting]);
    expect(store.peek('a')).toBeUndefined();
  });

  test('holds no space of a deleted file, and no more files than it may', async () => {
    const store = await openStore({ memoryBytes: 0 });
    const files: (VariantFile | undefined)[] = [];
    for (let n = 0; n < 300; n++) files.push((await put(store, PHOTO, `key${n}`, 10)).file);
    for (const file of files) expect(await read(store, file)).toHaveLength(10);
    expect(await openVariants()).toHaveLength(256);
    await store.evict(PHOTO);
    await vi.waitUntil(async () => (await openVariants()).length === 0);
  });
});

/** Returns the variants that this process has open. */
async function openVariants(): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(root));
}

describe('forgetting', () => {
  test('one original leaves the others, in memory and on disk, and says how many went', async () => {
    const store = await openStore();
    await put(store, PHOTO, 'a');
    await put(store, PHOTO, 'b');
    await put(store, OTHER, 'c');
    expect(await store.evict(PHOTO)).toBe(2);
    for (const key of ['a', 'b']) {
      expect(store.peek(key)).toBeUndefined();
      expect(await store.get(PHOTO, key, ['webp'])).toBeUndefined();
    }
    expect(store.peek('c')).toBeDefined();
    expect(await store.stats()).toEqual({ size: 1000, fileCount: 1 });
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
  });

  test('an original without variants is nothing', async () => {
    expect(await (await openStore()).evict(PHOTO)).toBe(0);
  });

  test('everything', async () => {
    const store = await openStore();
    await put(store, PHOTO, 'a');
    await put(store, OTHER, 'b');
    expect(await store.clear()).toBe(2);
    expect(store.peek('a')).toBeUndefined();
    expect(await store.get(OTHER, 'b', ['webp'])).toBeUndefined();
    expect(await store.stats()).toEqual({ size: 0, fileCount: 0 });
    await put(store, PHOTO, 'c');
    expect((await store.get(PHOTO, 'c', ['webp']))?.size).toBe(1000);
  });

  test('while variants are put and read ends well, and what was put afterwards stays', async () => {
    const store = await openStore({ memoryBytes: 0 });
    for (let round = 0; round < 20; round++) {
      await Promise.all([
        put(store, PHOTO, `a${round}`),
        store.evict(PHOTO),
        put(store, PHOTO, `b${round}`),
        round % 5 === 0 ? store.clear() : store.get(PHOTO, `b${round - 1}`, ['webp']),
      ]);
    }
    await put(store, PHOTO, 'last');
    expect((await store.get(PHOTO, 'last', ['webp']))?.size).toBe(1000);
  });

  test('again and again makes no put fail', async () => {
    const store = await openStore({ memoryBytes: 0 });
    let isOver = false;
    const putting = Array.from({ length: 12 }, async (_, writer) => {
      for (let n = 0; !isOver; n++) await put(store, PHOTO, `${writer}-${n}`, 10);
    });
    for (let round = 0; round < 60; round++) await (round % 2 === 0 ? store.clear() : store.evict(PHOTO));
    isOver = true;
    await Promise.all(putting);
  });

  test('by another service on the same folder makes none fail either', async () => {
    const store = await openStore({ memoryBytes: 0 });
    const other = await openStore({ memoryBytes: 0 });
    let isOver = false;
    const putting = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; !isOver; n++) await put(store, PHOTO, `${writer}-${n}`, 10);
    });
    for (let round = 0; round < 40; round++) await (round % 2 === 0 ? other.clear() : other.evict(PHOTO));
    isOver = true;
    await Promise.all(putting);
    expect(await store.stats()).toEqual(await other.stats());
  });

  test('a read that began before does not bring a variant back', async () => {
    await put(await openStore());
    const store = await openStore();
    const reading = store.get(PHOTO, 'key', ['webp']);
    await store.evict(PHOTO);
    await reading;
    expect(store.peek('key')).toBeUndefined();
  });
});
