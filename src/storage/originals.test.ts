import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../test/memory-store.ts';
import { Availability } from '../availability.ts';
import type { FocalPoint } from '../focal-point.ts';
import { parsePath } from '../path.ts';
import { type BlobStat, type BlobStore, StorageUnavailable } from './blob-store.ts';
import { CachedOriginals } from './originals.ts';

const PHOTO = parsePath('a/photo.jpg');
const OTHER = parsePath('a/other.jpg');

let store: BlobStore;
let originals: CachedOriginals;
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
  originals = new CachedOriginals(store, { checkMs: 1000, now: () => now });
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

  test('and is missing has been so since its last change, which other changes do not move', async () => {
    expect(originals.missingSince(PHOTO)).toBeUndefined();
    await originals.stat(PHOTO);
    const since = originals.missingSince(PHOTO);
    expect(since).toBe(originals.changes);
    originals.invalidate(OTHER);
    now += 1000;
    expect(originals.missingSince(PHOTO)).toBeUndefined();
    await originals.stat(PHOTO);
    expect(originals.missingSince(PHOTO)).toBe(since);
    originals.invalidate(parsePath('a'), true);
    await originals.stat(PHOTO);
    expect(originals.missingSince(PHOTO)).toBe(originals.changes);
    originals.markStale();
    await originals.stat(PHOTO);
    expect(originals.missingSince(PHOTO)).toBe(originals.changes);
    await store.write(PHOTO, bytes('one'));
    originals.invalidate(PHOTO);
    await originals.stat(PHOTO);
    expect(originals.missingSince(PHOTO)).toBeUndefined();
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
    originals.invalidate(PHOTO);
    expect((await originals.stat(PHOTO))?.size).toBe(3);
    expect(originals.peek(OTHER)).toBeUndefined();
  });

  test('of many is told without a path', async () => {
    await originals.stat(PHOTO);
    await originals.stat(OTHER);
    originals.invalidate();
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
    originals.invalidate(PHOTO);
    held.resolve();
    // The earlier caller gets it as well.
    expect(await before).toEqual(written);
    expect(originals.peek(PHOTO)).toEqual(written);
  });

  test('of another original makes no look-up begin again', async () => {
    const before = originals.check(PHOTO);
    originals.invalidate(OTHER);
    await before;
    expect(asked).toBe(1);
    originals.invalidate();
    expect(originals.peek(PHOTO)).toBe('unknown');
  });
});

test('with an interval of 0 every request asks', async () => {
  originals = new CachedOriginals(store, { checkMs: 0, now: () => now });
  await originals.stat(PHOTO);
  await originals.stat(PHOTO);
  expect(asked).toBe(2);
});

describe('while the store does not answer', () => {
  const STALE = 60_000;
  let isDown: boolean;
  let heard: string[];
  let availability: Availability;
  beforeEach(() => {
    isDown = false;
    heard = [];
    availability = new Availability(async () => {
      if (isDown) throw new StorageUnavailable('silent');
    }, 1);
    availability.onChange((failure) => heard.push(failure instanceof Error ? failure.message : 'back'));
    const ask = store.stat.bind(store);
    store.stat = async (path) => {
      if (!isDown) return ask(path);
      void availability.suspect();
      throw new StorageUnavailable('silent');
    };
    originals = new CachedOriginals(store, { checkMs: 1000, now: () => now, staleMs: STALE, availability });
  });
  afterEach(() => availability.close());

  test('the last known version counts, immediately and by peek too, until a probe succeeds', async () => {
    const written = await store.write(PHOTO, bytes('one'));
    await originals.stat(PHOTO);
    isDown = true;
    now += 1000;
    expect(originals.peek(PHOTO)).toBe('unknown');
    expect(await originals.stat(PHOTO)).toEqual(written);
    await expect.poll(() => heard).toEqual(['silent']);
    expect(originals.peek(PHOTO)).toEqual(written);
    expect(await originals.current(PHOTO)).toEqual(written);
    expect(originals.recalled).toBe(3);
    await expect(originals.check(PHOTO)).rejects.toThrow(StorageUnavailable);
    const changed = await store.write(PHOTO, bytes('three'));
    isDown = false;
    await expect.poll(() => heard).toEqual(['silent', 'back']);
    expect(originals.peek(PHOTO)).toBe('unknown');
    expect(await originals.stat(PHOTO)).toEqual(changed);
  });

  test('a version that was seen too long ago does not count', async () => {
    await store.write(PHOTO, bytes('one'));
    await originals.stat(PHOTO);
    isDown = true;
    now += STALE;
    await expect(originals.stat(PHOTO)).rejects.toThrow(StorageUnavailable);
    await expect(originals.current(PHOTO)).rejects.toThrow(StorageUnavailable);
  });

  test('neither does one that nobody has seen, nor a file that was missing', async () => {
    await originals.stat(OTHER);
    isDown = true;
    now += 1000;
    await expect(originals.stat(PHOTO)).rejects.toThrow(StorageUnavailable);
    await expect(originals.stat(OTHER)).rejects.toThrow(StorageUnavailable);
  });

  test('a file that is known to be changed or removed is never shown again, also by a request that waits', async () => {
    await store.write(PHOTO, bytes('one'));
    await originals.stat(PHOTO);
    now += 1000;
    const failing = Promise.withResolvers<never>();
    store.stat = () => failing.promise;
    const waiting = originals.stat(PHOTO);
    originals.invalidate(PHOTO);
    failing.reject(new StorageUnavailable('silent'));
    await expect(waiting).rejects.toThrow(StorageUnavailable);
    await expect(originals.stat(PHOTO)).rejects.toThrow(StorageUnavailable);
  });

  test('a version that another node says it has written counts where it was seen, and is looked up again before', async () => {
    const { etag } = await store.write(PHOTO, bytes('one'));
    expect(originals.confirm(PHOTO, etag)).toBe(false);
    await originals.stat(PHOTO);
    expect(originals.confirm(PHOTO, 'another version')).toBe(false);
    expect(originals.confirm(PHOTO, etag)).toBe(true);
    expect(originals.peek(PHOTO)).toBe('unknown');
    isDown = true;
    expect(await originals.stat(PHOTO)).toMatchObject({ etag });
    await expect.poll(() => heard).toEqual(['silent']);
    expect(originals.peek(PHOTO)).toMatchObject({ etag });
  });

  test('an original that alone fails is served by its last known version, and all others stay fresh', async () => {
    const written = await store.write(PHOTO, bytes('one'));
    await store.write(OTHER, bytes('other'));
    await originals.stat(PHOTO);
    await originals.stat(OTHER);
    now += 1000;
    const ask = store.stat.bind(store);
    store.stat = async (path) => {
      if (path !== PHOTO) return ask(path);
      await availability.suspect();
      throw new StorageUnavailable('broken object');
    };
    expect(await originals.stat(PHOTO)).toEqual(written);
    expect(originals.peek(OTHER)).toBe('unknown');
    const changed = await store.write(OTHER, bytes('changed'));
    expect(await originals.stat(OTHER)).toEqual(changed);
    expect(heard).toEqual([]);
  });

  test('a refusal is no silence', async () => {
    await store.write(PHOTO, bytes('one'));
    await originals.stat(PHOTO);
    now += 1000;
    store.stat = () => Promise.reject(new StorageUnavailable('no permission', { isRefusal: true }));
    await expect(originals.stat(PHOTO)).rejects.toThrow('no permission');
    expect(heard).toEqual([]);
  });

  test('and without a time for it, every request says so', async () => {
    await store.write(PHOTO, bytes('one'));
    originals = new CachedOriginals(store, { checkMs: 1000, now: () => now });
    await originals.stat(PHOTO);
    isDown = true;
    now += 1000;
    await expect(originals.stat(PHOTO)).rejects.toThrow(StorageUnavailable);
  });
});

