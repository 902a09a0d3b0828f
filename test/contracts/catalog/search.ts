import { beforeEach, describe, expect, test } from 'vitest';
import type { SearchRequest } from '../../../src/catalog/catalog-search.ts';
import type { CatalogStore } from '../../../src/catalog/catalog-store.ts';
import { at, type CatalogBench, described, file } from './bench.ts';

/** Tests searches of the whole library. */
export function searching(bench: () => CatalogBench): void {
  let catalog: CatalogStore;
  beforeEach(() => {
    catalog = bench().catalog;
  });
  const find = async (request: Partial<SearchRequest>) => {
    const page = await catalog.search.page({ sort: 'name', order: 'asc', limit: 100, ...request });
    return page.assets.map(({ path }) => path);
  };
  const put = (...paths: string[]) => catalog.files.put(paths.map((path, n) => file(path, { size: n + 1 })));
  const describeAs = async (path: string, facts: Parameters<typeof described>[0]) => {
    const { id = 0, etag = '' } = (await catalog.files.find(at(path))) ?? {};
    await catalog.descriptions.store(id, etag, described(facts));
  };

  describe('words', () => {
    test('all have to match, wherever they are, the last one as a beginning', async () => {
      await put('IMG_2034-Beach.jpg', 'x/Café Sunset.png', '東京タワー.jpg', 'SunSet2.jpg', 'other.mp4');
      await catalog.words.patch(at('other.mp4'), {
        title: 'Beach walk',
        alt: 'a dog',
        description: 'It rains',
        tags: ['Holiday'],
      });
      expect(await find({ text: 'beach' })).toEqual(['IMG_2034-Beach.jpg', 'other.mp4']);
      expect(await find({ text: 'BEACH walk dog rain hol' })).toEqual(['other.mp4']);
      expect(await catalog.search.total({ text: 'bea walk' }, false, 9)).toBe(0);
      expect(await find({ text: '2034' })).toEqual(['IMG_2034-Beach.jpg']);
      expect(await find({ text: 'img2034' })).toEqual(['IMG_2034-Beach.jpg']);
      expect(await find({ text: 'cafe' })).toEqual(['x/Café Sunset.png']);
      expect(await find({ text: 'set' })).toEqual(['SunSet2.jpg']);
      expect(await find({ text: 'sunset' })).toEqual(['x/Café Sunset.png', 'SunSet2.jpg']);
      expect(await find({ text: '京タワ' })).toEqual(['東京タワー.jpg']);
      expect(await find({ text: 'other.mp4' })).toEqual(['other.mp4']);
      for (const text of ['"', "'", '*', 'a" OR "b', '{strong} : x', ':*', '\u0000', '( & ! |']) await find({ text });
    });

    test('follow every change', async () => {
      await put('a.jpg', 'b.jpg');
      await catalog.words.patch(at('a.jpg'), { title: 'harbour' });
      await catalog.files.copy(at('a.jpg'), file('copy.jpg'));
      await catalog.files.move(at('b.jpg'), file('x/lighthouse.jpg'));
      expect(await find({ text: 'harbour' })).toEqual(['a.jpg', 'copy.jpg']);
      expect(await find({ text: 'lighthouse' })).toEqual(['x/lighthouse.jpg']);
      await catalog.words.patch(at('a.jpg'), { title: 'ship' });
      await catalog.folders.remove(at('x'));
      expect(await find({ text: 'harbour' })).toEqual(['copy.jpg']);
      expect(await catalog.search.total({ text: 'lighthouse' }, false, 10)).toBe(0);
      await bench().db.updateTable('asset').set({ searchable: 0 }).execute();
      expect([await catalog.makeSearchable(1), await catalog.makeSearchable(5)]).toEqual([1, 1]);
      expect(await find({ text: 'ship' })).toEqual(['a.jpg']);
    });

    test('that nothing has find what is nearly the same, page by page', async () => {
      await put('mountain lake.jpg', 'mountains.jpg', 'fountain.jpg', 'sea.jpg');
      const request = { text: 'montain', sort: 'name', order: 'asc', limit: 1 } as const;
      const first = await catalog.search.page(request);
      expect(first).toMatchObject({ isNear: true, assets: [{ path: 'fountain.jpg' }] });
      const second = await catalog.search.page({ ...request, after: first.next });
      expect(second).toMatchObject({ isNear: true, assets: [{ path: 'mountain lake.jpg' }] });
      expect(await find({ text: 'montain lake' })).toEqual(['mountain lake.jpg']);
      expect(await find({ text: 'zzzzzz' })).toEqual([]);
      expect(await catalog.search.total({ text: 'montain' }, true, 10)).toBe(3);
      expect((await catalog.search.page({ ...request, text: 'mountain' })).isNear).toBe(false);
    });
  });

  test('relevant is first what has the words in its name, title or tags, and the latest of these', async () => {
    await put('a.jpg', 'boat.jpg', 'c.jpg', 'boat-2.jpg', 'd.jpg');
    await catalog.words.patch(at('a.jpg'), { tags: ['boat'] });
    await catalog.words.patch(at('c.jpg'), { alt: 'a boat' });
    await catalog.words.patch(at('d.jpg'), { description: 'boats' });
    const expected = ['boat-2.jpg', 'boat.jpg', 'a.jpg', 'd.jpg', 'c.jpg'];
    expect(await find({ text: 'boat', sort: 'relevance' })).toEqual(expected);
    expect(await pages({ text: 'boat', sort: 'relevance' })).toEqual(expected);
    expect(await find({ sort: 'relevance' })).toEqual(['d.jpg', 'boat-2.jpg', 'c.jpg', 'boat.jpg', 'a.jpg']);
  });

  const pages = async (request: Partial<SearchRequest>) => {
    const found: string[] = [];
    for (let after: SearchRequest['after']; ; ) {
      const page = await catalog.search.page({ sort: 'name', order: 'asc', limit: 2, ...request, after });
      found.push(...page.assets.map(({ path }) => path));
      if (!page.next) return found;
      after = JSON.parse(JSON.stringify(page.next));
    }
  };

  test.each(['name', 'size', 'mtime', 'created', 'taken'] as const)(
    'sorted by %s, pages follow one another',
    async (sort) => {
      const days = [3, 1, 2, 2, 1];
      await catalog.files.put(
        days.map((day, n) =>
          file(`${n % 2}/${['c', 'a', 'b', '😀', '\ue000'][n]}${n}`, {
            size: day,
            modifiedAt: new Date(day),
            createdAt: new Date(day),
          }),
        ),
      );
      for (const path of await find({ size: { min: 2 } }))
        await describeAs(path, { takenAt: (await catalog.files.find(at(path)))?.size ?? null });
      for (const order of ['asc', 'desc'] as const) {
        const all = await find({ sort, order });
        expect(all).toHaveLength(5);
        expect(await pages({ sort, order })).toEqual(all);
        if (sort === 'taken') expect((await catalog.files.find(at(all[4] ?? '')))?.takenAt).toBeNull();
      }
    },
  );

  test('is narrowed by every fact', async () => {
    await put('a/wide.jpg', 'a/b/high.png', 'square.mp4', 'plain.txt');
    const colours = { dominantColour: '#cc1010', palette: ['#cc1010'] };
    await describeAs('a/wide.jpg', { width: 300, height: 200, takenAt: 50, ...colours });
    await describeAs('a/b/high.png', { width: 100, height: 200, dominantColour: '#1010cc' });
    await describeAs('square.mp4', { width: 50, height: 50, duration: 9.5 });
    await catalog.words.patch(at('a/wide.jpg'), { tags: ['x', 'y'], fields: { 'a "b"': 'v', n: 12, is: true } });
    await catalog.words.patch(at('plain.txt'), { tags: ['x'] });
    const wide = 'a/wide.jpg';
    const high = 'a/b/high.png';
    const square = 'square.mp4';
    const plain = 'plain.txt';
    const expected: [Partial<SearchRequest>, (string | undefined)[]][] = [
      [{ folder: at('a') }, [wide]],
      [{ folder: at('a'), recursive: true }, [high, wide]],
      [{ folder: at(''), recursive: true, kind: 'document' }, [plain]],
      [{ folder: at('none') }, []],
      [{ tags: ['x'] }, [plain, wide]],
      [{ tags: ['x', 'y'] }, [wide]],
      [{ tags: ['x'], withoutTags: ['y'] }, [plain]],
      [{ size: { min: 2, max: 3 } }, [high, square]],
      [{ width: { min: 100 } }, [high, wide]],
      [{ height: { max: 50 } }, [square]],
      [{ orientation: 'landscape' }, [wide]],
      [{ orientation: 'portrait' }, [high]],
      [{ orientation: 'square' }, [square]],
      [{ duration: { min: 9.4, max: 9.5 } }, [square]],
      [{ takenAt: { min: 50 } }, [wide]],
      [{ modifiedAt: { max: 0 } }, []],
      [{ colour: '#d01818' }, [wide]],
      [{ fields: { 'a "b"': 'v' } }, [wide]],
      [{ fields: { n: '12', is: 'true' } }, [wide]],
      [{ fields: { n: '13' } }, []],
      [{ text: 'wide', kind: 'image', tags: ['x'] }, [wide]],
    ];
    for (const [filter, paths] of expected) {
      expect([filter, await find(filter)]).toEqual([filter, paths]);
      expect(await catalog.search.total(filter, false, 100)).toBe(paths.length);
    }
    expect(await catalog.search.total({}, false, 3)).toBe(3);
    expect(await catalog.search.facets({ tags: ['x'] }, false)).toEqual({
      kind: { image: 1, document: 1 },
      tag: { x: 2, y: 1 },
      type: { 'image/jpeg': 1, 'text/plain; charset=utf-8': 1 },
    });
  });

  describe('duplicates', () => {
    test('are files of equal bytes, a page at a time', async () => {
      await put('a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'e.jpg', 'f.jpg');
      const hashes = ['11', '22', '11', '22', '33', '11'];
      for (const [n, sha256] of hashes.entries()) await describeAs(`${'abcdef'[n]}.jpg`, { sha256 });
      const first = await catalog.search.duplicates(1);
      expect(first.groups.map(({ assets }) => assets.map(({ path }) => path))).toEqual([['a.jpg', 'c.jpg', 'f.jpg']]);
      expect(first.groups[0]?.wastedBytes).toBe(1 + 3 + 6 - 1);
      const second = await catalog.search.duplicates(1, first.next);
      expect(second).toMatchObject({ groups: [{ assets: [{ path: 'b.jpg' }, { path: 'd.jpg' }] }], next: undefined });
    });

    test('that only look the same differ in three bits at most', async () => {
      await put('a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'e.jpg');
      const hashes = [
        'ffff0000ffff0000',
        '0123456789abcdef',
        'fffe0001fffe0000',
        '0123456789abcde0',
        'ffff0000ffff000f',
      ];
      for (const [n, perceptualHash] of hashes.entries()) await describeAs(`${'abcde'[n]}.jpg`, { perceptualHash });
      const { groups, next } = await catalog.search.similar(10);
      expect(groups.map(({ assets, wastedBytes }) => [assets.map(({ path }) => path), wastedBytes])).toEqual([
        [['a.jpg', 'c.jpg'], 1],
      ]);
      expect(next).toBeUndefined();
      const first = await catalog.search.similar(1);
      expect((await catalog.search.similar(1, first.next)).groups).toEqual([]);
    });
  });
}
