import { readdir } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isoTime, type LibraryService, picture, startLibrary } from '../library.ts';

let service: LibraryService;
beforeEach(async () => {
  service = await startLibrary();
});
afterEach(() => service.close());

const UNAVAILABLE = { error: 'Service unavailable', code: 'database_unavailable', message: expect.any(String) };

/** Metadata of an undescribed file. */
const UNKNOWN = { width: null, height: null, duration: null, placeholder: null, problem: null, tags: [], alt: null };

/** Drops the catalog of a running service. */
async function dropCatalog(): Promise<void> {
  const { db } = service.services.database;
  const names = [
    'asset_tag',
    'asset_words',
    'folder_usage',
    'asset_version',
    'asset_change',
    'asset',
    'folder',
    'trash',
  ];
  for (const name of names) await sql`drop table ${sql.table(name)}`.execute(db);
}

test('without its tables, folders are listed from the storage, changes are 503 before anything is changed, and deliveries go on', async () => {
  await service.store('a.png', 'f/b.png');
  expect((await service.call('GET', '/t/w_5,f_png/a.png')).status).toBe(200);
  await service.services.sync.reconciliation.run();
  await dropCatalog();
  const read = async (path: string) => (await service.call('GET', path)).json();
  expect(await read('/storage')).toMatchObject({
    folders: [{ name: 'f' }],
    files: [{ name: 'a.png', tags: [] }],
    total: 2,
    version: null,
  });
  expect(await read('/storage/folders')).toEqual({ folders: ['f'] });
  expect(await read('/storage/folder-summaries?paths=f')).toMatchObject({ summaries: { f: { itemCount: 1 } } });
  expect(await read('/storage/stats')).toMatchObject({ storage: { fileCount: 2 } });
  const renamed = await service.call('PATCH', '/storage/a.png', { name: 'b.png' });
  expect([renamed.status, renamed.json()]).toEqual([503, UNAVAILABLE]);
  expect((await service.call('DELETE', '/storage/a.png')).status).toBe(503);
  expect(await readdir(service.originals)).toEqual(['a.png', 'f']);
  for (const url of ['/t/a.png', '/t/w_5,f_png/a.png', '/t/w_6,f_png/a.png', '/download/a.png'])
    expect((await service.call('GET', url)).status, url).toBe(200);
  expect((await service.call('GET', '/t/a.png')).body.equals(picture('a.png'))).toBe(true);
});

test('what only the catalog knows is 503 without its tables', async () => {
  await service.store('a.png');
  await dropCatalog();
  const asked: [string, string, object?][] = [
    ['GET', '/assets'],
    ['GET', '/assets?q=a'],
    ['GET', '/assets/a.png'],
    ['GET', '/assets/duplicates?kind=exact'],
    ['GET', '/storage/usage'],
    ['GET', '/storage/a.png/versions'],
    ['GET', '/storage/a.png/versions/00000000-0000-4000-8000-000000000000'],
    ['DELETE', '/storage/a.png?trash=true'],
    ['PUT', '/storage/a.png', picture('new')],
    ['GET', '/trash'],
    ['POST', '/trash/00000000-0000-4000-8000-000000000000/restore'],
    ['DELETE', '/trash'],
    ['GET', '/tags'],
    ['PATCH', '/assets/a.png', { title: 'A' }],
    ['PATCH', '/tags/a', { name: 'b' }],
    ['DELETE', '/tags/a'],
  ];
  for (const [method, path, body] of asked) {
    const answer = await service.call(method, path, body);
    expect([answer.status, answer.json()], `${method} ${path}`).toEqual([503, UNAVAILABLE]);
  }
  expect((await service.call('GET', '/t/a.png')).status).toBe(200);
});

