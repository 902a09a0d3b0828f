import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  bytesOf,
  filesOnDisk,
  OTHER,
  openStore,
  PHOTO,
  put,
  root,
  setUp,
  tearDown,
} from '../../../test/variant-cache.ts';
import { UnsyncedFiles } from './unsynced-files.ts';
import { SMALL_BYTES } from './variant-store.ts';

const HOUR_MS = 3_600_000;

describe('variants after a power failure', () => {
  beforeEach(setUp);
  afterEach(tearDown);

  const first = { bootId: 'first' };
  const second = { bootId: 'second' };
  const onDisk = async () => (await filesOnDisk())[0] ?? '';

  test.each([
    ['empty', (file: string) => truncate(file, 0)],
    ['cut off', (file: string) => truncate(file, 500)],
    ['full of zeros', (file: string) => writeFile(file, Buffer.alloc(1000))],
  ])('are missing where they are %s', async (_state, damage) => {
    await put(await openStore(first));
    await damage(await onDisk());
    const store = await openStore(second);
    expect(await store.get(PHOTO, 'key', ['webp'])).toBeUndefined();
    await vi.waitFor(async () => expect(await filesOnDisk()).toEqual([]));
    expect(await store.stats()).toEqual({ size: 0, fileCount: 0 });
  });

  test('are stored again while the damaged ones are still there', async () => {
    const damaged = await openStore(first);
    await put(damaged);
    await put(damaged, OTHER, 'other');
    const store = await openStore(second);
    await put(store);
    expect(await store.get(OTHER, 'other', ['webp'])).toBeUndefined();
    await store.close();
    expect(await filesOnDisk()).toHaveLength(1);
    expect(await bytesOf(await (await openStore(second)).get(PHOTO, 'key', ['webp']))).toHaveLength(1000);
  });

  test('can be stored again, and survive that the service closes before the next one', async () => {
    await put(await openStore(first));
    const store = await openStore(second);
    await put(store);
    await store.close();
    const variant = await (await openStore({ bootId: 'third' })).get(PHOTO, 'key', ['webp']);
    expect(await bytesOf(variant)).toEqual(Buffer.alloc(1000, 'key'));
  });

  test('survive that only the service was killed', async () => {
    await put(await openStore(first));
    expect(await (await openStore(first)).get(PHOTO, 'key', ['webp'])).toMatchObject({ size: 1000 });
  });

  test('of a service that was killed earlier are missing, those of one that closed later too', async () => {
    await put(await openStore(first));
    const later = await openStore(first);
    await put(later, OTHER, 'later');
    await later.close();
    const store = await openStore(second);
    expect(await store.get(PHOTO, 'key', ['webp'])).toBeUndefined();
    expect(await store.get(OTHER, 'later', ['webp'])).toBeUndefined();
  });

  test('survive when they are too large to be held in memory, because each is synced', async () => {
    await put(await openStore(first), PHOTO, 'key', SMALL_BYTES + 1);
    expect(await (await openStore(second)).get(PHOTO, 'key', ['webp'])).toMatchObject({ size: SMALL_BYTES + 1 });
  });

  test('that were cleared leave nothing to sync', async () => {
    const store = await openStore(first);
    await put(store);
    await store.clear();
    await store.close();
    expect(await readdir(join(root, 'variants-unsynced'))).toEqual([]);
  });
});

