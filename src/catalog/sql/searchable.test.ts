import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openDatabase } from '../../db/open.ts';
import type { OpenDatabase } from '../../db/schema.ts';
import { parsePath } from '../../path.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { nameKeyOf } from '../name-key.ts';
import { createSqlCatalog } from './catalog.ts';

let folder: string;
let database: OpenDatabase;
let catalog: CatalogStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-searchable-'));
  database = await openDatabase({ file: join(folder, 'darkroom.db') });
  catalog = createSqlCatalog(database);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await database.close();
  await rm(folder, { recursive: true });
});

const entry = (name: string) => ({
  path: parsePath(name),
  size: 1,
  etag: name,
  createdAt: new Date(),
  modifiedAt: new Date(),
});
const put = async (...names: string[]) => {
  for (const name of names) await catalog.files.put([entry(name)], { mayIndexLater: true });
};
const waiting = async () => {
  const rows = await database.db.selectFrom('asset').select('name').where('searchable', '=', 0).orderBy('id').execute();
  return rows.map(({ name }) => name);
};
const find = async (text: string) => {
  const { assets } = await catalog.search.page({ text, sort: 'name', order: 'asc', limit: 10 });
  return assets.map(({ path }) => path);
};

test('a new file that may be indexed later waits, any other does not', async () => {
  await put('one.jpg');
  await catalog.files.put([entry('two.jpg')]);
  await catalog.files.put([entry('one.jpg')]);
  expect(await waiting()).toEqual(['one.jpg']);
});

test('a search finds files that wait', async () => {
  await put('red boat.jpg', 'blue boat.jpg', 'house.jpg');
  expect(await find('boat')).toEqual(['blue boat.jpg', 'red boat.jpg']);
  expect(await waiting()).toEqual([]);
  await put('green boat.jpg');
  expect(await catalog.search.total({ text: 'boat' }, false, 10)).toBe(3);
  await put('boat.png');
  expect((await catalog.search.facets({ text: 'boat' }, false)).type).toEqual({ 'image/jpeg': 3, 'image/png': 1 });
});

test('a listing with terms finds files that wait, and has no version while some do', async () => {
  const request = { folder: parsePath(''), recursive: true, conditions: { terms: 'boat' } };
  const page = { ...request, sort: 'name', order: 'asc', limit: 10 } as const;
  const version = (terms?: string) => catalog.listing.version(request.folder, true, terms);
  await put('boat.jpg', 'house.jpg');
  expect((await catalog.listing.page(page)).files.map(({ path }) => path)).toEqual(['boat.jpg']);
  await put('red boat.jpg');
  expect(await catalog.listing.total(request)).toBe(2);
  await put('blue boat.jpg');
  expect(await version('boat')).toBe(await version());
  expect(await waiting()).toEqual([]);
  await database.db.schema.alterTable('word_trigram').renameTo('gone').execute();
  await put('green boat.jpg');
  expect([await version('boat'), await version()]).toEqual([undefined, expect.any(String)]);
});

test('the index of names follows a version that does not know it', async () => {
  const find = async (search: string) => {
    const request = { folder: parsePath(''), recursive: true, search, sort: 'name', order: 'asc', limit: 10 } as const;
    const { files } = await catalog.listing.page(request);
    return files.map(({ path }) => path);
  };
  await put('boat.jpg', 'house.jpg');
  const rows = database.db.updateTable('asset').where('name', '=', 'boat.jpg');
  await rows.set({ searchable: 1 }).execute();
  expect([await find('boat'), await find('house')]).toEqual([['boat.jpg'], ['house.jpg']]);
  await rows.set({ name: 'ship.jpg', nameKey: nameKeyOf('ship.jpg'), folded: 'ship.jpg' }).execute();
  expect([await find('boat'), await find('ship')]).toEqual([[], ['ship.jpg']]);
  await database.db.updateTable('asset').set({ searchable: 0 }).execute();
  await database.db.updateTable('asset').set({ searchable: 1 }).execute();
  expect([await find('ship'), await find('house')]).toEqual([['ship.jpg'], ['house.jpg']]);
});

test('a search without words leaves them waiting', async () => {
  await put('boat.jpg');
  expect(await find('')).toEqual(['boat.jpg']);
  expect(await waiting()).toEqual(['boat.jpg']);
});

test('the newest files are indexed first', async () => {
  await put('a.jpg', 'b.jpg', 'c.jpg');
  expect(await catalog.makeSearchable(2)).toBe(2);
  expect(await waiting()).toEqual(['a.jpg']);
});

test('files that are deleted, moved, copied or described while they wait are found as they are', async () => {
  await put('gone boat.jpg', 'old boat.jpg', 'boat.jpg', 'dinghy.jpg');
  await catalog.files.remove([parsePath('gone boat.jpg')]);
  await catalog.files.move(parsePath('old boat.jpg'), entry('new ship.jpg'));
  await catalog.files.copy(parsePath('boat.jpg'), entry('boat copy.jpg'));
  await catalog.words.patch(parsePath('dinghy.jpg'), { title: 'A small boat' });
  expect(await find('boat')).toEqual(['boat copy.jpg', 'boat.jpg', 'dinghy.jpg']);
  expect(await find('ship')).toEqual(['new ship.jpg']);
});

test('a search answers with what is indexed when nothing can be written', async () => {
  await put('red boat.jpg');
  await find('boat');
  await put('blue boat.jpg');
  await database.db.schema.alterTable('word_trigram').renameTo('gone').execute();
  expect(await find('boat')).toEqual(['red boat.jpg']);
  await database.db.schema.alterTable('gone').renameTo('word_trigram').execute();
  expect(await find('boat')).toEqual(['blue boat.jpg', 'red boat.jpg']);
});

test('a search waits for no other change, also when files wait to be indexed', async () => {
  await catalog.files.put([entry('red boat.jpg')]);
  const search = () =>
    database.db.transaction().execute(async () => {
      return find('boat');
    });
  expect(await search()).toEqual(['red boat.jpg']);
  await put('blue boat.jpg');
  expect(await search()).toEqual(['red boat.jpg']);
  expect(await find('boat')).toEqual(['blue boat.jpg', 'red boat.jpg']);
});
