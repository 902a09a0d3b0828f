import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { type LibraryService, startLibrary } from '../library.ts';

const CROP = '/t/w_10,h_4,c_fill,f_png/a.png';

let service: LibraryService;
beforeAll(async () => {
  // Only the change itself may cause another lookup.
  service = await startLibrary({ ORIGINAL_CHECK_INTERVAL_MS: '3600000', CDN_TAGS: 'true' });
});
afterAll(() => service.close());
beforeEach(() => service.clear());

const setPoint = (focal: unknown) => service.call('PATCH', '/assets/a.png', { focal });
const crop = async (etag?: string) => ask(service.url, CROP, { headers: etag ? { 'if-none-match': etag } : {} });

test('a point that is set changes the crops that name no gravity at once, and their ETags', async () => {
  await service.store('a.png');
  const before = await crop();
  // Once more, so that it is served from memory.
  expect((await crop()).headers.etag).toBe(before.headers.etag);
  await setPoint({ x: 0, y: 0 });
  const top = await crop(before.headers.etag);
  expect(top.status).toBe(200);
  expect(top.headers.etag).not.toBe(before.headers.etag);
  expect(top.body).not.toEqual(before.body);
  expect(top.headers['cache-tag']).toEqual(before.headers['cache-tag']);
  await setPoint({ x: 0, y: 1 });
  expect((await crop()).body).not.toEqual(top.body);
  await setPoint(null);
  expect((await crop()).body).toEqual(before.body);
});

test('a point moves along with its file', async () => {
  await service.store('b.png');
  await service.call('PATCH', '/assets/b.png', { focal: { x: 0, y: 0 } });
  const point = await ask(service.url, '/t/w_10,h_4,c_fill,g_fp:0:0,f_png/b.png');
  const stored = await ask(service.url, '/t/w_10,h_4,c_fill,g_focal,f_png/b.png');
  expect(stored.body).toEqual(point.body);
});

test('delivery goes on without the tables of the catalog', async () => {
  await service.store('a.png', 'never-asked-for.png');
  const before = await crop();
  const { db } = service.services.database;
  await db.schema.alterTable('asset').renameTo('asset_away').execute();
  try {
    service.services.originals.invalidate();
    expect((await crop()).body).toEqual(before.body);
    const other = await ask(service.url, '/t/w_10,h_4,c_fill,f_png/never-asked-for.png');
    expect(other.status).toBe(200);
  } finally {
    await db.schema.alterTable('asset_away').renameTo('asset').execute();
  }
});
