import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CatalogStore, ListingRequest } from '../../../src/catalog/catalog-store.ts';
import { FORMATS, formatKeyOf } from '../../../src/catalog/format-key.ts';
import { FORMAT } from '../../../src/db/migrations/011-list-order.ts';
import { ORDERS, type Row, SORTS, sortRows } from '../../../src/library/listing-order.ts';
import { MEDIA_TYPES } from '../../../src/media.ts';
import { at, type CatalogBench, described, file } from './bench.ts';

/** Names that sort differently by bytes, by UTF-16 code units and by letters. */
const name = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
    fc
      .array(
        fc.constantFrom('a', 'B', 'ä', 'Ω', '中', '\uffee', '\ue000', '\uf8ff', '😀', '\u{10ffff}', ' ', '-', '0'),
        {
          minLength: 1,
          maxLength: 4,
        },
      )
      .map((parts) => parts.join('')),
  )
  .map((text) => text.normalize('NFC'))
  .filter((text) => !/[/\\\0]/.test(text) && text !== '.' && text !== '..' && text.isWellFormed());

const NOTHING = { size: 0, mtime: 0, created: 0, pixels: 0 };
const SAME_TIME = { createdAt: new Date(0) };

/** Describes files as of this many pixels; without dimensions where there are none. */
async function describe(catalog: CatalogStore, ids: readonly number[], pixelsOf: (n: number) => number): Promise<void> {
  for (const [n, id] of ids.entries()) {
    const pixels = pixelsOf(n);
    if (pixels > 0) await catalog.descriptions.store(id, 'one', described({ width: pixels, height: 1 }));
  }
}

