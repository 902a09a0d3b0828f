import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CatalogStore, SpaceCatalog } from '../../src/catalog/catalog-store.ts';
import { hiddenFolder, hiddenPath } from '../../src/catalog/hidden.ts';
import { recoverFirst } from '../../src/catalog/recovering-lock.ts';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { TrashRecovery } from '../../src/catalog/trash-recovery.ts';
import { TrashService } from '../../src/catalog/trash-service.ts';
import { VersionRecovery } from '../../src/catalog/version-recovery.ts';
import type { PathLock } from '../../src/cluster/cluster.ts';
import { createLocalPathLock } from '../../src/cluster/local.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import type { StoragePath } from '../../src/path.ts';
import { rootedStore } from '../../src/spaces/rooted/blob-store.ts';
import { rootedCatalog } from '../../src/spaces/rooted/catalog.ts';
import { rootedPathLock } from '../../src/spaces/rooted/path-lock.ts';
import { rootedTrashRecovery, rootedVersionRecovery } from '../../src/spaces/rooted/recovery.ts';
import { rootedRetentionStore } from '../../src/spaces/rooted/retention-store.ts';
import { type BlobStore, StorageUnavailable } from '../../src/storage/blob-store.ts';
import { createCopyingRetentionStore } from '../../src/storage/copying-retention-store.ts';
import type { RetentionStore } from '../../src/storage/retention-store.ts';
import { hearEvents } from '../event-sink.ts';
import { createMemoryStore } from '../memory-store.ts';
import { textBlobs } from '../text-blobs.ts';
import { CANARIES, ROOT_OF_SPACE } from './outside.ts';

const at = (path: string) => path as StoragePath;

let folder: string;
let database: OpenDatabase;
let library: { catalog: CatalogStore; store: BlobStore; retention: RetentionStore; lock: PathLock };
let space: { catalog: SpaceCatalog; store: BlobStore; retention: RetentionStore; lock: PathLock };
let recovery: TrashRecovery;
let trash: TrashService;
let unfinished: string[];
let events: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'space-trash-'));
  database = await openDatabase({ file: join(folder, 'darkroom.db') });
  events = [];
  unfinished = [];
  const catalog = createSqlCatalog(
    database,
    undefined,
    hearEvents(({ type, path }) => events.push(`${type} ${path}`)),
  );
  const store = createMemoryStore({ temp: folder });
  const retention = createCopyingRetentionStore(store, createMemoryStore({ temp: folder }));
  const lock = createLocalPathLock();
  recovery = new TrashRecovery({ catalog, retention, moves: retention, store, lock, keepMs: 1000 });
  library = { catalog, store, retention, lock: recoverFirst(lock, recovery) };
  space = {
    catalog: rootedCatalog(catalog, ROOT_OF_SPACE),
    store: rootedStore(store, ROOT_OF_SPACE),
    retention: rootedRetentionStore(retention, ROOT_OF_SPACE, async () => true),
    lock: rootedPathLock(library.lock, ROOT_OF_SPACE),
  };
  trash = new TrashService({
    catalog: space.catalog,
    retention: space.retention,
    recovery: rootedTrashRecovery(recovery, ROOT_OF_SPACE),
    node: 'here',
    onUnfinished: (id) => unfinished.push(id),
  });
  const blobs = textBlobs(() => space.store);
  for (const path of ['trip/a.jpg', 'trip/b.jpg', 'c.jpg']) {
    await space.catalog.files.put([{ ...(await blobs.put(path)), path: at(path) }]);
    await space.catalog.words.patch(at(path), { title: `title of ${path}` });
  }
  await textBlobs(() => store).put('c.jpg', 'canary');
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const titleAt = async (path: string) => (await space.catalog.files.find(at(path)))?.title;