test.each(['a.png', 'f'])(
  '%s goes into the trash whole where a part of the catalog is missing: 503 first, and no words are lost',
  async (path) => {
    await service.store('a.png', 'f/b.png');
    for (const name of ['a.png', 'f/b.png']) await service.call('PATCH', `/assets/${name}`, { alt: name });
    const { db } = service.services.database;
    await db.schema.alterTable('trash').renameTo('trash_away').execute();
    const refused = await service.call('DELETE', `/storage/${path}?trash=true&recursive=true`);
    expect([refused.status, refused.json()]).toEqual([503, UNAVAILABLE]);
    // A reconciliation runs before the change is recovered.
    await service.services.sync.reconciliation.run();
    await db.schema.alterTable('trash_away').renameTo('trash').execute();
    await service.services.sync.settled();
    const { items } = (await service.call('GET', '/trash')).json() as { items: { id: string }[] };
    expect(items).toMatchObject([{ path }]);
    expect((await service.call('GET', `/t/${path === 'f' ? 'f/b.png' : path}`)).status).toBe(404);
    expect((await service.call('POST', `/trash/${items[0]?.id}/restore`)).status).toBe(200);
    expect((await service.call('GET', '/t/a.png')).body.equals(picture('a.png'))).toBe(true);
    for (const name of ['a.png', 'f/b.png'])
      expect((await service.call('GET', `/assets/${name}`)).json()).toMatchObject({ alt: name });
  },
);

test('/health says how far the first index is, and everything is listed from the disk until then', async () => {
  // The first comparison begins after the recovery, so it may be later than one that is requested here.
  await service.services.sync.settled();
  expect((await service.call('GET', '/health')).json()).toMatchObject({ catalog: { state: 'ready', files: 0 } });
  await service.place('f/a.png', picture());
  await service.place('b.txt', 'text');
  const expected = {
    path: '',
    folders: [{ name: 'f', path: 'f' }],
    files: [{ ...UNKNOWN, name: 'b.txt', path: 'b.txt', size: 4, mtime: isoTime, type: 'document' }],
    total: 2,
    version: expect.anything(),
    nextCursor: null,
  };
  await service.expectAnswer('GET', '/storage', undefined, 200, expected);
  // A comparison in progress would complete the index that is invalidated here.
  await service.services.sync.settled();
  await service.services.database.db.deleteFrom('asset').execute();
  await service.services.sync.invalidateIndex();
  expect((await service.call('GET', '/health')).json()).toMatchObject({ catalog: { state: 'indexing' } });
  await service.expectAnswer('GET', '/storage', undefined, 200, { ...expected, version: null });
  await service.expectAnswer('GET', '/storage/folders', undefined, 200, { folders: ['f'] });
  expect((await service.call('GET', '/storage/stats')).json()).toMatchObject({ storage: { fileCount: 2 } });
  await service.call('POST', '/storage/stats/recalculate');
  expect((await service.call('GET', '/health')).json()).toMatchObject({ catalog: { state: 'ready', files: 2 } });
  await service.expectAnswer('GET', '/storage', undefined, 200, expected);
});

test('a file that others have changed in place is noticed when it is opened', async () => {
  await service.place('a.txt', 'before');
  await service.services.sync.reconciliation.run();
  expect((await service.call('GET', '/storage/a.txt/metadata')).json()).toMatchObject({ size: 6 });
  await service.place('a.txt', 'changed since');
  expect((await service.call('GET', '/storage/a.txt/metadata')).json()).toMatchObject({ size: 13 });
  await service.services.sync.settled();
  expect((await service.call('GET', '/storage')).json()).toMatchObject({ files: [{ size: 13 }] });
});

test('without their table, missing files stay missing where no redirect is known, and are 503 where one is', async () => {
  await service.store('new.png');
  const drop = () => sql`drop table redirect`.execute(service.services.database.db);
  const status = async (path: string) => (await service.call('GET', path)).status;
  const missing = ['/t/missing.png', '/t/w_5,f_png/missing.png', '/download/missing.png', '/t/w_5,f_png/old.png'];
  expect((await service.call('POST', '/redirects', { from: 'old.png', to: 'new.png' })).status).toBe(201);
  expect(await status('/t/w_5,f_png/old.png')).toBe(200);
  await drop();
  for (const path of missing) expect([path, await status(path)]).toEqual([path, 503]);
  expect(await status('/t/w_5,f_png/new.png')).toBe(200);
});

test('without their table from the start, missing files are missing', async () => {
  await sql`drop table redirect`.execute(service.services.database.db);
  for (const path of ['/t/missing.png', '/t/w_5,f_png/missing.png', '/download/missing.png'])
    expect([path, (await service.call('GET', path)).status]).toEqual([path, 404]);
});