/** Tests listings of folders. */
export function listing(bench: () => CatalogBench): void {
  const names = async (request: Partial<ListingRequest>) => {
    const all = { folder: at(''), sort: 'name', order: 'asc', limit: 100, ...request } as const;
    const { folders, files } = await bench().catalog.listing.page(all);
    return [...folders, ...files].map(({ path }) => path);
  };

  test('is in the order of texts in JavaScript, whatever the script, sort, page and cursor', async () => {
    const few = fc.integer({ min: 0, max: 2 });
    const entry = fc.record({ name, size: few, time: few, pixels: few });
    const entries = fc.uniqueArray(entry, { selector: (one) => one.name, maxLength: 12 });
    const folders = fc.uniqueArray(name, { maxLength: 5 });
    const request = fc.record({ sort: fc.constantFrom(...SORTS), order: fc.constantFrom(...ORDERS) });
    await fc.assert(
      fc.asyncProperty(entries, folders, request, fc.integer({ min: 1, max: 5 }), async (all, below, order, limit) => {
        const { catalog } = bench();
        await catalog.folders.remove(at('x'));
        for (const one of below) await catalog.folders.add(at(`x/${one}`));
        const ids = await catalog.files.put(
          all.map((one) => file(`x/${one.name}`, { ...SAME_TIME, size: one.size, modifiedAt: new Date(one.time) })),
        );
        await describe(catalog, ids, (n) => all[n]?.pixels ?? 0);
        const rows: Row[] = [
          ...below.map((one) => ({ ...NOTHING, path: at(`x/${one}`), isFolder: true })),
          ...all.map(({ name, size, time, pixels }) => ({
            ...NOTHING,
            path: at(`x/${name}`),
            isFolder: false,
            size,
            pixels,
            mtime: time,
          })),
        ];
        const expected = (await sortRows(rows, order)).map(({ path }) => path);
        const request = { folder: at('x'), ...order, limit };
        const paged: string[] = [];
        for (let after: ListingRequest['after']; ; ) {
          const page = await catalog.listing.page({ ...request, after });
          const folder = page.folders.at(-1);
          const last = page.files.at(-1);
          paged.push(...[...page.folders, ...page.files].map(({ path }) => path));
          if (last) after = { ...last, pixels: (last.width ?? 0) * (last.height ?? 0), isFolder: false };
          else if (folder) after = { isFolder: true, size: 0, modifiedAt: 0, createdAt: 0, pixels: 0, ...folder };
          else break;
        }
        expect(paged).toEqual(expected);
        const { folders, files } = await catalog.listing.page({ ...request, limit: 100, offset: limit });
        expect([...folders, ...files].map(({ path }) => path)).toEqual(expected.slice(limit));
        expect(await catalog.listing.total({ folder: at('x') })).toBe(expected.length);
      }),
      { numRuns: 25 },
    );
  });

  test('by kind has the formats in their order, each by name, and folders first', async () => {
    const { catalog } = bench();
    await catalog.folders.add(at('x'));
    const files = ['a.tiff', 'b.jpg', 'c.psd', 'd.JPEG', 'e.txt', 'f', 'g.mp4', 'h.jfif', 'i.thumbnail', 'j.tif'];
    await catalog.files.put([...files, 'k.ü', 'm.7z'].map((path) => file(path)));
    const byKind = ['m.7z', 'f', 'i.thumbnail', 'k.ü', 'b.jpg', 'd.JPEG', 'h.jfif', 'g.mp4', 'c.psd'];
    const ordered = [...byKind, 'e.txt', 'a.tiff', 'j.tif'];
    expect(await names({ sort: 'kind' })).toEqual(['x', ...ordered]);
    expect(await names({ sort: 'kind', order: 'desc' })).toEqual(['x', ...ordered.toReversed()]);
    expect(await names({ sort: 'kind', recursive: true })).toEqual(ordered);
    expect(await names({ sort: 'kind', recursive: true, search: 'j' })).toEqual(['b.jpg', 'd.JPEG', 'h.jfif', 'j.tif']);
  });

  test('by dimensions has the pixels in their order, and files without any last in both', async () => {
    const { catalog } = bench();
    const paths = ['x/a.jpg', 'x/b.pdf', 'x/c.jpg', 'x/d.jpg', 'x/e.pdf', 'f/g.jpg', 'f/h.jpg'];
    const ids = await catalog.files.put(paths.map((path) => file(path)));
    await describe(catalog, ids, (n) => [3, 0, 1, 2, 0, 9, 0][n] ?? 0);
    const by = (order: 'asc' | 'desc', more: Partial<ListingRequest>) => names({ sort: 'dimensions', order, ...more });
    const ascending = ['x/c.jpg', 'x/d.jpg', 'x/a.jpg', 'x/b.pdf', 'x/e.pdf'];
    const descending = ['x/a.jpg', 'x/d.jpg', 'x/c.jpg', 'x/e.pdf', 'x/b.pdf'];
    expect(await by('asc', { folder: at('x') })).toEqual(ascending);
    expect(await by('desc', { folder: at('x') })).toEqual(descending);
    expect(await by('asc', { folder: at('x'), kind: 'document' })).toEqual(['x/b.pdf', 'x/e.pdf']);
    const all = { recursive: true } as const;
    expect(await by('asc', all)).toEqual([...ascending.slice(0, 3), 'f/g.jpg', 'x/b.pdf', 'x/e.pdf', 'f/h.jpg']);
    expect(await by('desc', all)).toEqual(['f/g.jpg', ...descending.slice(0, 3), 'f/h.jpg', 'x/e.pdf', 'x/b.pdf']);
    expect(await by('asc', { ...all, search: 'x/ pdf' })).toEqual(['x/b.pdf', 'x/e.pdf']);
    expect(await by('asc', { ...all, search: 'h.', folder: at('f') })).toEqual(['f/h.jpg']);
    for (let offset = 0; offset < 8; offset++)
      for (const limit of [1, 2, 3])
        expect(await by('asc', { ...all, offset, limit })).toEqual(
          (await by('asc', all)).slice(offset, offset + limit),
        );
  });

  test('finds parts of names in any case, of files and folders, and files of one kind', async () => {
    const { catalog } = bench();
    await catalog.folders.add(at('Überblick'));
    await catalog.files.put(['ÜBER.jpg', 'x.mp4', 'überall.mp4', 'über_%.txt'].map((path) => file(path)));
    expect(await names({ search: 'ÜbEr'.normalize('NFD') })).toEqual([
      ...['Überblick', 'ÜBER.jpg', 'über_%.txt', 'überall.mp4'],
    ]);
    expect(await names({ search: '_%' })).toEqual(['über_%.txt']);
    expect(await names({ kind: 'video' })).toEqual(['Überblick', 'x.mp4', 'überall.mp4']);
    const totals = [{ search: 'über' }, { kind: 'video' as const }, { search: 'über', kind: 'video' as const }];
    expect(await Promise.all(totals.map((scope) => catalog.listing.total({ folder: at(''), ...scope })))).toEqual([
      4, 3, 2,
    ]);
  });

  test('shows the files of all folders below, and no folders', async () => {
    const { catalog } = bench();
    await catalog.files.put(
      ['a/b.jpg', 'a/c/a.jpg', 'a/c/d/b.jpg', 'a0/x.jpg', 'z.mp4'].map((path, size) => file(path, { size })),
    );
    expect(await names({ folder: at('a'), recursive: true })).toEqual(['a/c/a.jpg', 'a/b.jpg', 'a/c/d/b.jpg']);
    const bySize = { recursive: true, sort: 'size', order: 'desc' } as const;
    expect(await names(bySize)).toEqual(['z.mp4', 'a0/x.jpg', 'a/c/d/b.jpg', 'a/c/a.jpg', 'a/b.jpg']);
    const second = await catalog.files.find(at('a0/x.jpg'));
    expect(await names({ ...bySize, limit: 2, after: { ...second, isFolder: false } as never })).toEqual([
      ...['a/c/d/b.jpg', 'a/c/a.jpg'],
    ]);
    expect(await names({ ...bySize, limit: 2, offset: 3 })).toEqual(['a/c/a.jpg', 'a/b.jpg']);
    expect(await names({ recursive: true, kind: 'video' })).toEqual(['z.mp4']);
    expect(await catalog.listing.total({ folder: at('a'), recursive: true })).toBe(3);
    expect(await catalog.listing.total({ folder: at('a'), recursive: true, search: 'b' })).toBe(2);
  });

  test('of a folder that is not there is empty', async () => {
    const { catalog } = bench();
    expect(await names({ folder: at('none') })).toEqual([]);
    expect(await catalog.listing.total({ folder: at('none') })).toBe(0);
    expect(await catalog.listing.glance(at('none'), 5, 2)).toEqual({ itemCount: 0, isMore: false, previews: [] });
  });

  test('formats of the database are those of cursors, for every extension that has a type or another name', async () => {
    const { catalog, db } = bench();
    const known = MEDIA_TYPES.flatMap(({ extensions }) => extensions);
    const extensions = [...new Set([...known, ...Object.keys(FORMATS), 'abcdefg', 'a-b', ''])];
    await catalog.files.put(extensions.map((extension) => file(`formats/a.${extension}`)));
    const rows = await db
      .selectFrom('asset')
      .select(['name', FORMAT.as('format')])
      .execute();
    expect(rows.length).toBe(extensions.length);
    expect(rows).toEqual(rows.map(({ name }) => ({ name, format: formatKeyOf(name) })));
  });

  test('a glance counts to its ceiling and shows the first pictures and videos, with their descriptions', async () => {
    const { catalog } = bench();
    await catalog.folders.add(at('f/sub'));
    const ids = await catalog.files.put(['f/a.txt', 'f/b.jpg', 'f/c.mp4', 'f/d.png'].map((path) => file(path)));
    const logo = { width: 40, height: 10, placeholder: 'aGFzaA==' };
    await catalog.descriptions.store(ids[1] as number, 'one', described(logo));
    const more = {
      size: 1,
      modifiedAt: Date.UTC(2026, 0, 1),
      width: null,
      height: null,
      placeholder: null,
      problem: null,
    };
    expect(await catalog.listing.glance(at('f'), 5, 2)).toEqual({
      itemCount: 5,
      isMore: false,
      previews: [
        { path: 'f/b.jpg', kind: 'image', ...more, ...logo },
        { path: 'f/c.mp4', kind: 'video', ...more },
      ],
    });
    expect(await catalog.listing.glance(at('f'), 4, 0)).toEqual({ itemCount: 4, isMore: true, previews: [] });
  });
}
