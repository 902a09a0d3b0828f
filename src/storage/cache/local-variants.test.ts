import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parsePath } from '../../path.ts';
import { BlobNotFound } from '../blob-store.ts';
import { createLocalVariants, type LocalVariantsOptions } from './local-variants.ts';
import { type VariantInputs, variantFolder, variantKey } from './variant-key.ts';
import type { Variant, VariantStore } from './variant-store.ts';

const KILOBYTE = 1024;
const PHOTO = parsePath('a/photo.jpg');
const OTHER = parsePath('a/other.jpg');

let root: string;
let stores: VariantStore[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'darkroom-variants-'));
  await mkdir(join(root, 'tmp'));
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await rm(root, { recursive: true, force: true });
});

async function openStore(options: Partial<LocalVariantsOptions> = {}): Promise<VariantStore> {
  const store = await createLocalVariants({
    directory: join(root, 'variants'),
    temp: join(root, 'tmp'),
    maxBytes: 1e9,
    memoryBytes: 1e6,
    ...options,
  });
  stores.push(store);
  return store;
}

/** Puts a variant whose every byte is that of its label. */
async function put(store: VariantStore, original = PHOTO, key = 'key', size = 1000, format = 'webp'): Promise<Variant> {
  const file = join(root, 'tmp', `${key}-rendered`);
  await writeFile(file, Buffer.alloc(size, key));
  return store.put(original, key, format, file);
}

async function bytesOf(variant: Variant | undefined): Promise<Buffer | undefined> {
  return variant && (variant.bytes ?? buffer(await variant.open()));
}

