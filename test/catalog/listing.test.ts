import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createListing, type Listing, type ListingPage } from '../../src/library/listing.ts';
import { ORDERS, SORTS } from '../../src/library/listing-order.ts';
import { parsePath, type StoragePath } from '../../src/path.ts';
import { openCatalog } from './rig.ts';
import { createDiskWorld } from './worlds.ts';

const LETTERS = [
  'a',
  'B',
  'b',
  '0',
  '9',
  'ß',
  'é',
  'Ω',
  'я',
  '字',
  '\ufb01',
  '\uffee',
  '𝒜',
  '📷',
  ' ',
  '.',
  '-',
  '%',
  '_',
  "'",
];
const name = fc
  .array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 6 })
  .map((letters) => letters.join('').normalize('NFC'))
  .filter((text) => text.trim() !== '' && !/^\.+$/.test(text));
const entry = fc.record({ name, size: fc.nat(3), time: fc.nat(3), isFolder: fc.boolean() });
const asking = fc.record({
  sort: fc.constantFrom(...SORTS),
  order: fc.constantFrom(...ORDERS),
  search: fc.option(fc.constantFrom('a', 'B', 'É', 'ω', '%', '_', '📷', ''), { nil: undefined }),
  limit: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
});

/** Reads all pages. */
async function pages(listing: Listing, request: Omit<Parameters<Listing['list']>[0], 'path'>): Promise<ListingPage[]> {
  const path = parsePath('f');
  const found: ListingPage[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await listing.list({ path, cursor, ...request });
    found.push(page);
    if (page.nextCursor === null) return found;
    cursor = page.nextCursor;
  }
}

test('a listing from the catalog is byte for byte what reading and sorting the folder gives, page by page', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { maxLength: 15 }),
      fc.array(asking, { minLength: 3, maxLength: 6 }),
      async (entries, askings) => {
        const world = await createDiskWorld();
        const store = await world.open();
        const catalog = openCatalog(world, store);
        try {
          for (const { name: called, size, time, isFolder } of entries) {
            const path = isFolder ? `f/${called}/x` : `f/${called}`;
            const done = world.foreign({ type: 'write', path }, Buffer.alloc(size));
            if (
              await done.then(
                () => !isFolder,
                () => false,
              )
            )
              await utimes(join(world.root, path), time, time);
          }
          await catalog.reconciliation.run();
          const fromRows = createListing({ store, sync: catalog });
          const asBefore: Pick<typeof catalog, 'rows' | 'revalidate'> = {
            rows: catalog.rows,
            revalidate: async () => 'store',
          };
          const fromStore = createListing({ store, sync: asBefore });
          for (const request of askings)
            expect(await pages(fromRows, request)).toEqual(await pages(fromStore, request));
          expect(await fromRows.folders()).toEqual(await fromStore.folders());
        } finally {
          await catalog.close();
          await world.close();
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('a recursive listing looks at the folders below for its first page, not again for each later one', async () => {
  const world = await createDiskWorld();
  const store = await world.open();
  const catalog = openCatalog(world, store);
  try {
    for (const path of ['f/a.png', 'f/g/b.png', 'f/h/c.png'])
      await world.foreign({ type: 'write', path }, Buffer.from('x'));
    await catalog.reconciliation.run();
    const revalidate = vi.fn((...of: Parameters<typeof catalog.revalidate>) => catalog.revalidate(...of));
    const listing = createListing({ store, sync: { rows: catalog.rows, revalidate } });
    expect(await pages(listing, { sort: 'name', order: 'asc', recursive: true, limit: 1 })).toHaveLength(3);
    expect(revalidate.mock.calls.map(([, options]) => options?.isDeep)).toEqual([true, false, false]);
  } finally {
    await catalog.close();
    await world.close();
  }
});

test.each(ORDERS)(
  'by dimensions (%s), a listing comes from the rows, also while they are not current',
  async (order) => {
    const world = await createDiskWorld();
    const store = await world.open();
    const catalog = openCatalog(world, store);
    try {
      for (const name of ['a', 'b', 'c'])
        await world.foreign({ type: 'write', path: `f/${name}.png` }, Buffer.from('x'));
      await catalog.reconciliation.run();
      await world.database.db.updateTable('asset').set({ width: 2, height: 3 }).execute();
      let isFirst = true;
      const revalidate = async () => {
        const found = isFirst ? 'store' : 'rows';
        isFirst = false;
        return found as 'store' | 'rows';
      };
      const listing = createListing({ store, sync: { rows: catalog.rows, revalidate } });
      const found = await pages(listing, { sort: 'dimensions', order, limit: 1 });
      expect(found.flatMap(({ files }) => files.map(({ name }) => name)).toSorted()).toEqual([
        'a.png',
        'b.png',
        'c.png',
      ]);
    } finally {
      await catalog.close();
      await world.close();
    }
  },
);

test('what others do on the disk is in the next listing, and a folder they leave alone is not read again', async () => {
  const world = await createDiskWorld();
  const store = await world.open();
  let reads = 0;
  const scan = store.scan.bind(store);
  store.scan = (folder, options) => {
    reads++;
    return scan(folder, options);
  };
  const catalog = openCatalog(world, store);
  const listing = createListing({ store, sync: catalog });
  const show = async (folder = '') => {
    const page = await listing.list({ path: folder as StoragePath, sort: 'name', order: 'asc' });
    return [...page.folders, ...page.files].map(({ path }) => path);
  };
  const writes = catalog.changes();
  const own = (path: string) =>
    writes.write(
      parsePath(path),
      (async function* () {
        yield Buffer.from(path);
      })(),
    );
  try {
    await own('f/first.png');
    await catalog.reconciliation.run();
    expect(await show('f')).toEqual(['f/first.png']);
    reads = 0;
    for (let n = 0; n < 5; n++) await own(`f/${n}.png`);
    await own('f/g/deep.png');
    expect(await show('f')).toHaveLength(7);
    expect(await show('f/g')).toEqual(['f/g/deep.png']);
    expect(reads).toBe(0);
    await world.foreign({ type: 'write', path: 'f/theirs.png' }, Buffer.from('x'));
    expect(await show('f')).toContain('f/theirs.png');
    expect(reads).toBe(1);
    await world.foreign({ type: 'move', path: 'f/theirs.png', to: 'f/moved.png' }, Buffer.alloc(0));
    await world.foreign({ type: 'removeFolder', path: 'f/g' }, Buffer.alloc(0));
    expect(await show('f')).not.toContain('f/theirs.png');
    expect(await show('f')).not.toContain('f/g');
    expect(await show('f/g')).toEqual([]);
  } finally {
    await catalog.close();
    await world.close();
  }
});
