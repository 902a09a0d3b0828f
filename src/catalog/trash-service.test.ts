import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { hearEvents } from '../../test/event-sink.ts';
import { createMemoryStore } from '../../test/memory-store.ts';
import { textBlobs } from '../../test/text-blobs.ts';
import { createLocalPathLock } from '../cluster/local.ts';
import { openDatabase } from '../db/open.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { parsePath, ROOT } from '../path.ts';
import { BlobNotFound, type BlobStat, type BlobStore } from '../storage/blob-store.ts';
import { createCopyingRetentionStore } from '../storage/copying-retention-store.ts';
import type { RetentionStore } from '../storage/retention-store.ts';
import { type CatalogStore, IntentClaimed } from './catalog-store.ts';
import { hiddenPath } from './hidden.ts';
import type { Intent, IntentKind } from './records.ts';
import type { TrashItem } from './retained-rows.ts';
import { createSqlCatalog } from './sql/catalog.ts';
import { TrashRecovery } from './trash-recovery.ts';
import { TrashService } from './trash-service.ts';

let folder: string;
let database: OpenDatabase;
let catalog: CatalogStore;
let store: BlobStore;
let kept: BlobStore;
let retention: RetentionStore;
let recovery: TrashRecovery;
let keeper: TrashService;
let unfinished: string[];
/** Reported events: kind and path, with a slash after a folder. */
let told: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trash-keeper-'));
  database = await openDatabase({ file: join(folder, 'darkroom.db') });
  told = [];
  const sink = hearEvents(({ type, path, isFolder, trash }) =>
    told.push(`${type} ${path}${isFolder ? '/' : ''} ${trash}`),
  );
  catalog = createSqlCatalog(database, undefined, sink);
  store = createMemoryStore({ temp: folder });
  kept = createMemoryStore({ temp: folder });
  retention = createCopyingRetentionStore(store, kept);
  recovery = new TrashRecovery({
    catalog,
    retention,
    moves: retention,
    store,
    lock: createLocalPathLock(),
    keepMs: 1000,
  });
  unfinished = [];
  keeper = openKeeper(retention);
  for (const path of ['trip/a.jpg', 'trip/b.jpg', 'c.jpg']) {
    const stat = await blobs.put(path);
    await catalog.files.put([{ ...stat, path: parsePath(path) }]);
    await catalog.words.patch(parsePath(path), { title: `title of ${path}`, tags: ['red'] });
  }
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const openKeeper = (moves: RetentionStore) =>
  new TrashService({ catalog, retention: moves, recovery, node: 'here', onUnfinished: (id) => unfinished.push(id) });
const recover = async (intent: Intent) => recovery.table[intent.kind as 'trash' | 'restore'](intent);
const blobs = textBlobs(() => store);
const ID = '0188d0f2-0000-4000-8000-000000000000';
const statOf = async (path: string) => (await store.stat(parsePath(path))) as BlobStat;
const titleAt = async (path: string) => (await catalog.files.find(path as never))?.title;
const items = async () =>
  (await catalog.trash.page(10)).map(({ id, path, size, fileCount }) => ({ id, path, size, fileCount }));
const foldersBelow = async (folder: string | null) =>
  (await catalog.folders.below(folder as never)).map(({ path }) => path);
/** Records an intent of another process. */
async function left(kind: IntentKind, from: string, to: string, createdAt = Date.now()) {
  const change = { kind, from: from as never, to: to as never, node: 'gone' };
  return { ...change, id: await catalog.intents.begin(change), createdAt };
}

