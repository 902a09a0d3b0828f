import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { CatalogService } from '../../src/catalog/catalog-service.ts';
import { newTombstone, TOMBSTONES, tombstoneTime } from '../../src/catalog/hidden.ts';
import { sweepTombstones } from '../../src/catalog/sync/vanished.ts';
import { parsePath } from '../../src/path.ts';
import { openCatalog } from './rig.ts';
import { createDiskWorld } from './worlds.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

interface Parts {
  catalog: CatalogService;
  /** Returns the location of a path on disk. */
  place(path: string): string;
  /** Lists a folder, like a user. */
  list(folder: string): Promise<unknown>;
  titleAt(path: string): Promise<string | null | undefined>;
}

/** Runs with a library of `f/a.png` and `f/b.png`, each with a title, and `g/c.png`. */
async function withLibrary(work: (parts: Parts) => Promise<void>): Promise<void> {
  const world = await createDiskWorld();
  const catalog = openCatalog(world, await world.open());
  const place = (path: string) => join(world.root, path);
  try {
    for (const path of ['f/a.png', 'f/b.png', 'g/c.png']) {
      await mkdir(dirname(place(path)), { recursive: true });
      await writeFile(place(path), `bytes of ${path}`);
    }
    await catalog.start();
    await catalog.settled();
    for (const path of ['f/a.png', 'f/b.png'])
      await catalog.rows.words.patch(parsePath(path), { title: `title of ${path}` });
    await work({
      catalog,
      place,
      list: (folder) => catalog.revalidate(parsePath(folder)),
      titleAt: async (path) => (await catalog.rows.files.find(parsePath(path)))?.title,
    });
  } finally {
    await catalog.close();
    await world.close();
  }
}

test('a file keeps its metadata while it is away, and gets it back wherever it is found', () =>
  withLibrary(async ({ catalog, place, titleAt }) => {
    await rename(place('f/a.png'), place('../away.png'));
    await catalog.reconciliation.run();
    expect(await catalog.rows.files.find(parsePath('f/a.png'))).toBeUndefined();
    await catalog.reconciliation.run();
    await rename(place('../away.png'), place('g/back.png'));
    await catalog.reconciliation.run();
    expect(await titleAt('g/back.png')).toBe('title of f/a.png');
  }));

test('a folder keeps the metadata of all its files while it is away', () =>
  withLibrary(async ({ catalog, place, titleAt }) => {
    await rename(place('f'), place('../away'));
    await catalog.reconciliation.run();
    expect((await catalog.rows.folders.below(parsePath(''))).map(({ path }) => path)).toEqual(['g']);
    await rename(place('../away'), place('g/back'));
    await catalog.reconciliation.run();
    expect([await titleAt('g/back/a.png'), await titleAt('g/back/b.png')]).toEqual([
      'title of f/a.png',
      'title of f/b.png',
    ]);
  }));

test('a listing shows no file that vanished, and finds a moved file with its metadata', () =>
  withLibrary(async ({ catalog, place, list, titleAt }) => {
    await rename(place('f/a.png'), place('g/moved.png'));
    await list('f');
    expect(await catalog.rows.files.find(parsePath('f/a.png'))).toBeUndefined();
    await list('g');
    expect(await titleAt('g/moved.png')).toBe('title of f/a.png');
  }));

test('files that swap their names swap their metadata', () =>
  withLibrary(async ({ catalog, place, titleAt }) => {
    await rename(place('f/a.png'), place('f/x.png'));
    await rename(place('f/b.png'), place('f/a.png'));
    await rename(place('f/x.png'), place('f/b.png'));
    await catalog.reconciliation.run();
    expect([await titleAt('f/a.png'), await titleAt('f/b.png')]).toEqual(['title of f/b.png', 'title of f/a.png']);
  }));

test('a file that is replaced by rename keeps the metadata of its path', () =>
  withLibrary(async ({ catalog, place, list, titleAt }) => {
    await writeFile(place('../new.png'), 'other bytes');
    await rename(place('../new.png'), place('f/a.png'));
    await list('f');
    await catalog.settled();
    await catalog.reconciliation.run();
    expect(await titleAt('f/a.png')).toBe('title of f/a.png');
  }));

test('an own removal leaves no tombstone', () =>
  withLibrary(async ({ catalog }) => {
    const writes = catalog.changes();
    await writes.remove(parsePath('f/a.png'));
    await writes.removeFolder(parsePath('f'));
    await catalog.reconciliation.run();
    expect(await catalog.rows.folders.children(TOMBSTONES)).toEqual([]);
  }));

test('expired tombstones are removed however many there are, and read in parts', () =>
  withLibrary(async ({ catalog }) => {
    const { folders } = catalog.rows;
    const parts: number[] = [];
    for (let n = 0; n < 250; n++) await folders.add(newTombstone(n));
    await folders.add(newTombstone(1000));
    const children: typeof folders.children = async (...parameters) => {
      const found = await folders.children(...parameters);
      parts.push(found.length);
      return found;
    };
    const counted = { children, remove: folders.remove.bind(folders) };
    await sweepTombstones({ folders: { ...folders, ...counted } }, 1000, new AbortController().signal);
    expect((await folders.children(TOMBSTONES)).map(({ path }) => tombstoneTime(path))).toEqual([1000]);
    expect(parts).toEqual([100, 100, 51]);
  }));

test('a tombstone is removed after 30 days', () =>
  withLibrary(async ({ catalog, place, titleAt }) => {
    await rename(place('f/a.png'), place('../away.png'));
    await rm(place('f/b.png'));
    await catalog.reconciliation.run();
    const { signal } = new AbortController();
    await catalog.sweep(Date.now() + 29 * DAY_MS, signal);
    expect(await catalog.rows.folders.children(TOMBSTONES)).toHaveLength(1);
    await catalog.sweep(Date.now() + 31 * DAY_MS, signal);
    expect(await catalog.rows.folders.children(TOMBSTONES)).toEqual([]);
    await rename(place('../away.png'), place('f/a.png'));
    await catalog.reconciliation.run();
    expect(await titleAt('f/a.png')).toBeNull();
  }));