describe('after a change', () => {
  test('of a folder, what is in it is looked up again, and nothing else', async () => {
    const inside = parsePath('f/a');
    const beside = parsePath('fa');
    for (const path of [inside, beside]) await originals.stat(path);
    originals.invalidate(parsePath('f'), true);
    expect([originals.peek(inside), originals.peek(beside)]).toEqual(['unknown', undefined]);
  });

  test('that may have been missed, everything is looked up again', async () => {
    const path = parsePath('f/a');
    await originals.stat(path);
    originals.markStale();
    expect(originals.peek(path)).toBe('unknown');
    await originals.stat(path);
    expect(originals.peek(path)).toBeUndefined();
  });
});

describe('the stored point of an original', () => {
  let point: FocalPoint | undefined | Error;
  let questions: number;
  beforeEach(async () => {
    point = { x: 0.3, y: 0.7 };
    questions = 0;
    const focalPoints = async () => {
      questions++;
      if (point instanceof Error) throw point;
      return point && { ...point };
    };
    originals = new CachedOriginals(store, { checkMs: 1000, now: () => now, focalPoints });
    await store.write(PHOTO, bytes('one'));
  });
  const focalOf = async () => (await originals.stat(PHOTO))?.focal;

  test('is read with its version, and the same object as long as it stays', async () => {
    const first = await focalOf();
    expect(first).toEqual({ x: 0.3, y: 0.7 });
    now += 1000;
    expect(await focalOf()).toBe(first);
  });

  test('that has changed is seen when the original is forgotten', async () => {
    await focalOf();
    point = { x: 1, y: 0 };
    expect(await focalOf()).toEqual({ x: 0.3, y: 0.7 });
    originals.invalidate(PHOTO);
    expect(await focalOf()).toEqual({ x: 1, y: 0 });
    point = undefined;
    originals.invalidate(PHOTO);
    expect(await focalOf()).toBeUndefined();
  });

  test('is not asked for again by whoever only has to know whether the bytes are the same', async () => {
    const { etag = '' } = (await originals.stat(PHOTO)) ?? {};
    now += 700;
    expect(await originals.isCurrent(PHOTO, etag)).toBe(true);
    await store.write(PHOTO, bytes('two'));
    expect(await originals.isCurrent(PHOTO, etag)).toBe(false);
    expect(await focalOf()).toEqual({ x: 0.3, y: 0.7 });
    expect(questions).toBe(1);
    // It has its old age.
    point = { x: 1, y: 0 };
    now += 300;
    expect(await focalOf()).toEqual({ x: 1, y: 0 });
  });

  test.each([
    ['forgotten', () => originals.invalidate(PHOTO)],
    ['doubted', () => originals.markStale()],
  ])('is asked for by them when it was %s meanwhile', async (_, lose) => {
    const { etag = '' } = (await originals.stat(PHOTO)) ?? {};
    point = { x: 1, y: 0 };
    lose();
    expect(await originals.isCurrent(PHOTO, etag)).toBe(true);
    expect(originals.peek(PHOTO)).toMatchObject({ focal: point });
  });

  test('stays as it was while it cannot be read, and there is none where it never could be', async () => {
    await focalOf();
    point = new Error('no such table');
    now += 1000;
    expect(await focalOf()).toEqual({ x: 0.3, y: 0.7 });
    await store.write(OTHER, bytes('two'));
    expect((await originals.stat(OTHER))?.focal).toBeUndefined();
  });
});
