import { expect, test } from 'vitest';
import type { StoragePath } from '../../src/path.ts';
import { rootedStore } from '../../src/spaces/rooted/blob-store.ts';
import { rootedOriginals } from '../../src/spaces/rooted/originals.ts';
import { CachedOriginals, type Originals } from '../../src/storage/originals.ts';
import { createMemoryStore } from '../memory-store.ts';
import { bytes, ROOT_OF_SPACE } from './outside.ts';

const at = (path: string) => path as StoragePath;

function open() {
  const store = createMemoryStore({ temp: '/none' });
  const library = new CachedOriginals(store, { checkMs: 60_000 });
  const space = rootedOriginals(library, ROOT_OF_SPACE, rootedStore(store, ROOT_OF_SPACE));
  return { library, space };
}

/** Calls of every method with a path; a method that is added to the contract does not compile without one. */
const CALLS: {
  [Name in Exclude<keyof Originals, 'store' | 'recalled' | 'invalidate'>]: (
    originals: Originals,
    path: StoragePath,
  ) => unknown;
} = {
  peek: (originals, path) => originals.peek(path),
  stat: (originals, path) => originals.stat(path),
  check: (originals, path) => originals.check(path),
  current: (originals, path) => originals.current(path),
  isCurrent: (originals, path) => originals.isCurrent(path, 'etag'),
};

test.each(Object.entries(CALLS))('%s gives in the space what it gives in the library', async (_name, call) => {
  const { library, space } = open();
  await library.store.write(at('customers/acme/a.jpg'), bytes('inside'));
  await library.store.write(at('a.jpg'), bytes('outside, and longer'));
  await library.stat(at('customers/acme/a.jpg'));
  const found = await call(space, at('a.jpg'));
  expect(found).toEqual(await call(library, at('customers/acme/a.jpg')));
  expect(await call(space, at('none.jpg'))).toEqual(await call(library, at('customers/acme/none.jpg')));
});

test('a change that is seen in the space is seen in the library, and the other way round', async () => {
  const { library, space } = open();
  const inner = at('a.jpg');
  const outer = at('customers/acme/a.jpg');
  expect([await space.stat(inner), await library.stat(outer)]).toEqual([undefined, undefined]);
  await space.store.write(inner, bytes('one'));
  expect(library.peek(outer)).toBeUndefined();
  space.invalidate(inner);
  expect(await library.stat(outer)).toMatchObject({ size: 3 });
  await library.store.remove(outer);
  library.invalidate(outer);
  expect(await space.stat(inner)).toBeUndefined();
});

test('everything in the space is invalidated, and nothing else', async () => {
  const { library, space } = open();
  for (const path of ['a.jpg', 'customers/acme/a.jpg', 'customers/acme2/a.jpg'].map(at)) {
    await library.store.write(path, bytes('bytes'));
    await library.stat(path);
  }
  space.invalidate();
  expect(space.peek(at('a.jpg'))).toBe('unknown');
  for (const path of ['a.jpg', 'customers/acme2/a.jpg']) expect(library.peek(at(path))).toMatchObject({ size: 5 });
});

test('a known original is found with its focal point', async () => {
  const store = createMemoryStore({ temp: '/none' });
  const focal = { x: 0, y: 1 };
  const focalPoints = async (path: StoragePath) => (path === 'customers/acme/a.jpg' ? focal : undefined);
  const library = new CachedOriginals(store, { checkMs: 60_000, focalPoints });
  const space = rootedOriginals(library, ROOT_OF_SPACE, rootedStore(store, ROOT_OF_SPACE));
  await space.store.write(at('a.jpg'), bytes('bytes'));
  expect(await space.stat(at('a.jpg'))).toMatchObject({ focal });
  expect(space.recalled).toBe(0);
});
