import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { type CatalogStore, IntentClaimed } from '../../../src/catalog/catalog-store.ts';
import { turnsDuring } from '../../turns.ts';
import { at, type CatalogBench, file } from './bench.ts';

/** Number of files found by their metadata. */
const WORDED = sql<{ count: number }>`select count(*) as count from asset_words`;

/** Tests the rows of files, their folders, and the changes in progress. */
export function identifying(bench: () => CatalogBench): void {
  let catalog: CatalogStore;
  beforeEach(() => {
    catalog = bench().catalog;
  });
  const pathsIn = async (folder: string) =>
    (await catalog.files.page(at(folder), undefined, 1000)).map(({ path }) => path);
  const foldersBelow = async (folder: string) => (await catalog.folders.below(at(folder))).map(({ path }) => path);
  const describeAll = (describedEtag = 'one') =>
    bench().db.updateTable('asset').set({ describedEtag, width: 10, sha256: 'abc' }).execute();
  const giveWords = (path: string, title: string, tags: string[]) => giveRowWords(bench(), path, title, tags);

  test('all folders below one are told, however many, sorted as JavaScript compares texts', async () => {
    const many = Array.from({ length: 1200 }, (_, n) => `a/${n}`);
    const paths = [...many, 'a/\u{1f600}', 'a/\uff00', 'a/1/b'].sort();
    await catalog.files.put([...paths, 'a0'].map((path) => file(`${path}/x.jpg`)));
    expect(await foldersBelow('a')).toEqual(paths);
    expect(await foldersBelow('')).toEqual(['a', ...paths, 'a0']);
  });

  describe('putting', () => {
    test('stores files and the folders they are in, and finds them by their path', async () => {
      const ids = await catalog.files.put([file('a/b/c.JPG', { size: 7, fileId: '1:2' }), file('d.mp4')]);
      expect(new Set(ids).size).toBe(2);
      expect(await foldersBelow('')).toEqual(['a', 'a/b']);
      expect(await catalog.files.find(at('a/b/c.JPG'))).toMatchObject({
        id: ids[0],
        path: 'a/b/c.JPG',
        name: 'c.JPG',
        folder: 'a/b',
        kind: 'image',
        size: 7,
        etag: 'one',
        modifiedAt: Date.UTC(2026, 0, 1),
        createdAt: Date.UTC(2026, 0, 1),
        fileId: '1:2',
        revision: 0,
        title: null,
        tags: [],
        fields: {},
        focal: null,
        isDescribed: false,
        width: null,
        palette: [],
      });
      expect(await catalog.files.find(at('d.mp4'))).toMatchObject({ id: ids[1], folder: '', kind: 'video' });
      expect(await catalog.files.find(at('a/b'))).toBeUndefined();
      expect(await catalog.files.lastId()).toBe(Math.max(...ids));
    });

    test('keeps the row of a file that is there, the last of two entries for one path counts', async () => {
      const [id] = await catalog.files.put([file('a.jpg')]);
      const again = [file('a.jpg', { size: 2 }), file('a.jpg', { size: 3, etag: 'two' })];
      expect(await catalog.files.put(again)).toEqual([id, id]);
      expect(await catalog.files.find(at('a.jpg'))).toMatchObject({ id, size: 3, etag: 'two' });
    });

    test('of another version voids the description and keeps the words; the same version keeps both', async () => {
      await catalog.files.put([file('a.jpg')]);
      await describeAll();
      await giveWords('a.jpg', 'Ada', ['red']);
      await catalog.files.put([file('a.jpg', { createdAt: new Date(5) })]);
      const words = { title: 'Ada', tags: ['red'], revision: 1 };
      expect(await catalog.files.find(at('a.jpg'))).toMatchObject({ ...words, isDescribed: true, width: 10 });
      await catalog.files.put([file('a.jpg', { etag: 'two' })]);
      expect(await catalog.files.find(at('a.jpg'))).toMatchObject({
        ...words,
        isDescribed: false,
        width: null,
        sha256: null,
      });
    });

    test('new files among some that are there get rows of their own, each in its place', async () => {
      const [known] = await catalog.files.put([file('b.jpg')]);
      const both = [file('c.jpg', { size: 5 }), file('b.jpg', { etag: 'two' }), file('a/b.jpg')];
      const ids = await catalog.files.put(both);
      expect([ids[1], new Set(ids).size]).toEqual([known, 3]);
      for (const [n, { path, etag }] of both.entries())
        expect(await catalog.files.find(path)).toMatchObject({ id: ids[n], etag });
      const { rows } = await WORDED.execute(bench().db);
      expect(Number(rows[0]?.count)).toBe(3);
    });

    test('takes thousands at once, from two nodes into the same folders', async () => {
      const many = (start: number) =>
        Array.from({ length: 900 }, (_, n) => file(`f${n % 7}/${(n + start) % 1200}.jpg`, { size: 2 }));
      const [ids] = await Promise.all([catalog.files.put(many(0)), bench().other.files.put(many(300).reverse())]);
      expect(new Set(ids).size).toBe(900);
      const { fileCount, size } = await catalog.usage.total(at(''));
      const { length } = await bench().db.selectFrom('asset').select('id').execute();
      expect([fileCount, size]).toEqual([length, 2 * length]);
    });
  });

  describe('moving and copying', () => {
    beforeEach(async () => {
      await catalog.files.put([file('a/one.jpg'), file('b/two.jpg', { etag: 'other' })]);
      await describeAll();
      await giveWords('a/one.jpg', 'Ada', ['red', 'blue']);
    });

    test('a file goes with its words and its description, and takes the place of another', async () => {
      const { id } = (await catalog.files.find(at('a/one.jpg'))) ?? {};
      await catalog.files.move(at('a/one.jpg'), file('b/two.jpg', { size: 9 }));
      expect(await catalog.files.find(at('b/two.jpg'))).toMatchObject({
        id,
        name: 'two.jpg',
        size: 9,
        title: 'Ada',
        tags: ['blue', 'red'],
        isDescribed: true,
        width: 10,
      });
      expect(await pathsIn('a')).toEqual([]);
      expect(await pathsIn('b')).toEqual(['b/two.jpg']);
    });

    test('a file that is another version where it got is to be described again', async () => {
      await catalog.files.move(at('a/one.jpg'), file('new/one.png', { etag: 'two' }));
      expect(await catalog.files.find(at('new/one.png'))).toMatchObject({
        title: 'Ada',
        isDescribed: false,
        width: null,
      });
    });

    test('a copy has the words too, and is another asset', async () => {
      await catalog.files.copy(at('a/one.jpg'), file('c/copy.jpg', { etag: 'two' }));
      await catalog.files.copy(at('a/one.jpg'), file('b/two.jpg'));
      const [one, copy, same] = await Promise.all(
        ['a/one.jpg', 'c/copy.jpg', 'b/two.jpg'].map((path) => catalog.files.find(at(path))),
      );
      expect(copy).toMatchObject({ title: 'Ada', tags: ['blue', 'red'], revision: 1, isDescribed: false, width: null });
      expect(same).toMatchObject({ title: 'Ada', tags: ['blue', 'red'], isDescribed: true, width: 10 });
      expect(new Set([one?.id, copy?.id, same?.id]).size).toBe(3);
    });

    test('what was not known is put', async () => {
      await catalog.files.move(at('x.jpg'), file('y.jpg'));
      await catalog.files.copy(at('x.jpg'), file('z.jpg'));
      await catalog.files.copy(at('z.jpg'), file('z.jpg', { size: 3 }));
      expect(await pathsIn('')).toEqual(['y.jpg', 'z.jpg']);
      expect(await catalog.files.find(at('z.jpg'))).toMatchObject({ size: 3 });
    });

    test('a folder goes with everything below it, and what stood there is gone', async () => {
      await catalog.files.put([file('a/deep/er/x.jpg'), file('ab/y.jpg'), file('a0/z.jpg'), file('c/a/old.jpg')]);
      await catalog.folders.setFingerprint(at('a/deep'), 'seen');
      await catalog.folders.move(at('a'), at('c/a'));
      expect(await foldersBelow('')).toEqual(['a0', 'ab', 'b', 'c', 'c/a', 'c/a/deep', 'c/a/deep/er']);
      expect(await catalog.files.find(at('c/a/one.jpg'))).toMatchObject({ title: 'Ada' });
      expect(await catalog.files.find(at('c/a/deep/er/x.jpg'))).toBeDefined();
      expect(await catalog.files.find(at('c/a/old.jpg'))).toBeUndefined();
      expect(await catalog.folders.find(at('c/a/deep'))).toMatchObject({ mark: 'seen' });
      expect((await catalog.folders.children(at('c'))).map(({ path }) => path)).toEqual(['c/a']);
      await catalog.folders.move(at('nothing'), at('d'));
      await catalog.folders.move(at('c'), at('c/inside'));
      expect(await catalog.folders.find(at('d'))).toBeUndefined();
    });

    test('a folder of many folders goes as one change, and lets other work run meanwhile', async () => {
      await catalog.files.put(Array.from({ length: 1000 }, (_, n) => file(`many/${n}/x.jpg`)));
      expect(await turnsDuring(() => catalog.folders.move(at('many'), at('b/more')))).toBeGreaterThanOrEqual(4);
      expect(await foldersBelow('many')).toEqual([]);
      expect(await foldersBelow('b/more')).toHaveLength(1000);
      expect(await turnsDuring(() => catalog.folders.remove(at('b/more')))).toBeGreaterThanOrEqual(14);
      expect(await foldersBelow('b')).toEqual([]);
    });
  });

  describe('removing', () => {
    test('files of several folders, those that are there', async () => {
      await catalog.files.put([file('a/x.jpg'), file('a/y.jpg'), file('b/x.jpg')]);
      expect(await catalog.files.remove([at('a/x.jpg'), at('b/x.jpg'), at('b/none.jpg'), at('c/none.jpg')])).toBe(2);
      expect(await pathsIn('a')).toEqual(['a/y.jpg']);
    });

    test('only what is as it was when it was read', async () => {
      await catalog.files.put([file('a/x.jpg'), file('a/y.jpg'), file('a/z.jpg')]);
      const known = await catalog.files.page(at('a'), undefined, 10);
      await catalog.files.put([file('a/x.jpg', { etag: 'two' })]);
      await catalog.files.move(at('a/y.jpg'), file('b/y.jpg'));
      expect(await catalog.files.removeUnchanged(known)).toEqual([known.at(-1)?.id]);
      expect([...(await pathsIn('a')), ...(await pathsIn('b'))]).toEqual(['a/x.jpg', 'b/y.jpg']);
    });

    test('a folder with everything below it, in many steps or in one', async () => {
      const many = Array.from({ length: 700 }, (_, n) => file(`a/${n % 3}/${n}.jpg`));
      await catalog.files.put([...many, file('ab/x.jpg'), file('b/c/x.jpg')]);
      await catalog.folders.remove(at('a'));
      await catalog.inOneStep((rows) => rows.folders.remove(at('b')));
      await catalog.folders.remove(at('nothing'));
      expect(await foldersBelow('')).toEqual(['ab']);
      expect(await catalog.usage.total(at(''))).toEqual({ size: 1, fileCount: 1 });
      await catalog.folders.remove(at(''));
      expect(await foldersBelow('')).toEqual([]);
      expect(await catalog.folders.find(at(''))).toMatchObject({ path: '' });
    });
  });

  describe('looking up', () => {
    test('names of a folder, a page of it, and files by their identity on the disk', async () => {
      const names = ['b.jpg', 'a.jpg', '\ue000.jpg', '😀.jpg'];
      await catalog.files.put(names.map((name, n) => file(`f/${name}`, { fileId: `disk:${n}` })));
      await giveWords('f/a.jpg', 'Ada', []);
      const found = await catalog.files.named(at('f'), ['😀.jpg', 'none.jpg', 'b.jpg']);
      expect(found.map(({ path }) => path).sort()).toEqual(['f/b.jpg', 'f/😀.jpg']);
      const first = await catalog.files.page(at('f'), undefined, 2);
      expect(first).toMatchObject([
        { path: 'f/a.jpg', size: 1, etag: 'one', modifiedAt: Date.UTC(2026, 0, 1), fileId: 'disk:1', hasWords: true },
        { path: 'f/b.jpg', hasWords: false },
      ]);
      expect((await catalog.files.page(at('f'), 'b.jpg', 9)).map(({ path }) => path)).toEqual([
        ...['f/😀.jpg', 'f/\ue000.jpg'],
      ]);
      expect(await catalog.files.identified(['disk:3', 'disk:9'])).toMatchObject([{ path: 'f/😀.jpg' }]);
      expect(await catalog.files.named(at('none'), ['a'])).toEqual([]);
    });
  });

  describe('folders', () => {
    test('are added with those above them, once, and keep their marks', async () => {
      const added = await catalog.folders.add(at('a/b'));
      expect(await catalog.folders.add(at('a/b'))).toEqual(added);
      expect(added).toMatchObject({ path: 'a/b', mark: null });
      await catalog.folders.setFingerprint(at('a/b'), '1:2:3');
      expect(await catalog.folders.find(at('a/b'))).toMatchObject({ id: added.id, mark: '1:2:3' });
      await catalog.folders.setFingerprint(at('a/b'), null);
      expect(await catalog.folders.find(at('a/b'))).toMatchObject({ mark: null });
      expect(await catalog.folders.find(at('b'))).toBeUndefined();
      expect((await catalog.folders.children(at(''))).map(({ path }) => path)).toEqual(['a']);
    });

    test('know what the store said of them for as long as their rows stay as they were', async () => {
      await catalog.files.put([file('a/x.jpg'), file('b/x.jpg')]);
      const revisionOf = async (folder: string) => (await catalog.folders.find(at(folder)))?.revision ?? 0;
      const digestOf = async (folder: string) => (await catalog.folders.find(at(folder)))?.digest;
      expect(await digestOf('a')).toBeNull();
      await catalog.folders.setDigests([
        { folder: at('a'), digest: 'first', revision: await revisionOf('a') },
        { folder: at('b'), digest: 'late', revision: (await revisionOf('b')) - 1 },
        { folder: at('none'), digest: 'nothing', revision: 0 },
      ]);
      expect([await digestOf('a'), await digestOf('b')]).toEqual(['first', null]);
      await catalog.folders.move(at('a'), at('c'));
      expect((await catalog.folders.below(at(''))).map(({ digest }) => digest)).toEqual([null, 'first']);
      for (const change of [
        () => catalog.files.put([file('c/x.jpg', { etag: 'other' })]),
        () => catalog.files.put([file('c/y.jpg')]),
        () => catalog.files.move(at('c/y.jpg'), file('b/y.jpg')),
        () => catalog.files.remove([at('c/x.jpg')]),
      ]) {
        await catalog.folders.setDigests([{ folder: at('c'), digest: 'again', revision: await revisionOf('c') }]);
        expect(await digestOf('c')).toBe('again');
        await change();
        expect(await digestOf('c')).toBeNull();
      }
    });

    test('have other revisions after each change of what they show', async () => {
      await catalog.files.put([file('a/x.jpg'), file('b/x.jpg')]);
      const seen = new Set<string | undefined>();
      const isNew = async () => {
        const now = `${await catalog.listing.version(at('a'))} ${await catalog.listing.version(at(''), true)}`;
        return !seen.has(now) && seen.add(now) !== undefined;
      };
      const steps: (() => Promise<unknown>)[] = [
        async () => undefined,
        () => catalog.files.put([file('a/y.jpg')]),
        () => catalog.files.put([file('a/y.jpg', { etag: 'two' })]),
        () => giveWords('a/y.jpg', 'Ada', []),
        () => catalog.files.move(at('a/y.jpg'), file('a/z.jpg', { etag: 'two' })),
        () => catalog.files.move(at('a/z.jpg'), file('b/z.jpg')),
        () => catalog.files.move(at('b/z.jpg'), file('a/z.jpg')),
        () => catalog.files.remove([at('a/z.jpg')]),
        () => catalog.folders.add(at('a/new')),
        () => catalog.folders.move(at('a/new'), at('a/newer')),
        () => catalog.folders.move(at('a/newer'), at('newest')),
        () => catalog.folders.move(at('newest'), at('a/new')),
        () => catalog.folders.remove(at('a/new')),
        () => describeAll(),
      ];
      for (const [n, step] of steps.entries()) {
        await step();
        expect([n, await isNew()]).toEqual([n, true]);
      }
      const before = await catalog.listing.version(at('a'));
      await bench().db.updateTable('asset').set({ describeDueAt: 5 }).execute();
      await catalog.files.put([file('b/z.jpg')]);
      expect(await catalog.listing.version(at('a'))).toBe(before);
      expect(await catalog.listing.version(at('none'))).toBeUndefined();
    });
  });

  describe('a step', () => {
    test('is there as a whole or not at all, and its intent with it', async () => {
      const id = await catalog.intents.begin({ node: 'n1', kind: 'move', from: at('a'), to: at('b') });
      await catalog.intents.begin({ node: 'n2', kind: 'remove', from: at('c'), to: null });
      expect(await bench().other.intents.find(id)).toMatchObject({ id, node: 'n1', kind: 'move', from: 'a', to: 'b' });
      const failing = catalog.inOneStep(async (rows) => {
        await rows.files.put([file('b')]);
        await rows.intents.finish({ id, node: 'n1' });
        throw new Error('stopped');
      });
      await expect(failing).rejects.toThrow('stopped');
      expect(await catalog.files.find(at('b'))).toBeUndefined();
      expect(await catalog.intents.list(['move'])).toEqual([
        { id, node: 'n1', kind: 'move', from: 'a', to: 'b', createdAt: expect.any(Number) },
      ]);
      const done = await catalog.inOneStep(async (rows) => {
        await rows.files.put([file('b')]);
        await rows.intents.finish({ id, node: 'n1' });
        return 'done';
      });
      expect(done).toBe('done');
      expect(await catalog.intents.find(id)).toBeUndefined();
      expect(await bench().other.files.find(at('b'))).toBeDefined();
      expect(await catalog.intents.list()).toMatchObject([{ node: 'n2', to: null }]);
      expect(await catalog.intents.list([])).toEqual([]);
    });

    test('is undone when another node has claimed its intent', async () => {
      const id = await catalog.intents.begin({ node: 'n1', kind: 'move', from: at('a'), to: at('b') });
      const own = { id, node: 'n1' };
      await catalog.intents.confirm(own);
      expect(await bench().other.intents.claim(own, 'n2')).toBe(true);
      expect(await bench().other.intents.claim(own, 'n3')).toBe(false);
      expect(await catalog.intents.find(id)).toMatchObject({ id, node: 'n2', kind: 'move', from: 'a', to: 'b' });
      const settle = (node: string) =>
        catalog.inOneStep(async (rows) => {
          await rows.files.put([file(`${node}.jpg`)]);
          await rows.intents.finish({ id, node });
        });
      await expect(settle('n1')).rejects.toThrow(IntentClaimed);
      await expect(catalog.intents.confirm(own)).rejects.toThrow(IntentClaimed);
      expect(await catalog.files.find(at('n1.jpg'))).toBeUndefined();
      await settle('n2');
      await expect(settle('n2')).rejects.toThrow(IntentClaimed);
      expect(await catalog.intents.claim({ id, node: 'n2' }, 'n1')).toBe(false);
      expect([await catalog.files.find(at('n2.jpg')), await catalog.intents.list()]).toMatchObject([{}, []]);
    });

    test('that meets one of another node does not fail', async () => {
      const swap = (rows: CatalogStore, from: string, to: string) =>
        rows.inOneStep(async (one) => {
          for (let n = 0; n < 3; n++) {
            await one.files.put([file(`${from}/${n}.jpg`)]);
            await one.files.put([file(`${to}/${n}.jpg`)]);
          }
        });
      await Promise.all(
        Array.from({ length: 4 }, (_, n) =>
          n % 2 === 0 ? swap(catalog, 'p/a', 'p/b') : swap(bench().other, 'p/b', 'p/a'),
        ),
      );
      expect(await catalog.usage.total(at('p'))).toEqual({ size: 6, fileCount: 6 });
    });
  });
}

async function giveRowWords({ catalog, db }: CatalogBench, path: string, title: string, tags: string[]): Promise<void> {
  const { id = 0 } = (await catalog.files.find(at(path))) ?? {};
  await db.updateTable('asset').set({ title, revision: 1 }).where('id', '=', id).execute();
  for (const tag of tags) await db.insertInto('asset_tag').values({ assetId: id, tag }).execute();
}