describe('files that are not synced', () => {
  let folder: string;
  let file: string;
  const markers = join('cache', 'markers');

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'darkroom-unsynced-'));
    await mkdir(join(folder, 'cache'));
    file = join(folder, 'file');
    await writeFile(file, 'bytes');
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    await rm(folder, { recursive: true, force: true });
  });

  const open = (bootId: string | undefined) => UnsyncedFiles.open(join(folder, markers), bootId);
  const admit = (files: UnsyncedFiles, source: string, target: string, move = async () => {}) =>
    files.store({ file: source, target, size: 5 }, move);
  const written = async () => {
    const names = await readdir(join(folder, markers));
    return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, markers, name), 'utf8'))));
  };
  const stateAfter = async (bootId: string) => {
    const files = await open(bootId);
    const state = files.isLost(await stat(file)) ? 'lost' : 'whole';
    await files.forgetLost();
    return state;
  };

  test('are announced by a marker before they get their name', async () => {
    const files = await open('first');
    await admit(files, file, file);
    expect(await written()).toEqual([{ bootId: 'first', since: expect.any(Number), uptime: expect.any(Number) }]);
    expect(await stateAfter('second')).toBe('lost');
    expect(await written()).toEqual([]);
  });

  test('are safe after a checkpoint', async () => {
    const files = await open('first');
    await admit(files, file, file);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR_MS });
    await files.checkpoint();
    expect(await stateAfter('second')).toBe('whole');
  });

  test('stay announced when they get their name during a checkpoint, or while the service closes', async () => {
    const files = await open('first');
    const named = Promise.withResolvers<void>();
    const moving = Promise.withResolvers<void>();
    const storing = admit(files, file, file, async () => {
      moving.resolve();
      await named.promise;
    });
    await moving.promise;
    await files.checkpoint();
    await files.close();
    named.resolve();
    await storing;
    expect(await stateAfter('second')).toBe('lost');
  });

  test('are synced first after the service was closed, and announced again after the marker was deleted', async () => {
    const files = await open('first');
    await admit(files, file, file);
    await rm(join(folder, markers), { recursive: true });
    await files.checkpoint();
    expect(await written()).toHaveLength(1);
    await files.close();
    await expect(admit(files, join(folder, 'missing'), file)).rejects.toThrow('ENOENT');
    expect(await written()).toEqual([]);
  });

  test('stay announced when a checkpoint cannot sync them', async () => {
    const files = await open('first');
    const unreadable = join(folder, 'no-file\0');
    await admit(files, file, file);
    await admit(files, file, unreadable);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR_MS });
    await files.checkpoint();
    await files.close();
    expect(await stateAfter('second')).toBe('lost');
  });

  test('do not exist where the run of the kernel is unknown, or the clock was set back', async () => {
    await admit(await open(undefined), file, file);
    expect(await written()).toEqual([]);
    const files = await open('first');
    await admit(files, file, join(folder, 'another'));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - HOUR_MS });
    // Nothing is announced any more: what is stored now has to be synced, so it has to exist.
    await expect(admit(files, join(folder, 'missing'), file)).rejects.toThrow('ENOENT');
  });

  test('of which too many wait are synced first', async () => {
    const files = await open('first');
    for (let index = 0; index < 10_000; index++) await admit(files, file, `${file} ${index}`);
    await expect(admit(files, join(folder, 'missing'), file)).rejects.toThrow('ENOENT');
  });

  test('of a process that was killed are synced by the kernel, so that its marker ends', async () => {
    const upFor = vi.spyOn(os, 'uptime').mockReturnValue(1000);
    await admit(await open('first'), file, file);
    const files = await open('first');
    await admit(files, file, join(folder, 'another'));
    await files.checkpoint();
    expect(await written()).toHaveLength(2);
    upFor.mockReturnValue(1000 + 2 * 3600 + 1);
    await files.checkpoint();
    expect(await written()).toEqual([expect.objectContaining({ uptime: 1000 + 2 * 3600 + 1 })]);
  });

  test('have a marker that is renewed before a file is stored, so that no other process removes it', async () => {
    const upFor = vi.spyOn(os, 'uptime').mockReturnValue(1000);
    const files = await open('first');
    await admit(files, file, file);
    const [before] = await written();
    upFor.mockReturnValue(1000 + 3601);
    await admit(files, file, file);
    expect(await written()).toEqual([{ ...before, uptime: 1000 + 3601 }]);
  });

  test('stay announced when their marker cannot be renewed for a time', async () => {
    const upFor = vi.spyOn(os, 'uptime').mockReturnValue(1000);
    const files = await open('first');
    await admit(files, file, file);
    await rm(join(folder, markers), { recursive: true });
    await writeFile(join(folder, markers), 'no folder');
    upFor.mockReturnValue(1000 + 3601);
    await admit(files, file, join(folder, 'another'));
    await rm(join(folder, markers));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR_MS });
    await admit(files, file, join(folder, 'another'));
    expect(await stateAfter('second')).toBe('lost');
  });

  test('stay announced when the service has no time to sync them at its end', async () => {
    const files = await open('first');
    await admit(files, file, file);
    await files.close(AbortSignal.abort());
    expect(await stateAfter('second')).toBe('lost');
  });

  test('are not announced by a marker that was cut off', async () => {
    await mkdir(join(folder, markers));
    await writeFile(join(folder, markers, 'torn'), '{"bootId":');
    expect(await stateAfter('second')).toBe('whole');
    expect(await readdir(join(folder, markers))).toEqual([]);
  });
});
