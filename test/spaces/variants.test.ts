import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ROOT, type StoragePath } from '../../src/path.ts';
import { rootedStore } from '../../src/spaces/rooted/blob-store.ts';
import { rootedVariants } from '../../src/spaces/rooted/variants.ts';
import { BlobNotFound } from '../../src/storage/blob-store.ts';
import type { Variant, VariantStore } from '../../src/storage/cache/variant-store.ts';
import { createMemoryStore } from '../memory-store.ts';
import { keysOnDisk, openStore, put, root, setUp, tearDown } from '../variant-cache.ts';
import { bytes, ROOT_OF_SPACE } from './outside.ts';

const at = (path: string) => path as StoragePath;

let library: VariantStore;
let space: VariantStore;
let now: number;
beforeEach(async () => {
  await setUp();
  now = 0;
  library = await openStore();
  const store = createMemoryStore({ temp: root });
  const files = ['a.jpg', 'customers/acme/a.jpg', 'customers/acme/b/c.jpg', 'customers/acme2/a.jpg'];
  for (const [n, path] of files.entries()) {
    await store.write(at(path), bytes(path));
    await put(library, at(path), `key${n}`, 1000);
  }
  space = rootedVariants(library, ROOT_OF_SPACE, rootedStore(store, ROOT_OF_SPACE), () => now);
});
afterEach(tearDown);

/** Calls of every method; a method that is added to the contract does not compile without one. */
const CALLS: { [Name in keyof Required<VariantStore>]: [call: () => unknown, left: string[]] } = {
  peek: [() => space.peek('key1'), ['key0', 'key1', 'key2', 'key3']],
  get: [() => space.get(at('a.jpg'), 'key1', ['webp']), ['key0', 'key1', 'key2', 'key3']],
  read: [
    () => new Promise((resolve) => space.read(library.peek('key1')?.file as never, resolve)),
    ['key0', 'key1', 'key2', 'key3'],
  ],
  getAgain: [() => space.getAgain(at('a.jpg'), 'key1', ['webp']), ['key0', 'key1', 'key2', 'key3']],
  put: [() => put(space, at('a.jpg'), 'new'), ['key0', 'key1', 'key2', 'key3', 'new']],
  evict: [() => space.evict(at('a.jpg')), ['key0', 'key2', 'key3']],
  evictShared: [() => space.evictShared(ROOT), ['key0', 'key1', 'key2', 'key3']],
  clear: [() => space.clear(), ['key0', 'key3']],
  evictLocal: [() => space.evictLocal(ROOT), ['key0', 'key3']],
  usageOf: [() => space.usageOf(at('a.jpg')), ['key0', 'key1', 'key2', 'key3']],
  usageWithin: [() => space.usageWithin(ROOT, listed(['a.jpg'])), ['key0', 'key1', 'key2', 'key3']],
  stats: [() => space.stats(), ['key0', 'key1', 'key2', 'key3']],
  usage: [() => space.usage(), ['key0', 'key1', 'key2', 'key3']],
  recount: [() => space.recount(), ['key0', 'key1', 'key2', 'key3']],
  settled: [() => space.settled(), ['key0', 'key1', 'key2', 'key3']],
  close: [() => space.close(), ['key0', 'key1', 'key2', 'key3']],
};

async function* listed(paths: string[]) {
  yield* paths.map(at);
}

test.each(Object.entries(CALLS))('%s leaves the variants of others', async (_name, [call, left]) => {
  await call();
  expect(await keysOnDisk()).toEqual(left);
  expect(await library.get(at('customers/acme2/a.jpg'), 'key3', ['webp'])).toBeDefined();
});

test('a variant is the same one for the library', async () => {
  expect(await space.get(at('a.jpg'), 'key1', ['webp'])).toMatchObject({ key: 'key1', size: 1000 });
  await put(space, at('a.jpg'), 'new');
  expect(await library.get(at('customers/acme/a.jpg'), 'new', ['webp'])).toMatchObject({ size: 1000 });
});

test('clearing returns the number of its own variants', async () => {
  await put(space, at('a.jpg'), 'second');
  expect(await space.clear()).toBe(3);
  expect(await space.clear()).toBe(0);
});

test('its own variants are counted, together and at most once a minute', async () => {
  const count = vi.spyOn(library, 'usageWithin');
  const expected = { size: 2000, fileCount: 2 };
  expect(await Promise.all([space.stats(), space.usage(), space.stats()])).toEqual([expected, expected, expected]);
  await put(space, at('a.jpg'), 'new');
  now = 59_999;
  expect(await space.stats()).toEqual(expected);
  expect(count).toHaveBeenCalledTimes(1);
  now = 60_000;
  expect(await space.stats()).toEqual({ size: 3000, fileCount: 3 });
  expect(count).toHaveBeenCalledTimes(2);
});

test('they are counted again when they were cleared, or a recount was requested', async () => {
  expect(await space.stats()).toMatchObject({ fileCount: 2 });
  await put(space, at('a.jpg'), 'new');
  await space.recount();
  expect(await space.stats()).toMatchObject({ fileCount: 3 });
  await space.clear();
  expect(await space.stats()).toMatchObject({ fileCount: 0 });
});

test('a failed count is repeated', async () => {
  vi.spyOn(library, 'usageWithin').mockRejectedValueOnce(new Error('failed'));
  await expect(space.stats()).rejects.toThrow('failed');
  expect(await space.stats()).toMatchObject({ fileCount: 2 });
});

test('a variant that was evicted meanwhile is missing at its path in the space', async () => {
  const evicted: Variant = {
    key: 'key1',
    format: 'webp',
    size: 1,
    bytes: undefined,
    open: async () => {
      const message = (quoted: string) => `A variant of ${quoted} is missing.`;
      throw new BlobNotFound(message, { paths: [at('customers/acme/a.jpg')] });
    },
  };
  vi.spyOn(library, 'get').mockResolvedValue(evicted);
  const variant = await space.get(at('a.jpg'), 'key1', ['webp']);
  await expect(variant?.open()).rejects.toThrow('A variant of "a.jpg" is missing.');
});
