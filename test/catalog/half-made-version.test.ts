import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CatalogStore, IntentClaimed } from '../../src/catalog/catalog-store.ts';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { VersionRecovery } from '../../src/catalog/version-recovery.ts';
import { createLocalPathLock } from '../../src/cluster/local.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { findRetentionDifferences } from '../../src/library/retention-check.ts';
import { Versions } from '../../src/library/versions.ts';
import { parsePath } from '../../src/path.ts';
import { BlobConflict, type BlobStore, StorageUnavailable } from '../../src/storage/blob-store.ts';
import { createCopyingRetentionStore } from '../../src/storage/copying-retention-store.ts';
import type { RetentionStore } from '../../src/storage/retention-store.ts';
import { createMemoryStore } from '../memory-store.ts';
import { textBlobs } from '../text-blobs.ts';

const FILE = parsePath('a.txt');
const HOUR_MS = 60 * 60 * 1000;

let folder: string;
let database: OpenDatabase;
let catalog: CatalogStore;
let store: BlobStore;
let retention: RetentionStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'half-made-version-'));
  database = await openDatabase({ file: join(folder, 'darkroom.db') });
  catalog = createSqlCatalog(database);
  store = createMemoryStore({ temp: folder });
  retention = createCopyingRetentionStore(store, createMemoryStore({ temp: folder }));
  await catalog.files.put([{ ...(await blobs.put(FILE, 'old')), path: FILE }]);
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const blobs = textBlobs(() => store);
const openRecovery = () => new VersionRecovery({ catalog, retention, lock: createLocalPathLock() });

/** Opens the versions of a process. @param moves its retention store */
function openVersions(node: string, moves: RetentionStore, unfinished: string[] = []): Versions {
  return new Versions({
    catalog,
    retention: moves,
    store,
    cleaner: { file: async () => ({}) as never },
    lock: createLocalPathLock(),
    recovery: openRecovery(),
    node,
    onUnfinished: (intent) => unfinished.push(intent),
    keep: 10,
    keepMs: HOUR_MS,
  });
}

/** Returns a retention store that does this after it has copied. */
const afterCopy = (work: () => Promise<unknown>): RetentionStore =>
  Object.assign(Object.create(retention) as RetentionStore, {
    async keepCopy(path: never, id: string) {
      const stat = await retention.keepCopy(path, id);
      await work();
      return stat;
    },
  });

/** Ends a process between the copy of the old bytes and its row. @returns its intent */
async function killAfterCopy() {
  const copied = Promise.withResolvers<void>();
  const hanging = afterCopy(() => {
    copied.resolve();
    return new Promise(() => undefined);
  });
  void openVersions('gone', hanging).replace(FILE, join(folder, 'new'), () => true);
  await copied.promise;
  const [intent] = await catalog.intents.list();
  if (!intent) throw new Error('Expected an intent.');
  return intent;
}

const atticIds = () => Array.fromAsync(retention.walk());

test('the copy for a version whose process was killed before its row is removed', async () => {
  const intent = await killAfterCopy();
  expect(intent).toMatchObject({ kind: 'version', from: FILE });
  expect(await atticIds()).toHaveLength(1);
  expect(await findRetentionDifferences({ catalog, retention })).toEqual([]);
  await openRecovery().table.version(intent);
  expect([await atticIds(), await catalog.intents.list()]).toEqual([[], []]);
  expect([await blobs.content(FILE), await catalog.versions.of(FILE)]).toEqual(['old', []]);
});

test.each(['version', 'trash'])('the copy that was given a row of the kind %s stays', async (kind) => {
  const intent = await killAfterCopy();
  const [id = ''] = await atticIds();
  const [assetId = 0] = await catalog.files.put([{ ...(await blobs.put(FILE, 'new')), path: FILE }]);
  const expiresAt = Number.MAX_SAFE_INTEGER;
  if (kind === 'version') await catalog.versions.add(assetId, { id, size: 3, etag: 'old', createdAt: 0 });
  else await catalog.trash.put({ id, path: FILE, kind: 'document', size: 3, fileCount: 1, deletedAt: 0, expiresAt });
  await openRecovery().table.version(intent);
  expect([await atticIds(), await catalog.intents.list()]).toEqual([[id], []]);
});

