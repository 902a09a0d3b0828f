import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CatalogStore } from '../../src/catalog/catalog-store.ts';
import { hiddenFolder, hiddenPath } from '../../src/catalog/hidden.ts';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { TrashRecovery } from '../../src/catalog/trash-recovery.ts';
import { TrashService } from '../../src/catalog/trash-service.ts';
import type { PathLock } from '../../src/cluster/cluster.ts';
import { createLocalPathLock } from '../../src/cluster/local.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { Trash } from '../../src/library/trash.ts';
import { parsePath } from '../../src/path.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { createCopyingRetentionStore } from '../../src/storage/copying-retention-store.ts';
import type { RetentionStore } from '../../src/storage/retention-store.ts';
import { createMemoryStore } from '../memory-store.ts';
import { textBlobs } from '../text-blobs.ts';

const FILE = parsePath('a.jpg');

let folder: string;
let database: OpenDatabase;
let catalog: CatalogStore;
let store: BlobStore;
let retention: RetentionStore;
let lock: PathLock;
let trash: Trash;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trash-locks-'));
  database = await openDatabase({ file: join(folder, 'darkroom.db') });
  catalog = createSqlCatalog(database);
  store = createMemoryStore({ temp: folder });
  retention = createCopyingRetentionStore(store, createMemoryStore({ temp: folder }));
  lock = createLocalPathLock();
  const recovery = new TrashRecovery({ catalog, retention, moves: retention, store, lock, keepMs: 1000 });
  const service = new TrashService({ catalog, retention, recovery, node: 'here', onUnfinished: () => undefined });
  const cleaner = { file: async () => ({}), folder: async (_: unknown, remove: () => Promise<unknown>) => remove() };
  trash = new Trash({ catalog, trash: service, store, cleaner: cleaner as never, lock });
  for (const path of [FILE, parsePath('other.jpg')]) await catalog.files.put([{ ...(await blobs.put(path)), path }]);
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const blobs = textBlobs(() => store);
const ids = async () => (await catalog.trash.page(10)).map(({ path, id }) => ({ path, id }));

test.each(['restore', 'remove'] as const)('%s waits for the recovery of its item', async (change) => {
  await trash.put(FILE, { recursive: false });
  const [item] = await ids();
  if (!item) throw new Error('Expected an item.');
  const { promise, resolve } = Promise.withResolvers<void>();
  // As the recovery of a deletion does.
  const recovering = lock.run([FILE, hiddenPath(item.id, FILE)], () => promise);
  await blobs.put(FILE, 'new');
  const changing = trash[change](item.id);
  await trash.put(parsePath('other.jpg'), { recursive: false });
  expect(await ids()).toContainEqual(item);
  resolve();
  await Promise.all([recovering, changing]);
  expect(await ids()).toMatchObject([{ path: 'other.jpg' }]);
});

test('a deletion holds its item until it is complete', async () => {
  const done: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const kept = Promise.withResolvers<string>();
  const keep = retention.keep.bind(retention);
  vi.spyOn(retention, 'keep').mockImplementationOnce(async (path, id) => {
    await keep(path, id);
    kept.resolve(id);
    await promise;
  });
  const deleting = trash.put(FILE, { recursive: false }).then(() => done.push('deletion'));
  const id = await kept.promise;
  const another = lock.run([hiddenFolder(id)], async () => done.push('another change of the item'));
  await trash.put(parsePath('other.jpg'), { recursive: false });
  expect(done).toEqual([]);
  resolve();
  await Promise.all([deleting, another]);
  expect(done).toEqual(['deletion', 'another change of the item']);
});