/** Every file of the disk tier, by its name. */
async function filesOnDisk(): Promise<string[]> {
  const entries = await readdir(join(root, 'variants'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Makes a variant look as if it was stored in that second, and not asked for since. */
async function age(key: string, second: number): Promise<void> {
  for (const file of await filesOnDisk()) if (file.includes(`/${key}.`)) await utimes(file, second + 0.5, second + 0.5);
}

/** Makes a variant look as if it was last asked for in that second. */
async function use(key: string, second: number): Promise<void> {
  for (const file of await filesOnDisk()) if (file.includes(`/${key}.`)) await utimes(file, second, second);
}

/** The keys of the disk tier. */
async function keysOnDisk(): Promise<string[]> {
  return (await filesOnDisk()).map((file) => basename(file, '.webp')).toSorted();
}

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
    const store = await openStore({ memoryBytes: 5000 });
    for (const key of ['a', 'b', 'c']) await put(store, PHOTO, key, 1000);
    store.peek('a');
    await put(store, PHOTO, 'd', 1000);
    expect(['a', 'b', 'c', 'd'].filter((key) => store.peek(key))).toEqual(['a', 'c', 'd']);
    expect((await store.get(PHOTO, 'b', ['webp']))?.bytes).toHaveLength(1000);
  });

  test.each([0, 600])('with a budget of %i bytes keeps nothing and loses nothing', async (memoryBytes) => {
    const store = await openStore({ memoryBytes });
    await put(store);
    expect(store.peek('key')).toBeUndefined();
    expect((await store.get(PHOTO, 'key', ['webp']))?.size).toBe(1000);
  });
});

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

  test('a use is written down once in the interval', async () => {
    const store = await openStore({ touchIntervalMs: 3_600_000 });
    await put(store);
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
    // The newest of the others have what is left.
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

async function lastUse(key: string): Promise<number> {
  const file = (await filesOnDisk()).find((name) => name.includes(`/${key}.`));
  return file === undefined ? Number.NaN : (await stat(file)).mtimeMs / 1000;
}

describe('the running figure', () => {
  test('is what a count finds, whatever comes and goes, and while it is being counted', async () => {
    const store = await openStore({ maxBytes: 60_000, touchIntervalMs: 0 });
    const originals = Array.from({ length: 12 }, (_, n) => parsePath(`folder/${n}.jpg`));
    for (let round = 0; round < 8; round++) {
      await Promise.all([
        store.stats(),
        ...originals.map(async (original, n) => {
          await put(store, original, `key${n}-${(round * 7 + n) % 5}`, 100 * (1 + ((round + n) % 9)));
          if ((round + n) % 4 === 0) await store.forget(original);
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

  test('is counted behind the start', async () => {
    const first = await openStore();
    for (const key of ['a', 'b', 'c']) await put(first, PHOTO, key, 1000);
    const restarted = await openStore();
    await expect.poll(() => restarted.usage()).toEqual({ size: 3000, fileCount: 3 });
  });
});

describe('forgetting', () => {
  test('one original leaves the others, in memory and on disk, and says how many went', async () => {
    const store = await openStore();
    await put(store, PHOTO, 'a');
    await put(store, PHOTO, 'b');
    await put(store, OTHER, 'c');
    expect(await store.forget(PHOTO)).toBe(2);
    for (const key of ['a', 'b']) {
      expect(store.peek(key)).toBeUndefined();
      expect(await store.get(PHOTO, key, ['webp'])).toBeUndefined();
    }
    expect(store.peek('c')).toBeDefined();
    expect(await store.stats()).toEqual({ size: 1000, fileCount: 1 });
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
  });

  test('an original without variants is nothing', async () => {
    expect(await (await openStore()).forget(PHOTO)).toBe(0);
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
        store.forget(PHOTO),
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
    for (let round = 0; round < 60; round++) await (round % 2 === 0 ? store.clear() : store.forget(PHOTO));
    isOver = true;
    await Promise.all(putting);
  });

  test('by another service on the same folder makes none fail either', async () => {
    const [store, other] = [await openStore({ memoryBytes: 0 }), await openStore({ memoryBytes: 0 })];
    let isOver = false;
    const putting = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; !isOver; n++) await put(store, PHOTO, `${writer}-${n}`, 10);
    });
    for (let round = 0; round < 40; round++) await (round % 2 === 0 ? other.clear() : other.forget(PHOTO));
    isOver = true;
    await Promise.all(putting);
    expect(await store.stats()).toEqual(await other.stats());
  });

  test('a read that began before does not bring a variant back', async () => {
    await put(await openStore());
    const store = await openStore();
    const reading = store.get(PHOTO, 'key', ['webp']);
    await store.forget(PHOTO);
    await reading;
    expect(store.peek('key')).toBeUndefined();
  });
});

describe('keys', () => {
  const input = fc.record({
    path: fc.string({ minLength: 1 }).map((text) => text as typeof PHOTO),
    version: fc.string(),
  });
  const identity = fc.record({
    inputs: fc.record({ original: input, logo: input }, { requiredKeys: ['original'] }) as fc.Arbitrary<VariantInputs>,
    transformation: fc.string(),
    format: fc.constantFrom('webp', 'avif', 'fallback'),
  });

  test('the same for the same, another for anything else', () => {
    fc.assert(
      fc.property(identity, identity, (one, other) => {
        const isSame = JSON.stringify(Object.values(one)) === JSON.stringify(Object.values(other));
        expect(variantKey(one)).toBe(variantKey({ ...one }));
        expect(variantKey(one) === variantKey(other)).toBe(isSame);
      }),
    );
  });

  test('text that moves from one part to the next is another key', () => {
    const from = (path: string, version: string) => ({ inputs: { original: { path: parsePath(path), version } } });
    const rest = { transformation: 'c', format: 'd' };
    const base = { ...from('a', 'b'), ...rest };
    const moved = [
      { ...from('ab', ''), ...rest },
      { ...from('a', 'bc'), ...rest, transformation: '' },
      { ...from('a","b', ''), ...rest },
    ];
    expect(new Set([base, ...moved].map(variantKey)).size).toBe(4);
  });

  test('path and version of every input count, the order in which they are named does not', () => {
    const [original, logo, mask] = ['a', 'logo.png', 'mask.png'].map((path) => ({
      path: parsePath(path),
      version: '1',
    }));
    const keyOf = (inputs: object) =>
      variantKey({ inputs: { original, ...inputs } as VariantInputs, transformation: 'w_1', format: 'webp' });
    const keys = [{}, { logo }, { mask: logo }, { logo: mask }, { logo: { ...logo, version: '2' } }, { logo, mask }];
    expect(new Set(keys.map(keyOf)).size).toBe(keys.length);
    expect(keyOf({ mask, logo })).toBe(keyOf({ logo, mask }));
  });

  test('of what was rendered before stay as they were', () => {
    const inputs = { original: { path: parsePath('a/b.jpg'), version: 'v' } };
    expect(variantKey({ inputs, transformation: 'w_400', format: 'webp' })).toBe(
      '7de23dcded3c3fec0529091cc1cf1980120c1b4f',
    );
  });

  test('two originals never share a folder, not even when one is below the other', () => {
    const folders = ['a', 'a/b', 'a/b/c', 'b', 'A', 'a ', 'a.jpg'].map((path) => variantFolder(parsePath(path)));
    expect(new Set(folders).size).toBe(7);
    for (const folder of folders) expect(folder).toMatch(/^[0-9a-f]{2}\/[0-9a-f]{38}$/);
  });
});