test('a node whose intent was claimed meanwhile replaces nothing, and removes its copy', async () => {
  const claimed = afterCopy(async () => {
    const [intent] = await catalog.intents.list();
    if (intent) await catalog.intents.claim(intent, 'other');
  });
  const unfinished: string[] = [];
  const replacing = openVersions('here', claimed, unfinished).replace(FILE, join(folder, 'new'), () => true);
  await expect(replacing).rejects.toThrow(IntentClaimed);
  expect([await blobs.content(FILE), await catalog.versions.of(FILE), unfinished]).toEqual(['old', [], []]);
  const [intent] = await catalog.intents.list();
  expect([intent?.node, await atticIds()]).toEqual(['other', []]);
  if (intent) await openRecovery().table.version(intent);
  expect([await atticIds(), await catalog.intents.list()]).toEqual([[], []]);
});

test.each(['before', 'after'])('no copy stays that was made %s another node has finished its intent', async (order) => {
  const finish = async () => {
    const [intent] = await catalog.intents.list();
    if (!intent) throw new Error('Expected an intent.');
    await catalog.intents.claim(intent, 'other');
    await catalog.intents.finish({ ...intent, node: 'other' });
  };
  const finished = Object.assign(Object.create(retention) as RetentionStore, {
    async keepCopy(path: never, id: string) {
      if (order === 'after') await finish();
      const stat = await retention.keepCopy(path, id);
      if (order === 'before') await finish();
      return stat;
    },
  });
  const unfinished: string[] = [];
  const replacing = openVersions('here', finished, unfinished).replace(FILE, join(folder, 'new'), () => true);
  await expect(replacing).rejects.toThrow(IntentClaimed);
  expect([await blobs.content(FILE), await catalog.versions.of(FILE), unfinished]).toEqual(['old', [], []]);
  expect([await atticIds(), await catalog.intents.list()]).toEqual([[], []]);
});

test('a copy that fails is removed immediately, or in the background where that fails too', async () => {
  const unfinished: string[] = [];
  const failing = afterCopy(() => Promise.reject(new Error('It does not work.')));
  const replace = () => openVersions('here', failing, unfinished).replace(FILE, join(folder, 'new'), () => true);
  await expect(replace()).rejects.toThrow('It does not work.');
  expect([await atticIds(), await catalog.intents.list(), unfinished]).toEqual([[], [], []]);
  vi.spyOn(retention, 'remove').mockRejectedValueOnce(new Error('The store is not there.'));
  await expect(replace()).rejects.toThrow('It does not work.');
  const [intent] = await catalog.intents.list();
  expect([await atticIds(), unfinished]).toEqual([[expect.anything()], [intent?.id]]);
});

test('a replacement without an answer keeps the version: the store may still carry it out', async () => {
  const versions = openVersions('here', retention);
  vi.spyOn(store, 'adopt').mockRejectedValue(new StorageUnavailable('It timed out.'));
  const replace = () => versions.replace(FILE, join(folder, 'new'), () => true);
  for (let times = 0; times < 3; times++) await expect(replace()).rejects.toThrow(StorageUnavailable);
  await blobs.put(FILE, 'new');
  const [version, ...more] = await catalog.versions.of(FILE);
  expect([more, await atticIds()]).toEqual([[], [version?.id]]);
  expect(await text(await retention.open(version?.id ?? ''))).toBe('old');
});

test('a refused replacement leaves no version', async () => {
  vi.spyOn(store, 'adopt').mockRejectedValue(new BlobConflict('A folder stands there.'));
  const replacing = openVersions('here', retention).replace(FILE, join(folder, 'new'), () => true);
  await expect(replacing).rejects.toThrow(BlobConflict);
  expect([await catalog.versions.of(FILE), await atticIds()]).toEqual([[], []]);
});

test('a version whose row is there keeps its bytes', async () => {
  const begin = vi.spyOn(catalog.intents, 'begin');
  await store.write(parsePath('b.txt'), await store.open(FILE));
  const versions = openVersions('here', retention);
  const failing = vi.spyOn(store, 'adopt').mockImplementation(async () => blobs.put(FILE, 'new'));
  await versions.replace(FILE, join(folder, 'new'), () => true);
  failing.mockRestore();
  const [change] = begin.mock.calls[0] ?? [];
  const id = await begin.mock.results[0]?.value;
  if (!change) throw new Error('Expected an intent.');
  await openRecovery().table.version({ ...change, id, createdAt: 0 });
  expect(await catalog.versions.of(FILE)).toHaveLength(1);
  expect(await atticIds()).toHaveLength(1);
});