describe('words, tags and ids', () => {
  test.each(['c.jpg', 'trip'])('go into the trash and back with %s', async (name) => {
    const file = name === 'trip' ? 'trip/a.jpg' : name;
    const before = await catalog.files.find(parsePath(file));
    const item = await keeper.keep(parsePath(name), randomUUID());
    expect(await catalog.files.find(parsePath(file))).toBeUndefined();
    expect(await catalog.usage.total(ROOT)).toMatchObject({ fileCount: 3 - item.fileCount });
    await keeper.giveBack(item, parsePath(`back/${name}`));
    const after = await catalog.files.find(parsePath(`back/${file}`));
    expect(after).toMatchObject({ id: before?.id, title: before?.title, tags: ['red'], revision: before?.revision });
    expect(await catalog.usage.total(ROOT)).toMatchObject({ fileCount: 3 });
    expect([await items(), await catalog.intents.list()]).toEqual([[], []]);
  });

  test('are gone when an item is removed', async () => {
    const item = await keeper.keep(parsePath('trip'), randomUUID());
    await keeper.remove(item);
    const { rows } = await database.db
      .selectFrom('asset')
      .select('name')
      .execute()
      .then((found) => ({ rows: found }));
    expect(rows).toEqual([{ name: 'c.jpg' }]);
    expect(await Array.fromAsync(retention.walk())).toEqual([]);
  });
});

