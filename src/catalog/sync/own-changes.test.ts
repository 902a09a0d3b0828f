import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createMemoryStore } from '../../../test/memory-store.ts';
import { openDatabase } from '../../db/open.ts';
import type { OpenDatabase } from '../../db/schema.ts';
import { parsePath, ROOT } from '../../path.ts';
import { BlobNotFound, type BlobStore, type BlobWrites } from '../../storage/blob-store.ts';
import { type CatalogStore, IntentClaimed } from '../catalog-store.ts';
import { createSqlCatalog } from '../sql/catalog.ts';
import { FolderFingerprints } from './folder-fingerprints.ts';
import { catalogueChanges } from './own-changes.ts';

const FILE = parsePath('folder/a.txt');

let database: OpenDatabase;
let store: BlobStore;
let rows: CatalogStore;
let fingerprints: FolderFingerprints;
let changes: BlobWrites;
let unknown: string[];
let claimed: string[];
beforeEach(async () => {
  store = createMemoryStore({ temp: 'unused' });
  database = await openDatabase({ file: ':memory:' });
  rows = createSqlCatalog(database);
  fingerprints = new FolderFingerprints(store, rows);
  unknown = [];
  claimed = [];
  changes = catalogueChanges({
    store,
    rows,
    fingerprints,
    node: 'here',
    onTouch: () => undefined,
    onUnwritten: () => undefined,
    onUnknown: (intent) => unknown.push(intent),
    onClaimed: (paths) => claimed.push(...paths),
  });
});
afterEach(() => database.close());

async function* bytes() {
  yield Buffer.from('bytes');
}

describe('a change that cannot begin', () => {
  test('changes nothing when the folder cannot be looked at, and leaves nothing to be made up for', async () => {
    vi.spyOn(store, 'folderFingerprint').mockRejectedValue(new Error('the disk is gone'));
    await expect(changes.write(FILE, bytes())).rejects.toThrow('the disk is gone');
    expect(await store.stat(FILE)).toBeUndefined();
    expect([await rows.intents.list(), unknown]).toEqual([[], []]);
  });

  test('changes nothing when it cannot be written down, and the folder is as if nobody had changed it', async () => {
    vi.spyOn(rows.intents, 'begin').mockRejectedValue(new Error('the database is gone'));
    await expect(changes.write(FILE, bytes())).rejects.toThrow('the database is gone');
    expect(await store.stat(FILE)).toBeUndefined();
    expect(await fingerprints.isTrusted(parsePath('folder'))).toBeUndefined();
  });
});

describe('the intent of a write', () => {
  const intentsAt = async () => (await rows.intents.list()).map(({ from }) => from);

  test('is recorded before the store changes', async () => {
    const begin = vi.spyOn(rows.intents, 'begin');
    await store.createFolder(parsePath('folder'));
    vi.spyOn(store, 'write').mockImplementation(async (path, source, options) => {
      expect(await intentsAt()).toEqual([]);
      await options?.begin?.();
      expect(await intentsAt()).toEqual([FILE]);
      return createMemoryStore({ temp: 'unused' }).write(path, source);
    });
    await changes.write(FILE, bytes());
    expect(begin).toHaveBeenCalledOnce();
    expect(await intentsAt()).toEqual([]);
  });

  test('is not recorded when the bytes do not arrive', async () => {
    const begin = vi.spyOn(rows.intents, 'begin');
    async function* source() {
      yield Buffer.from('half');
      throw new Error('the client went away');
    }
    await expect(changes.write(FILE, source())).rejects.toThrow('the client went away');
    expect([begin.mock.calls, unknown]).toEqual([[], []]);
    expect(await fingerprints.isTrusted(parsePath('folder'))).toBeUndefined();
  });

  test('is recovered when the disk fails while it is recorded', async () => {
    vi.spyOn(store, 'write').mockImplementation(async (_path, _source, options) => {
      void options?.begin?.();
      throw new Error('the disk is broken');
    });
    await expect(changes.write(FILE, bytes())).rejects.toThrow('the disk is broken');
    expect(await intentsAt()).toEqual([FILE]);
    expect(unknown).toEqual((await rows.intents.list()).map(({ id }) => id));
  });

  test('is required: a store that changes without it is refused', async () => {
    const stat = await createMemoryStore({ temp: 'unused' }).write(FILE, bytes());
    vi.spyOn(store, 'write').mockResolvedValue(stat);
    await expect(changes.write(FILE, bytes())).rejects.toThrow('without recording an intent');
  });
});

test('the rows of folders are not asked for in a store that cannot tell whether a folder has changed', async () => {
  const find = vi.spyOn(rows.folders, 'find');
  await changes.write(FILE, bytes());
  await changes.write(parsePath('folder/b.txt'), bytes());
  expect(find).not.toHaveBeenCalled();
  expect((await rows.files.page(parsePath('folder'), undefined, 9)).map(({ path }) => path)).toEqual([
    FILE,
    'folder/b.txt',
  ]);
});

test('the folder that a refused change has created is catalogued', async () => {
  await changes.write(FILE, bytes());
  vi.spyOn(store, 'move').mockImplementation(async () => {
    await store.createFolder(parsePath('deep/new'));
    throw new BlobNotFound('another client has just deleted it');
  });
  await expect(changes.move(FILE, parsePath('deep/new/a.txt'))).rejects.toThrow('just deleted');
  expect((await rows.folders.below(ROOT)).map(({ path }) => path)).toEqual(['deep', 'deep/new', 'folder']);
  expect([await rows.intents.list(), unknown]).toEqual([[], []]);
});

test('a change that another node has recovered meanwhile writes no rows', async () => {
  const stat = await createMemoryStore({ temp: 'unused' }).write(FILE, bytes());
  vi.spyOn(store, 'write').mockImplementation(async (_path, _source, options) => {
    await options?.begin?.();
    const [intent] = await rows.intents.list();
    if (intent) await rows.intents.claim(intent, 'another');
    return stat;
  });
  await expect(changes.write(FILE, bytes())).rejects.toThrow(IntentClaimed);
  expect(await rows.files.find(FILE)).toBeUndefined();
  expect(await rows.intents.list()).toMatchObject([{ id: unknown[0], node: 'another' }]);
  // It may have looked before the bytes were written.
  expect(claimed).toEqual([FILE]);
});

test('a removal of a folder that another node has recovered meanwhile leaves the rows of a new one', async () => {
  await changes.write(FILE, bytes());
  vi.spyOn(store, 'removeFolder').mockImplementation(async () => {
    const [intent] = await rows.intents.list();
    if (intent) await rows.intents.claim(intent, 'another');
    return true;
  });
  await expect(changes.removeFolder(parsePath('folder'))).rejects.toThrow(IntentClaimed);
  expect(await rows.files.find(FILE)).toBeDefined();
});
