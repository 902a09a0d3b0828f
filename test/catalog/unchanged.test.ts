import { expect, test, vi } from 'vitest';
import type { CatalogService } from '../../src/catalog/catalog-service.ts';
import { parsePath } from '../../src/path.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { openCatalog, type World } from './rig.ts';
import { createDiskWorld } from './worlds.ts';

const FOLDER = parsePath('f');
const FILE = parsePath('f/a.png');

async function withIndex(work: (parts: { world: World; store: BlobStore; catalog: CatalogService }) => Promise<void>) {
  const world = await createDiskWorld();
  const store = await world.open();
  const catalog = openCatalog(world, store);
  try {
    for (const path of ['f/a.png', 'f/b.png', 'g/c.png'])
      await world.foreign({ type: 'write', path }, Buffer.from('bytes'));
    await catalog.start();
    await untilKnown(catalog);
    await work({ world, store, catalog });
  } finally {
    await catalog.close();
    await world.close();
  }
}

/**
 * Waits until fingerprints are stored: a recent change may be followed by an undetectable one, so nothing is stored at
 * first.
 */
async function untilKnown(catalog: CatalogService): Promise<void> {
  const isKnown = async () => {
    await catalog.reconciliation.run();
    return (await catalog.rows.folders.find(FOLDER))?.digest;
  };
  await vi.waitUntil(isKnown, { timeout: 20_000 });
}

test('a reconciliation reads no rows of files in folders that are as they were', () =>
  withIndex(async ({ catalog, world }) => {
    const named = vi.spyOn(catalog.rows.files, 'named');
    const page = vi.spyOn(catalog.rows.files, 'page');
    await catalog.reconciliation.run();
    const asked = () => [...named.mock.calls, ...page.mock.calls].map(([folder]) => folder);
    expect(asked()).not.toContain(FOLDER);
    expect(catalog.reconciliation.files).toBe(3);
    await world.foreign({ type: 'write', path: 'f/a.png' }, Buffer.from('other'));
    await catalog.reconciliation.run();
    expect(asked()).toContain(FOLDER);
  }));

test('what others change in a folder that was as it was is found', () =>
  withIndex(async ({ catalog, world, store }) => {
    const etagOf = async () => (await catalog.rows.files.find(FILE))?.etag;
    const before = await etagOf();
    await world.foreign({ type: 'write', path: 'f/a.png' }, Buffer.from('other'));
    await catalog.reconciliation.run();
    expect(await etagOf()).not.toBe(before);
    expect(await etagOf()).toBe((await store.stat(FILE))?.etag);
    await untilKnown(catalog);
    await world.foreign({ type: 'remove', path: 'f/a.png' }, Buffer.alloc(0));
    await catalog.reconciliation.run();
    expect(await etagOf()).toBeUndefined();
    expect((await catalog.rows.files.page(FOLDER, undefined, 9)).map(({ path }) => path)).toEqual(['f/b.png']);
  }));

test('rows that are no longer those of the store are made right, though the folder is as it was', () =>
  withIndex(async ({ catalog }) => {
    await catalog.rows.files.remove([FILE]);
    await catalog.reconciliation.run();
    expect(await catalog.rows.files.find(FILE)).toBeDefined();
  }));
