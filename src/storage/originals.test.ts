import { tmpdir } from 'node:os';
import { beforeEach, describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../test/memory-store.ts';
import { parsePath } from '../path.ts';
import type { BlobStat, BlobStore } from './blob-store.ts';
import { createOriginals, type Originals } from './originals.ts';

const PHOTO = parsePath('a/photo.jpg');
const OTHER = parsePath('a/other.jpg');

let store: BlobStore;
let originals: Originals;
let now: number;
let asked: number;

beforeEach(() => {
  now = 1_000_000;
  asked = 0;
  store = createMemoryStore({ temp: tmpdir() });
  const ask = store.stat.bind(store);
  store.stat = (path) => {
    asked++;
    return ask(path);
  };
  originals = createOriginals(store, 1000, () => now);
});

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe('an original that was looked up', () => {
  test('is remembered for the check interval, then looked up again', async () => {
    const written = await store.write(PHOTO, bytes('one'));
    expect(originals.peek(PHOTO)).toBe('unknown');
    expect((await originals.stat(PHOTO))?.etag).toBe(written.etag);
    now += 999;
    expect((originals.peek(PHOTO) as BlobStat).etag).toBe(written.etag);
    await originals.stat(PHOTO);
    expect(asked).toBe(1);
    now += 1;
    expect(originals.peek(PHOTO)).toBe('unknown');
    await originals.stat(PHOTO);
    expect(asked).toBe(2);
  });

  test('and is missing is remembered as missing', async () => {
    expect(await originals.stat(PHOTO)).toBeUndefined();
    expect(originals.peek(PHOTO)).toBeUndefined();
    expect(await originals.stat(PHOTO)).toBeUndefined();
    expect(asked).toBe(1);
  });

  test('peek never asks the store', () => {
    for (let time = 0; time < 10; time++) originals.peek(PHOTO);
    expect(asked).toBe(0);
  });

  test('check always asks the store, and is remembered', async () => {
    await originals.check(PHOTO);
    await store.write(PHOTO, bytes('one'));
    const found = await originals.check(PHOTO);
    expect(found?.size).toBe(3);
    expect(originals.peek(PHOTO)).toBe(found);
    expect(asked).toBe(2);
  });
});

describe('a change', () => {
  test('by another program is noticed after the interval', async () => {
    const first = await store.write(PHOTO, bytes('one'));
    await originals.stat(PHOTO);
    const second = await store.write(PHOTO, bytes('three'));
    expect((await originals.stat(PHOTO))?.etag).toBe(first.etag);
    now += 1000;
    expect((await originals.stat(PHOTO))?.etag).toBe(second.etag);
  });

  test('of our own is told, and takes effect at once', async () => {
    await originals.stat(PHOTO);
    await originals.stat(OTHER);
    await store.write(PHOTO, bytes('one'));
    originals.forget(PHOTO);
    expect((await originals.stat(PHOTO))?.size).toBe(3);
    expect(originals.peek(OTHER)).toBeUndefined();
  });

  test('of many is told without a path', async () => {
    await originals.stat(PHOTO);
    await originals.stat(OTHER);
    originals.forget();
    expect([originals.peek(PHOTO), originals.peek(OTHER)]).toEqual(['unknown', 'unknown']);
  });

  test('of our own is not undone by a look-up that began before it', async () => {
    const held = Promise.withResolvers<void>();
    const ask = store.stat.bind(store);
    store.stat = async (path) => {
      const seen = await ask(path);
      await held.promise;
      return seen;
    };
    const before = originals.stat(PHOTO);
    const written = await store.write(PHOTO, bytes('one'));
    originals.forget(PHOTO);
    held.resolve();
    // Whoever asked before it learns of it as well.
    expect(await before).toEqual(written);
    expect(originals.peek(PHOTO)).toEqual(written);
  });

  test('of another original makes no look-up begin again', async () => {
    const before = originals.check(PHOTO);
    originals.forget(OTHER);
    await before;
    expect(asked).toBe(1);
    originals.forget();
    expect(originals.peek(PHOTO)).toBe('unknown');
  });
});

test('with an interval of 0 every request asks', async () => {
  originals = createOriginals(store, 0, () => now);
  await originals.stat(PHOTO);
  await originals.stat(PHOTO);
  expect(asked).toBe(2);
});
