import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CatalogStore, SpaceCatalog } from '../../src/catalog/catalog-store.ts';
import { hiddenPath } from '../../src/catalog/hidden.ts';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { termOf } from '../../src/catalog/sql/space-terms.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { rootedCatalog } from '../../src/spaces/rooted/catalog.ts';
import { createRoot } from '../../src/spaces/rooted/root.ts';
import { at, file } from '../contracts/catalog/bench.ts';
import { addSpace } from '../space-rows.ts';

let folder: string;
let database: OpenDatabase;
let catalog: CatalogStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'space-terms-'));
  database = await openDatabase({ file: join(folder, 'darkroom.db') });
  catalog = createSqlCatalog(database);
  await addSpace(database, 'acme', 'customers/acme');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await database.close();
  await rm(folder, { recursive: true });
});

/** Returns the paths of the files with the term of a space. */
async function pathsWith(space: string): Promise<string[]> {
  const { rows } = await sql<{ path: string }>`
    select folder.path || '/' || asset.name as path from asset join folder on folder.id = asset."folderId"
    where asset.id in (select rowid from asset_words where asset_words match ${`"${termOf(space)}"`}) order by path
  `.execute(database.db);
  return rows.map(({ path }) => path);
}

const put = (...paths: string[]) => catalog.files.put(paths.map((path) => file(path)));
const find = async (text: string, space: SpaceCatalog = rootedCatalog(catalog, createRoot(at('customers/acme')))) => {
  const { assets } = await space.search.page({ text, sort: 'name', order: 'asc', limit: 100 });
  return assets.map(({ path }) => path);
};

describe('the term of a space', () => {
  test('is that of its files, however they came into it', async () => {
    await put('a.jpg', 'customers/b.jpg', 'customers/acme/put.jpg', 'customers/acme2/c.jpg');
    await catalog.files.put([file('customers/acme/later.jpg')], { mayIndexLater: true });
    await catalog.files.copy(at('a.jpg'), file('customers/acme/x/copied.jpg'));
    await catalog.files.move(at('a.jpg'), file('customers/acme/x/moved.jpg'));
    await catalog.words.patch(at('customers/acme/put.jpg'), { title: 'boat' });
    await catalog.makeSearchable(10);
    const names = ['later.jpg', 'put.jpg', 'x/copied.jpg', 'x/moved.jpg'];
    expect(await pathsWith('acme')).toEqual(names.map((name) => `customers/acme/${name}`));
  });

  test('is no term of a file or of a search', async () => {
    await addSpace(database, 'acme-2', 'customers/acme2');
    await put(`customers/acme/${termOf('acme')}.jpg`, 'customers/acme2/boat.jpg');
    expect(await pathsWith('acme')).toEqual([`customers/acme/${termOf('acme')}.jpg`]);
    expect(await pathsWith('acme-2')).toEqual(['customers/acme2/boat.jpg']);
    expect(await pathsWith('2')).toEqual([]);
    for (const text of [termOf('acme-2'), 'acme 2']) {
      expect((await catalog.search.page({ text, sort: 'name', order: 'asc', limit: 9 })).isNear).toBe(true);
      expect(await catalog.search.total({ text }, false, 9)).toBe(0);
    }
  });

  test('narrows a search in the space', async () => {
    const [id = 0] = await put('customers/acme/boat.jpg', 'customers/acme/boat 2.jpg', 'boat.jpg');
    expect(await find('boat')).toEqual(['boat 2.jpg', 'boat.jpg']);
    await sql`insert or replace into asset_words (rowid, strong, weak) values (${id}, 'boat jpg', '')`.execute(
      database.db,
    );
    expect(await find('boat')).toEqual(['boat 2.jpg']);
    expect(await catalog.search.total({ text: 'boat' }, false, 10)).toBe(3);
  });

  test.each(['relevance', 'name'] as const)('leaves the order by %s as it is', async (sort) => {
    await put('customers/acme/boat.jpg', 'customers/acme/other.jpg', 'boat.jpg');
    await catalog.words.patch(at('customers/acme/other.jpg'), { alt: 'a boat' });
    const space = rootedCatalog(catalog, createRoot(at('customers/acme')));
    const { assets } = await space.search.page({ text: 'boat', sort, order: 'asc', limit: 9 });
    expect(assets.map(({ name }) => name)).toEqual(['boat.jpg', 'other.jpg']);
  });
});

describe('files without the term', () => {
  test('of a folder that becomes a space are found, and get it', async () => {
    await put('other/boat.jpg', 'other/a/boat.jpg');
    await addSpace(database, 'other', 'other');
    const space = rootedCatalog(catalog, createRoot(at('other')));
    expect(await find('boat', space)).toEqual(['boat.jpg', 'a/boat.jpg']);
    await catalog.indexSpace(at('other'));
    expect(await find('boat', space)).toEqual(['boat.jpg', 'a/boat.jpg']);
    expect(await pathsWith('other')).toEqual(['other/a/boat.jpg', 'other/boat.jpg']);
  });

  test('get it also when the process was killed after the space was created', async () => {
    await put('other/boat.jpg');
    await addSpace(database, 'other', 'other');
    const restarted = createSqlCatalog(database);
    const space = rootedCatalog(restarted, createRoot(at('other')));
    await vi.waitFor(async () => {
      expect(await find('boat', space)).toEqual(['boat.jpg']);
      expect(await pathsWith('other')).toEqual(['other/boat.jpg']);
    });
  });

  test.each([
    ['from another folder', 'z/trip'],
    ['from the trash', hiddenPath('1', at('trip'))],
  ])('in a folder that is moved into a space %s are found, and get it', async (_where, from) => {
    await put('customers/acme/boat.jpg');
    expect(await find('boat')).toEqual(['boat.jpg']);
    await put(`${from}/boat.jpg`, `${from}/a/boat 2.jpg`);
    await catalog.folders.move(at(from), at('customers/acme/trip'));
    expect(await find('boat')).toEqual(['trip/a/boat 2.jpg', 'boat.jpg', 'trip/boat.jpg']);
    expect(await pathsWith('acme')).toHaveLength(3);
  });

  test('of a later space with the same id are found too', async () => {
    await put('customers/acme/boat.jpg', 'other/boat.jpg');
    expect(await find('boat')).toEqual(['boat.jpg']);
    await database.db.deleteFrom('space').execute();
    await addSpace(database, 'acme', 'other');
    await database.db.updateTable('space').set({ createdAt: '2100-01-01T00:00:00.000Z' }).execute();
    expect(await find('boat', rootedCatalog(catalog, createRoot(at('other'))))).toEqual(['boat.jpg']);
  });

  test('in a folder that is renamed in the space are none', async () => {
    await put('customers/acme/trip/boat.jpg');
    await catalog.folders.move(at('customers/acme/trip'), at('customers/acme/b'));
    expect(await catalog.makeSearchable(10)).toBe(0);
    expect(await find('boat')).toEqual(['b/boat.jpg']);
  });

  test('are no longer found in the space when they have left it', async () => {
    await put('customers/acme/trip/boat.jpg', 'customers/acme/boat.jpg');
    expect(await find('boat')).toHaveLength(2);
    await catalog.folders.move(at('customers/acme/trip'), at('trip'));
    await catalog.files.move(at('customers/acme/boat.jpg'), file('boat.jpg'));
    expect(await find('boat')).toEqual([]);
    expect(await catalog.search.total({ text: 'boat' }, false, 9)).toBe(2);
  });
});
