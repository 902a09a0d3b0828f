import { beforeEach, describe, expect, test } from 'vitest';
import type { CatalogStore } from '../../../src/catalog/catalog-store.ts';
import {
  HIDDEN,
  hiddenFolder,
  hiddenId,
  hiddenPath,
  newTombstone,
  TOMBSTONES,
  tombstoneTime,
} from '../../../src/catalog/hidden.ts';
import { CHANGE_KINDS, type IntentKind, TRASH_KINDS } from '../../../src/catalog/records.ts';
import { positionIn, type TrashItem, type TrashOrder } from '../../../src/catalog/retained-rows.ts';
import { baseName, parentOf } from '../../../src/path.ts';
import { at, type CatalogBench, file } from './bench.ts';

/** Tests the rows of the trash and of versions. */
export function keeping(bench: () => CatalogBench): void {
  let catalog: CatalogStore;
  beforeEach(() => {
    catalog = bench().catalog;
  });
  const version = (id: string, createdAt = 1) => ({
    id,
    size: 3,
    etag: `etag of ${id}`,
    createdAt,
    width: null,
    height: null,
  });
  const item = (id: string, more: Partial<TrashItem> = {}): TrashItem => ({
    id,
    path: at(`a/${id}.jpg`),
    kind: 'image',
    size: 3,
    fileCount: 1,
    deletedAt: 10,
    expiresAt: 20,
    ...more,
  });
  const names = (items: readonly { id: string }[]) => items.map(({ id }) => id);

  describe('a tombstone', () => {
    const isolated = { folder: at(''), sort: 'name', order: 'asc', limit: 100, recursive: true } as const;
    const tombstone = newTombstone(7);
    let id: number | undefined;
    beforeEach(async () => {
      [id] = await catalog.files.put([file('a/one.jpg', { fileId: 'x', etag: 'two' }), file('b.jpg')]);
      await bench().db.updateTable('asset').set({ title: 'Ada', revision: 1 }).execute();
    });
    const known = async (path: string) => catalog.files.named(parentOf(at(path)), [baseName(at(path))]);

    test('has the row of its file, with its id and metadata, which is found by identity and version alone', async () => {
      expect(await catalog.files.relocate(await known('a/one.jpg'), tombstone)).toEqual([id]);
      expect((await catalog.listing.page(isolated)).files.map(({ path }) => path)).toEqual(['b.jpg']);
      expect(await catalog.usage.total(at(''))).toEqual({ size: 1, fileCount: 1 });
      expect((await catalog.search.page({ sort: 'name', order: 'asc', limit: 10 })).assets).toHaveLength(1);
      const found = [{ id, path: `${tombstone}/one.jpg`, hasWords: true }];
      expect(await catalog.files.identified(['x'])).toMatchObject(found);
      expect(await catalog.files.vanished(['two', 'one'])).toMatchObject(found);
      expect(await catalog.files.find(at(`${tombstone}/one.jpg`))).toMatchObject({ id, title: 'Ada' });
    });

    test('gives the row to a path again, and is not made of a row that has changed', async () => {
      const before = await known('a/one.jpg');
      await catalog.files.put([file('a/one.jpg', { etag: 'three' })]);
      expect(await catalog.files.relocate(before, tombstone)).toEqual([]);
      await catalog.files.relocate(await known('a/one.jpg'), tombstone);
      await catalog.files.move(at(`${tombstone}/one.jpg`), file('c.jpg', { etag: 'three' }));
      expect(await catalog.files.find(at('c.jpg'))).toMatchObject({ id, title: 'Ada' });
      expect(await catalog.files.vanished(['three'])).toEqual([]);
    });

    test('has a folder as a whole', async () => {
      await catalog.folders.move(at('a'), at(`${tombstone}/a`));
      expect(await catalog.files.identified(['x'])).toMatchObject([{ id, path: `${tombstone}/a/one.jpg` }]);
      expect((await catalog.folders.below(at(''))).map(({ path }) => path)).toEqual([]);
      expect((await catalog.folders.children(TOMBSTONES)).map(({ path }) => tombstoneTime(path))).toEqual([7]);
      await catalog.folders.remove(tombstone);
      expect(await catalog.files.identified(['x'])).toEqual([]);
    });
  });

  describe('rows in a hidden folder', () => {
    beforeEach(async () => {
      await catalog.files.put([
        file('a/one.jpg', { size: 5 }),
        file('b/two.jpg', { size: 7, fileId: 'x' }),
        file('c.jpg'),
      ]);
      await catalog.folders.move(at('b'), hiddenPath('1', at('b')));
      await catalog.files.move(at('c.jpg'), file(hiddenPath('2', at('c.jpg'))));
    });

    test('are in no listing, count or sum of the root, whatever is asked for', async () => {
      const request = { folder: at(''), sort: 'name', order: 'asc', limit: 100 } as const;
      const { folders, files } = await catalog.listing.page(request);
      expect([folders.map(({ path }) => path), files]).toEqual([['a'], []]);
      const all = await catalog.listing.page({ ...request, recursive: true });
      expect(all.files.map(({ path }) => path)).toEqual(['a/one.jpg']);
      expect((await catalog.listing.page({ ...request, recursive: true, search: 'two' })).files).toEqual([]);
      for (const recursive of [false, true]) expect(await catalog.listing.total({ folder: at(''), recursive })).toBe(1);
      expect(await catalog.listing.total({ folder: at(''), recursive: true, search: 'jpg' })).toBe(1);
      expect((await catalog.folders.children(at(''))).map(({ path }) => path)).toEqual(['a']);
      expect((await catalog.folders.below(at(''))).map(({ path }) => path)).toEqual(['a']);
      expect(await catalog.usage.total(at(''))).toEqual({ size: 5, fileCount: 1 });
      expect(await catalog.usage.below(at(''))).toEqual({
        folders: [{ path: 'a', size: 5, fileCount: 1 }],
        kinds: { image: { size: 5, fileCount: 1 } },
      });
      expect(await catalog.files.identified(['x'])).toEqual([]);
    });

    test('are not searched, no duplicates, not to be described, and their tags do not count', async () => {
      await bench().db.updateTable('asset').set({ sha256: 'same', perceptualHash: '0123456789abcdef' }).execute();
      const hidden = await catalog.files.find(hiddenPath('2', at('c.jpg')));
      const shown = await catalog.files.find(at('a/one.jpg'));
      for (const id of [hidden?.id ?? 0, shown?.id ?? 0])
        await bench().db.insertInto('asset_tag').values({ assetId: id, tag: 'red' }).execute();
      const page = await catalog.search.page({ sort: 'name', order: 'asc', limit: 10 });
      expect(page.assets.map(({ path }) => path)).toEqual(['a/one.jpg']);
      expect(await catalog.tags.list()).toEqual([{ tag: 'red', count: 1 }]);
      expect((await catalog.search.duplicates(10)).groups).toEqual([]);
      expect((await catalog.search.similar(10)).groups).toEqual([]);
      expect((await catalog.descriptions.waiting()).count).toBe(1);
      expect((await catalog.descriptions.claim(10, 1000)).map(({ path }) => path)).toEqual(['a/one.jpg']);
    });

    test('stay when everything in the root is removed', async () => {
      await catalog.folders.remove(at(''));
      expect(await catalog.files.find(hiddenPath('2', at('c.jpg')))).toMatchObject({ name: 'c.jpg' });
      expect(await catalog.files.find(at('a/one.jpg'))).toBeUndefined();
    });

    test('are found by their hidden paths, and come back with all that is known of them', async () => {
      const { id } = (await catalog.files.find(hiddenPath('2', at('c.jpg')))) ?? {};
      expect(hiddenId(hiddenPath('2', at('c.jpg')))).toBe('2');
      expect(hiddenId(at('trash/2/c.jpg'))).toBeUndefined();
      await catalog.files.move(hiddenPath('2', at('c.jpg')), file('back/c.jpg'));
      await catalog.folders.move(hiddenPath('1', at('b')), at('b'));
      expect(await catalog.files.find(at('back/c.jpg'))).toMatchObject({ id });
      expect(await catalog.files.find(at('b/two.jpg'))).toMatchObject({ size: 7 });
      expect(await catalog.usage.total(at(''))).toMatchObject({ fileCount: 3 });
    });

    test('go with their hidden folder, and no others', async () => {
      await catalog.folders.remove(hiddenFolder('1'));
      expect((await catalog.folders.below(HIDDEN)).map(({ path }) => path)).toEqual([hiddenFolder('2')]);
      expect(await catalog.usage.total(at(''))).toEqual({ size: 5, fileCount: 1 });
    });

    test('share nothing with a folder that is called `trash`', async () => {
      await catalog.files.put([file('trash/2/c.jpg', { size: 9 })]);
      expect(await catalog.usage.total(at('trash'))).toEqual({ size: 9, fileCount: 1 });
      await catalog.folders.remove(at('trash'));
      expect(await catalog.files.find(hiddenPath('2', at('c.jpg')))).toBeDefined();
    });
  });

  describe('the trash', () => {
    test('knows what was deleted last from a path', async () => {
      const path = at('same.jpg');
      for (const one of [item('a', { path, deletedAt: 2 }), item('b', { path, deletedAt: 3 }), item('c')])
        await catalog.trash.put(one);
      expect(await catalog.trash.latestOf(path)).toEqual(item('b', { path, deletedAt: 3 }));
      expect(await catalog.trash.latestOf(at('other.jpg'))).toBeUndefined();
    });

    test('is listed last deleted first, in pages', async () => {
      for (const one of [item('a', { deletedAt: 1 }), item('b', { deletedAt: 3 }), item('c', { deletedAt: 3 })])
        await catalog.trash.put(one);
      const first = await catalog.trash.page(2);
      expect(names(first)).toEqual(['c', 'b']);
      expect(names(await catalog.trash.page(2, positionIn(first[1] as TrashItem)))).toEqual(['a']);
      expect(names(await catalog.trash.page(2, positionIn(item('a', { deletedAt: 1 }))))).toEqual([]);
    });

    test('is listed by path or by size, in both directions, in pages', async () => {
      for (const one of [
        item('a', { path: at('b.jpg'), size: 3 }),
        item('b', { path: at('a/z.jpg'), size: 3 }),
        item('c', { path: at('c.jpg'), size: 1 }),
      ])
        await catalog.trash.put(one);
      const inPages = async (order: TrashOrder) => {
        const first = await catalog.trash.page(2, undefined, undefined, order);
        return names([
          ...first,
          ...(await catalog.trash.page(2, positionIn(first[1] as TrashItem, order), undefined, order)),
        ]);
      };
      expect(await inPages({ by: 'path', direction: 'asc' })).toEqual(['b', 'a', 'c']);
      expect(await inPages({ by: 'path', direction: 'desc' })).toEqual(['c', 'a', 'b']);
      expect(await inPages({ by: 'size', direction: 'asc' })).toEqual(['c', 'a', 'b']);
      expect(await inPages({ by: 'size', direction: 'desc' })).toEqual(['b', 'a', 'c']);
      expect(await inPages({ by: 'deletedAt', direction: 'asc' })).toEqual(
        (await inPages({ by: 'deletedAt', direction: 'desc' })).toReversed(),
      );
    });

    test('gives an item by its id, and forgets it', async () => {
      await catalog.trash.put(item('a', { kind: 'folder', size: 2 ** 40 }));
      await catalog.trash.put(item('a', { kind: 'folder', size: 2 ** 41 }));
      expect(await catalog.trash.find('a')).toEqual(item('a', { kind: 'folder', size: 2 ** 41 }));
      await catalog.trash.remove('a');
      expect(await catalog.trash.find('a')).toBeUndefined();
    });

    test('has intents of its own, in one log with the changes of the originals', async () => {
      const begin = (kind: IntentKind) =>
        catalog.intents.begin({ node: 'n', kind, from: at('a'), to: hiddenPath('1', at('a')) });
      const one = await begin('trash');
      const other = await begin('restore');
      const change = await begin('move');
      expect(names(await catalog.intents.list()).toSorted()).toEqual([one, other, change].toSorted());
      expect(names(await catalog.intents.list(CHANGE_KINDS))).toEqual([change]);
      expect(names(await catalog.intents.list(TRASH_KINDS)).toSorted()).toEqual([one, other].toSorted());
      expect(names(await catalog.intents.list(['trash', 'move'])).toSorted()).toEqual([one, change].toSorted());
      for (const id of [one, other]) await catalog.intents.finish({ id, node: 'n' });
      expect(await catalog.intents.list(TRASH_KINDS)).toEqual([]);
    });

    test('tells what is to go, the oldest first', async () => {
      for (const [id, expiresAt] of [
        ['a', 3],
        ['b', 1],
        ['c', 2],
      ] as const)
        await catalog.trash.put(item(id, { expiresAt }));
      expect(names(await catalog.trash.expired(2, 10))).toEqual(['b', 'c']);
      expect(names(await catalog.trash.expired(3, 1))).toEqual(['b']);
      expect(await catalog.trash.expired(0, 10)).toEqual([]);
    });
  });

  describe('versions', () => {
    let ids: number[];
    beforeEach(async () => {
      ids = await catalog.files.put([file('a/one.jpg'), file('a/b/two.jpg')]);
      await catalog.versions.add(ids[0] ?? 0, version('v1', 1));
      await catalog.versions.add(ids[0] ?? 0, version('v2', 2));
      await catalog.versions.add(ids[1] ?? 0, version('w1', 3));
    });

    test('of a file are the newest first', async () => {
      expect(await catalog.versions.of(at('a/one.jpg'))).toEqual([version('v2', 2), version('v1', 1)]);
      expect(await catalog.versions.of(at('a'))).toEqual([]);
      expect(await catalog.versions.of(at('none.jpg'))).toEqual([]);
      expect(await Promise.all(['v1', 'none'].map((id) => catalog.versions.exists(id)))).toEqual([true, false]);
    });

    test('have the dimensions that were known of the bytes then', async () => {
      const { db } = bench();
      await db
        .updateTable('asset')
        .set({ width: 640, height: 480 })
        .where('id', '=', ids[0] ?? 0)
        .execute();
      await catalog.versions.add(ids[0] ?? 0, version('v3', 3));
      expect((await catalog.versions.of(at('a/one.jpg'))).map(({ width, height }) => [width, height])).toEqual([
        [640, 480],
        [null, null],
        [null, null],
      ]);
    });

    test('go where their file goes, into the trash and back', async () => {
      await catalog.files.move(at('a/one.jpg'), file('z/moved.jpg'));
      expect(names(await catalog.versions.of(at('z/moved.jpg')))).toEqual(['v2', 'v1']);
      await catalog.folders.move(at('a'), hiddenPath('1', at('a')));
      expect(await catalog.versions.within(hiddenFolder('1'))).toEqual(['w1']);
      await catalog.folders.move(hiddenPath('1', at('a')), at('a'));
      expect(names(await catalog.versions.of(at('a/b/two.jpg')))).toEqual(['w1']);
    });

    test('are not copied with a file', async () => {
      await catalog.files.copy(at('a/one.jpg'), file('copy.jpg'));
      expect(await catalog.versions.of(at('copy.jpg'))).toEqual([]);
    });

    test('of a file or of everything in a folder are known by their ids', async () => {
      expect((await catalog.versions.within(at('a'))).toSorted()).toEqual(['v1', 'v2', 'w1']);
      expect(await catalog.versions.within(at('a/b'))).toEqual(['w1']);
      expect(await catalog.versions.within(at('a/b/two.jpg'))).toEqual(['w1']);
      expect(await catalog.versions.within(at('none'))).toEqual([]);
    });

    test('are due when they are old, or their file is gone', async () => {
      expect((await catalog.versions.due(3, 10)).toSorted()).toEqual(['v1', 'v2']);
      expect(await catalog.versions.due(3, 1)).toHaveLength(1);
      expect(await catalog.versions.due(1, 10)).toEqual([]);
      await catalog.files.remove([at('a/b/two.jpg')]);
      expect(await catalog.versions.due(1, 10)).toEqual(['w1']);
      await catalog.versions.remove(['w1', 'v1']);
      expect(await catalog.versions.due(1, 10)).toEqual([]);
      expect(names(await catalog.versions.of(at('a/one.jpg')))).toEqual(['v2']);
    });
  });
}
