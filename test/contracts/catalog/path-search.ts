import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ListingRequest, listsFolders } from '../../../src/catalog/catalog-store.ts';
import { isFoundPath } from '../../../src/catalog/path-words.ts';
import { ORDERS, type Row, SORTS, sortRows } from '../../../src/library/listing-order.ts';
import { parentOf, withFoldersAbove } from '../../../src/path.ts';
import { at, type CatalogBench, described, file } from './bench.ts';

const part = fc.constantFrom('img', '0012', 'Kyōto', 'KYO', 'a', '_', '%', '"', "'", '京都', '📷', ' ', '-', 'ﬁ', '\\');
const name = fc
  .array(part, { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('').normalize('NFC'))
  .filter((text) => text.trim() === text && !text.includes('\\'));
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const search = fc.array(fc.oneof(part, name), { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));

/** Tests searches by parts of names and of the folders above them. */
export function pathSearching(bench: () => CatalogBench): void {
  const names = async (request: Partial<ListingRequest>) => {
    const all = { folder: at(''), sort: 'name', order: 'asc', limit: 1000, ...request } as const;
    const { catalog } = bench();
    const { folders, files } = await catalog.listing.page(all);
    expect(await catalog.listing.total(all)).toBe(folders.length + files.length);
    return [...folders, ...files].map(({ path }) => path);
  };
  const put = (...paths: string[]) => bench().catalog.files.put(paths.map((one) => file(one)));

  test('finds parts of words, in any case, with or without accents, in names and folders', async () => {
    await put('DCIM/IMG_0012.jpg', 'DCIM/IMG_0013.jpg', 'trips/Kyōto 2024/temple.jpg', 'img.txt', 'x/12/img.png');
    const everywhere = (text: string) => names({ search: text, recursive: true });
    expect(await everywhere('img 12')).toEqual(['x/12/img.png', 'DCIM/IMG_0012.jpg'].sort(byName));
    expect(await everywhere('kyo')).toEqual(['trips/Kyōto 2024', 'trips/Kyōto 2024/temple.jpg']);
    expect(await everywhere('KYŌ tem')).toEqual(['trips/Kyōto 2024/temple.jpg']);
    expect(await everywhere('trips/temple')).toEqual(['trips/Kyōto 2024/temple.jpg']);
    expect(await everywhere('2024 trips')).toEqual(['trips/Kyōto 2024', 'trips/Kyōto 2024/temple.jpg']);
    expect(await everywhere('img nothing')).toEqual([]);
    expect(await names({ search: 'kyo' })).toEqual([]);
    expect(await names({ search: 'kyo', folder: at('trips') })).toEqual(['trips/Kyōto 2024']);
    expect(await names({ search: 'kyo', folder: at('trips/Kyōto 2024'), recursive: true })).toEqual([]);
  });

  test('has no folders with a kind or another condition, and finds nothing without a word', async () => {
    await put('red/red.jpg', 'red/red.mp4', 'red.jpg');
    const below = { recursive: true, search: 'red' } as const;
    expect(await names(below)).toEqual(['red', 'red/red.jpg', 'red.jpg', 'red/red.mp4']);
    expect(await names({ ...below, kind: 'video' })).toEqual(['red/red.mp4']);
    expect(await names({ ...below, conditions: { size: { min: 1 } } })).toHaveLength(3);
    expect(await names({ ...below, conditions: { size: { min: 2 } } })).toEqual([]);
    expect(await names({ recursive: true, search: ' / ' })).toEqual([]);
    expect(await names({ recursive: true, search: 'r\0d' })).toEqual([]);
    expect(await names({ recursive: true, search: '' })).toHaveLength(3);
  });

  test('follows files that are renamed, moved, replaced and removed, and folders that are moved', async () => {
    const { catalog } = bench();
    const found = (text: string) => names({ search: text, recursive: true });
    await put('summer/beach.jpg', 'summer/boat.jpg');
    await catalog.files.move(at('summer/beach.jpg'), file('summer/lake.jpg'));
    expect([await found('beach'), await found('lake')]).toEqual([[], ['summer/lake.jpg']]);
    await catalog.folders.move(at('summer'), at('year/winter'));
    expect([await found('summer'), await found('winter boat')]).toEqual([[], ['year/winter/boat.jpg']]);
    await catalog.files.copy(at('year/winter/boat.jpg'), file('ship.jpg'));
    await catalog.files.remove([at('year/winter/boat.jpg')]);
    expect([await found('boat'), await found('ship')]).toEqual([[], ['ship.jpg']]);
    await catalog.files.put([file('new harbour.jpg')], { mayIndexLater: true });
    expect(await found('harb')).toEqual(['new harbour.jpg']);
    await catalog.makeSearchable(100);
    expect(await found('harb')).toEqual(['new harbour.jpg']);
  });

  test('finds the same as a comparison of all paths, in any order and page by page', async () => {
    const request = fc.record({
      search,
      recursive: fc.boolean(),
      sort: fc.constantFrom(...SORTS),
      order: fc.constantFrom(...ORDERS),
      limit: fc.integer({ min: 1, max: 4 }),
      folder: fc.constantFrom('', 'img', 'a'),
    });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(path, { maxLength: 12 }), request, async (paths, { folder, ...asked }) => {
        const { catalog } = bench();
        await catalog.folders.remove(at(''));
        const folders = new Set(
          paths.flatMap((one) => withFoldersAbove(parentOf(at(one)))).filter((one) => one !== ''),
        );
        const files = paths.filter((one) => !folders.has(at(one)));
        await catalog.files.put(
          files.map((one, n) => file(one, { size: n % 3, createdAt: new Date(n % 2), modifiedAt: new Date(0) })),
        );
        const scope = at(folder);
        const isIn = (one: string) =>
          asked.recursive ? one.startsWith(folder && `${folder}/`) && one !== folder : parentOf(at(one)) === scope;
        const found = (one: string, isFolder: boolean) =>
          isIn(one) && isFoundPath(asked.search, at(one), scope, isFolder);
        const rows: Row[] = [
          ...[...folders].filter((one) => listsFolders(asked) && found(one, true)).map((one) => row(one, 0, 0, true)),
          ...files.flatMap((one, n) => (found(one, false) ? [row(one, n % 3, n % 2, false)] : [])),
        ];
        const expected = (await sortRows(rows, asked)).map((one) => one.path);
        const paged: string[] = [];
        for (let offset = 0; ; offset += asked.limit) {
          const page = await catalog.listing.page({ ...asked, folder: scope, offset });
          paged.push(...[...page.folders, ...page.files].map((one) => one.path));
          if (page.folders.length + page.files.length < asked.limit) break;
        }
        // Files of one name and value are in the order of their ids.
        expect(asked.recursive ? paged.toSorted() : paged).toEqual(asked.recursive ? expected.toSorted() : expected);
        expect(await catalog.listing.total({ ...asked, folder: scope })).toBe(expected.length);
        const assets = await catalog.search.page({ ...asked, folder: scope, sort: 'name', limit: 200 });
        expect(assets.assets.map((one) => one.path).toSorted()).toEqual(
          rows.flatMap((one) => (one.isFolder ? [] : [one.path])).toSorted(),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('combines with conditions: without tags, without an alternative text, that cannot be decoded', async () => {
    const { catalog } = bench();
    const etag = 'one';
    const [one, two] = await catalog.files.put([
      file('a/one.jpg'),
      file('a/two.jpg'),
      file('three.jpg'),
      file('n.pdf'),
    ]);
    await catalog.words.patch(at('a/one.jpg'), { tags: ['red'], alt: 'A boat' });
    await catalog.words.patch(at('three.jpg'), { alt: 'A house' });
    await catalog.descriptions.store(one ?? 0, etag, described({ codec: 'jpeg', width: 1, height: 1 }));
    await catalog.descriptions.store(two ?? 0, etag, described({ codec: 'jpeg', problem: 'It ends too early.' }));
    const all = { recursive: true } as const;
    const conditions = [{ isUntagged: true }, { hasNoAlt: true }, { isUndecodable: true }];
    const found = await Promise.all(conditions.map((some) => names({ ...all, conditions: some })));
    expect(found).toEqual([['n.pdf', 'three.jpg', 'a/two.jpg'], ['n.pdf', 'a/two.jpg'], ['a/two.jpg']]);
    expect(await names({ ...all, search: 'thr', conditions: { isUntagged: true } })).toEqual(['three.jpg']);
    expect(await names({ ...all, conditions: { terms: 'boa' } })).toEqual(['a/one.jpg']);
    expect(await names({ ...all, search: 'a/', conditions: { terms: 'red one' } })).toEqual(['a/one.jpg']);
    expect(await names({ ...all, conditions: { terms: '%' } })).toEqual([]);
    const filter = { ...all, folder: at(''), isUntagged: true, search: 'jpg' };
    expect(await catalog.search.total(filter, false, 100)).toBe(2);
    expect((await catalog.search.facets(filter, false)).type).toEqual({ 'image/jpeg': 2 });
    expect(await catalog.search.total({ search: 'a', text: 'one' }, false, 100)).toBe(1);
  });
}

const byName = (one: string, other: string) =>
  one.slice(one.lastIndexOf('/')) < other.slice(other.lastIndexOf('/')) ? -1 : 1;

const row = (path: string, size: number, created: number, isFolder: boolean): Row => ({
  path: at(path),
  size,
  created,
  isFolder,
  mtime: 0,
  pixels: 0,
});