test.each(['c.jpg', 'trip'])('%s goes into the trash of the space, and back', async (name) => {
  const file = name === 'trip' ? 'trip/a.jpg' : name;
  const item = await trash.keep(at(name), randomUUID());
  expect(item).toMatchObject({ path: name });
  expect(await space.catalog.trash.page(10)).toEqual([item]);
  expect(await library.catalog.trash.find(item.id)).toMatchObject({ path: `customers/acme/${name}` });
  expect(await space.store.stat(at(file))).toBeUndefined();
  await trash.giveBack(item, at(`back/${name}`));
  expect(await titleAt(`back/${file}`)).toBe(`title of ${file}`);
  expect(await library.store.stat(at(`customers/acme/back/${file}`))).toBeDefined();
  expect(events).toEqual([`file.deleted customers/acme/${name}`, `file.stored customers/acme/back/${name}`]);
  expect(await library.catalog.intents.list()).toEqual([]);
});

test('an item is removed with its rows and bytes', async () => {
  const item = await trash.keep(at('trip'), randomUUID());
  await trash.remove(item);
  expect(await space.catalog.trash.find(item.id)).toBeUndefined();
  expect(await library.retention.stat(item.id)).toBeUndefined();
  expect(await library.catalog.folders.find(hiddenFolder(item.id))).toBeUndefined();
});

test('a refusal names the path in the space', async () => {
  await expect(trash.keep(at('none.jpg'), randomUUID())).rejects.toThrow('Nothing is stored at "none.jpg".');
  const item = await trash.keep(at('c.jpg'), randomUUID());
  await expect(trash.giveBack(item, at('trip'))).rejects.not.toThrow(CANARIES);
  expect(await library.catalog.intents.list()).toEqual([]);
});

test.each<[string, () => PathLock, string]>([
  ['the library', () => library.lock, 'customers/acme/c.jpg'],
  ['the space', () => space.lock, 'c.jpg'],
])(
  'a deletion in the space that did not complete is recovered before the next change through %s',
  async (_by, lock, path) => {
    const id = randomUUID();
    let isAway = true;
    const { remove } = library.store;
    library.store.remove = (removed) =>
      isAway ? Promise.reject(new StorageUnavailable('away')) : remove.call(library.store, removed);
    await expect(trash.keep(at('c.jpg'), id)).rejects.toThrow(StorageUnavailable);
    expect(recovery.unfinishedAt([at('customers/acme/c.jpg')])).toMatchObject([{ to: hiddenPath(id, at('c.jpg')) }]);
    expect(unfinished).toEqual([(await library.catalog.intents.list())[0]?.id]);
    isAway = false;
    const seen = await lock().run([at(path)], () => space.store.stat(at('c.jpg')));
    expect(seen).toBeUndefined();
    expect(await space.catalog.trash.find(id)).toMatchObject({ path: 'c.jpg' });
    expect(await library.catalog.intents.list()).toEqual([]);
    expect(await library.store.stat(at('c.jpg'))).toBeDefined();
  },
);

test('an unfinished deletion in the library is recovered before the next change in the space', async () => {
  const id = randomUUID();
  const from = at('customers/acme/c.jpg');
  const change = { kind: 'trash', node: 'here', from, to: hiddenPath(id, from) } as const;
  const intent = { ...change, id: await library.catalog.intents.begin(change), createdAt: 1 };
  await library.retention.keep(from, id);
  recovery.noteUnfinished(intent);
  await space.lock.run([at('c.jpg')], async () => undefined);
  expect(await space.catalog.trash.find(id)).toMatchObject({ path: 'c.jpg' });
});

test('a copy without a version is removed by the recovery of the space', async () => {
  const id = randomUUID();
  const versions = rootedVersionRecovery(
    new VersionRecovery({ catalog: library.catalog, retention: library.retention, lock: library.lock }),
    ROOT_OF_SPACE,
  );
  const change = { kind: 'version', node: 'here', from: at('c.jpg'), to: hiddenFolder(id) } as const;
  const intent = { ...change, id: await space.catalog.intents.begin(change), createdAt: 1 };
  await space.retention.keepCopy(at('c.jpg'), id);
  await versions.recover(intent);
  expect(await library.retention.stat(id)).toBeUndefined();
  expect(await library.catalog.intents.list()).toEqual([]);
});