describe('a change that did not come to its end', () => {
  test('is nothing when no byte has moved', async () => {
    await recover(await left('trash', 'c.jpg', hiddenPath(ID, parsePath('c.jpg'))));
    expect([await items(), await catalog.intents.list()]).toEqual([[], []]);
    expect(await titleAt('c.jpg')).toBe('title of c.jpg');
  });

  test('is ended when all bytes have moved', async () => {
    const intent = await left('trash', 'trip', hiddenPath(ID, parsePath('trip')));
    await retention.keep(parsePath('trip'), ID);
    await recover(intent);
    expect(await items()).toEqual([{ id: ID, path: 'trip', size: 20, fileCount: 2 }]);
    expect(await titleAt(hiddenPath(ID, parsePath('trip')).concat('/a.jpg'))).toBe('title of trip/a.jpg');
    expect(await catalog.usage.total(ROOT)).toMatchObject({ fileCount: 1 });
    expect(await catalog.intents.list()).toEqual([]);
  });

  test('of a folder that has moved by half leaves each file in one place, with its words', async () => {
    const intent = await left('trash', 'trip', hiddenPath(ID, parsePath('trip')));
    await kept.write(`${ID}/a.jpg` as never, await store.open(parsePath('trip/a.jpg')));
    await store.remove(parsePath('trip/a.jpg'));
    await recover(intent);
    expect(await items()).toEqual([{ id: ID, path: 'trip', size: 10, fileCount: 1 }]);
    expect(await titleAt(hiddenPath(ID, parsePath('trip')).concat('/a.jpg'))).toBe('title of trip/a.jpg');
    expect([await titleAt('trip/a.jpg'), await titleAt('trip/b.jpg')]).toEqual([undefined, 'title of trip/b.jpg']);
  });

  test('of a folder of which a part is left tells of the files that have left alone', async () => {
    const intent = await left('trash', 'trip', hiddenPath(ID, parsePath('trip')));
    for (const name of ['a.jpg', 'b.jpg'])
      await kept.write(`${ID}/${name}` as never, await store.open(parsePath(`trip/${name}`)));
    await store.remove(parsePath('trip/a.jpg'));
    await recover(intent);
    expect(told).toEqual(['file.deleted trip/a.jpg in']);
  });

  test('back from the trash by half tells of the files that have come back alone', async () => {
    const item = await keeper.keep(parsePath('trip'), randomUUID());
    const intent = await left('restore', hiddenPath(item.id, item.path), 'trip');
    await store.write(parsePath('trip/a.jpg'), await kept.open(`${item.id}/a.jpg` as never));
    await kept.remove(`${item.id}/a.jpg` as never);
    for (const path of ['trip/b.jpg', 'trip/c.jpg']) {
      const stat = await blobs.put(path, 'another');
      await catalog.files.put([{ ...stat, path: parsePath(path) }]);
      await catalog.words.patch(parsePath(path), { title: 'title of another' });
    }
    await recover(intent);
    expect(told).toEqual(['file.deleted trip/ in', 'file.stored trip/a.jpg out']);
    // Files that other clients added were never in the trash, and b.jpg is another file now.
    expect(await titleAt('trip/b.jpg')).toBe('title of another');
    expect(await titleAt(`${intent.from}/b.jpg`)).toBe('title of trip/b.jpg');
    expect(await items()).toEqual([{ id: item.id, path: 'trip', size: 10, fileCount: 1 }]);
  });

  test('of a folder in part leaves the rows of every folder, also of empty ones', async () => {
    for (const name of ['trip/left', 'trip/copied', 'trip/gone']) {
      await store.createFolder(parsePath(name));
      await catalog.folders.add(parsePath(name));
    }
    const intent = await left('trash', 'trip', hiddenPath(ID, parsePath('trip')));
    for (const name of ['copied', 'gone']) await kept.createFolder(`${ID}/${name}` as never);
    await store.removeFolder(parsePath('trip/gone'));
    await recover(intent);
    expect(await foldersBelow('trip')).toEqual(['trip/copied', 'trip/left']);
    expect(await foldersBelow(intent.to)).toEqual(['copied', 'gone'].map((name) => `${intent.to}/${name}`));

    const [item] = await catalog.trash.page(1);
    await keeper.giveBack(item as TrashItem, parsePath('back/trip'));
    expect(await foldersBelow('back/trip')).toEqual(['back/trip/copied', 'back/trip/gone']);
  });

  test('back from the trash in part leaves the rows of every folder, also of empty ones', async () => {
    await store.createFolder(parsePath('trip/empty'));
    const item = await keeper.keep(parsePath('trip'), randomUUID());
    const intent = await left('restore', hiddenPath(item.id, item.path), 'back/trip');
    await store.createFolder(parsePath('back/trip/empty'));
    await recover(intent);
    expect(await foldersBelow('back')).toEqual(['back/trip', 'back/trip/empty']);
    expect(await titleAt(`${intent.from}/a.jpg`)).toBe('title of trip/a.jpg');
  });

  test.each(['c.jpg', 'trip'])(
    'back from the trash leaves the row of the folder that it had created for %s',
    async (name) => {
      const item = await keeper.keep(parsePath(name), randomUUID());
      const intent = await left('restore', hiddenPath(item.id, item.path), `new/${name}`);
      await store.createFolder(parsePath('new'));
      await recover(intent);
      expect(await catalog.folders.find(parsePath('new'))).toBeDefined();
      expect([await items(), await catalog.intents.list()]).toMatchObject([[{ id: item.id }], []]);
    },
  );

  test('back from the trash leaves the row of the folder that it had created when it was refused', async () => {
    const item = await keeper.keep(parsePath('c.jpg'), randomUUID());
    const refusing = Object.assign(Object.create(retention) as RetentionStore, {
      async giveBack() {
        await store.createFolder(parsePath('new'));
        throw new BlobNotFound('Nothing is kept there.');
      },
    });
    await expect(openKeeper(refusing).giveBack(item, parsePath('new/c.jpg'))).rejects.toThrow(BlobNotFound);
    expect(await catalog.folders.find(parsePath('new'))).toBeDefined();
    expect([unfinished, await catalog.intents.list()]).toEqual([[], []]);
  });

  test('back from the trash leaves the row of a file that has come to the path since', async () => {
    const item = await keeper.keep(parsePath('c.jpg'), randomUUID());
    const intent = await left('restore', hiddenPath(item.id, item.path), 'c.jpg');
    await blobs.put('c.jpg', 'new');
    await recover(intent);
    expect(await catalog.files.find(parsePath('c.jpg'))).toMatchObject({ etag: (await statOf('c.jpg')).etag });
    expect([await items(), await catalog.intents.list()]).toMatchObject([[{ id: item.id }], []]);
  });

  test('leaves a file alone that has come to the path since', async () => {
    const intent = await left('trash', 'c.jpg', hiddenPath(ID, parsePath('c.jpg')));
    await retention.keep(parsePath('c.jpg'), ID);
    await blobs.put('c.jpg', 'new');
    await recover(intent);
    expect(await items()).toMatchObject([{ id: ID, path: 'c.jpg', fileCount: 1 }]);
    expect(await blobs.content('c.jpg')).toBe('new');
    for (const path of ['c.jpg', hiddenPath(ID, parsePath('c.jpg'))])
      expect(await titleAt(path)).toBe('title of c.jpg');
  });

  test('back from the trash is ended when all bytes have moved, and nothing when none has', async () => {
    const item = await keeper.keep(parsePath('trip'), randomUUID());
    const from = hiddenPath(item.id, item.path);
    await recover(await left('restore', from, 'trip'));
    expect(await items()).toHaveLength(1);
    const intent = await left('restore', from, 'trip');
    await retention.giveBack(item.id, parsePath('trip'));
    await recover(intent);
    expect([await items(), await catalog.intents.list()]).toEqual([[], []]);
    expect(await titleAt('trip/b.jpg')).toBe('title of trip/b.jpg');
  });

  test('back from the trash is completed when the file was copied and its item is still there', async () => {
    const item = await keeper.keep(parsePath('c.jpg'), ID);
    told.length = 0;
    const intent = await left('restore', hiddenPath(ID, item.path), 'c.jpg');
    const restored = await store.write(parsePath('c.jpg'), await retention.open(ID));
    expect(await retention.stat(ID)).not.toMatchObject({ etag: restored.etag });
    await recover(intent);
    expect([await items(), await catalog.intents.list()]).toEqual([[], []]);
    expect([await retention.stat(ID), await titleAt('c.jpg')]).toEqual([undefined, 'title of c.jpg']);
    expect(told).toEqual(['file.stored c.jpg out']);
  });

  test('is recovered immediately, and left to the background where that fails too', async () => {
    const failing = Object.assign(Object.create(retention) as RetentionStore, {
      async keep(path: never, id: string) {
        await retention.keep(path, id);
        throw new Error('It does not work.');
      },
    });
    await openKeeper(failing).keep(parsePath('c.jpg'), randomUUID());
    expect(await items()).toMatchObject([{ path: 'c.jpg' }]);
    expect([unfinished, await catalog.intents.list()]).toEqual([[], []]);
    vi.spyOn(recovery, 'recover').mockRejectedValueOnce(new Error('The catalog is not there.'));
    await expect(openKeeper(failing).keep(parsePath('trip'), randomUUID())).rejects.toThrow('It does not work.');
    const [intent] = await catalog.intents.list();
    expect([unfinished, intent?.from]).toEqual([[intent?.id], 'trip']);
    expect(recovery.unfinishedAt([parsePath('trip')])).toMatchObject([{ id: intent?.id }]);
    expect(recovery.unfinishedAt([parsePath('trip/a.jpg')])).toMatchObject([{ from: 'trip' }]);
    expect(recovery.unfinishedAt([parsePath('c.jpg')])).toEqual([]);
    if (intent) await recover(intent);
    expect(recovery.unfinishedAt([parsePath('trip')])).toEqual([]);
  });

  test('is recovered once where two nodes find it', async () => {
    const intent = await left('trash', 'c.jpg', hiddenPath(ID, parsePath('c.jpg')));
    await retention.keep(parsePath('c.jpg'), ID);
    await Promise.all([recover(intent), recover(intent)]);
    expect(told).toEqual(['file.deleted c.jpg in']);
  });

  test.each([0, Date.now()])(
    'is completed when the file was copied and is still in its location',
    async (createdAt) => {
      const intent = await left('trash', 'c.jpg', hiddenPath(ID, parsePath('c.jpg')), createdAt);
      await retention.keepCopy(parsePath('c.jpg'), ID);
      await recover(intent);
      expect(await statOf('c.jpg')).toBeUndefined();
      expect(await items()).toEqual([{ id: ID, path: 'c.jpg', size: 5, fileCount: 1 }]);
      expect(await titleAt(hiddenPath(ID, parsePath('c.jpg')))).toBe('title of c.jpg');
      expect([await catalog.intents.list(), told]).toEqual([[], ['file.deleted c.jpg in']]);
    },
  );

  test('is left to the node that has claimed it meanwhile', async () => {
    const claimed = Object.assign(Object.create(retention) as RetentionStore, {
      async keep(path: never, id: string) {
        await retention.keep(path, id);
        const [intent] = await catalog.intents.list();
        if (intent) await catalog.intents.claim(intent, 'another');
      },
    });
    await expect(openKeeper(claimed).keep(parsePath('c.jpg'), randomUUID())).rejects.toThrow(IntentClaimed);
    expect([await items(), unfinished, await titleAt('c.jpg')]).toEqual([[], [], 'title of c.jpg']);
    const [intent] = await catalog.intents.list();
    if (intent) await recover(intent);
    expect([await items(), await catalog.intents.list()]).toMatchObject([[{ path: 'c.jpg' }], []]);
  });

  test('is completed when another node has finished it before the bytes moved', async () => {
    const finished = Object.assign(Object.create(retention) as RetentionStore, {
      async keep(path: never, id: string) {
        const [intent] = await catalog.intents.list();
        if (intent) await catalog.intents.claim(intent, 'another');
        await catalog.intents.finish({ id: intent?.id ?? '', node: 'another' });
        await retention.keep(path, id);
      },
    });
    const { id } = await openKeeper(finished).keep(parsePath('c.jpg'), ID);
    expect([await items(), await catalog.intents.list()]).toMatchObject([[{ id, path: 'c.jpg' }], []]);
    expect(await titleAt(hiddenPath(ID, parsePath('c.jpg')))).toBe('title of c.jpg');
  });

  test('is a success when its rows were written but the answer of the database was lost', async () => {
    const { id } = await keeper.keep(parsePath('c.jpg'), ID);
    const item = await catalog.trash.find(id);
    const settled = vi.spyOn(recovery, 'settleTrashed');
    settled.mockImplementationOnce(async (intent) => {
      settled.mockRestore();
      await recovery.settleTrashed(intent, '0188d0f2-0000-4000-8000-000000000001');
      throw new Error('The connection was lost.');
    });
    const next = await keeper.keep(parsePath('trip/a.jpg'), '0188d0f2-0000-4000-8000-000000000001');
    expect([item?.path, next.path, unfinished]).toEqual(['c.jpg', 'trip/a.jpg', []]);
  });

  test('back out is completed when another node has finished it before the bytes moved', async () => {
    const item = await keeper.keep(parsePath('c.jpg'), ID);
    const finished = Object.assign(Object.create(retention) as RetentionStore, {
      async giveBack(id: string, to: never) {
        const [intent] = await catalog.intents.list();
        if (intent) await catalog.intents.claim(intent, 'another');
        await catalog.intents.finish({ id: intent?.id ?? '', node: 'another' });
        await retention.giveBack(id, to);
      },
    });
    await openKeeper(finished).giveBack(item, parsePath('c.jpg'));
    expect([await items(), await catalog.intents.list(), await titleAt('c.jpg')]).toEqual([[], [], 'title of c.jpg']);
  });

  test('is unfinished at its path, above it and below it', async () => {
    recovery.noteUnfinished({
      id: 'one',
      node: 'here',
      kind: 'trash',
      from: parsePath('trip'),
      to: hiddenPath(ID, parsePath('trip')),
      createdAt: 0,
    });
    const isUnfinished = (path: string) => recovery.unfinishedAt([parsePath(path)]).length === 1;
    expect(['trip', 'trip/a.jpg', 'c.jpg'].map(isUnfinished)).toEqual([true, true, false]);
    expect(recovery.unfinishedAt([ROOT])).toHaveLength(1);
  });

  test('is a success when its recovery completes it immediately', async () => {
    const failing = Object.assign(Object.create(retention) as RetentionStore, {
      async keep(path: never, id: string) {
        await retention.keepCopy(path, id);
        throw new Error('The removal timed out.');
      },
    });
    const { id } = await openKeeper(failing).keep(parsePath('c.jpg'), randomUUID());
    expect(await statOf('c.jpg')).toBeUndefined();
    expect([await items(), unfinished]).toMatchObject([[{ id, path: 'c.jpg' }], []]);
  });
});
