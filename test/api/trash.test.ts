import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { filmJob } from '../job-queue.ts';
import { isoTime, type LibraryService, picture, problem, startLibrary } from '../library.ts';

let service: LibraryService;

beforeAll(async () => {
  service = await startLibrary({ TRASH_DAYS: '2' });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.clear();
  await service.services.trash.empty();
  await service.store('a.png', 'trips/rome/b.png', 'trips/c.png');
});

const DAY_MS = 24 * 60 * 60 * 1000;
const expectAnswer: LibraryService['expectAnswer'] = (...expected) => service.expectAnswer(...expected);
interface Page {
  items: { id: string; path: string; deletedAt: string; expiresAt: string }[];
  nextCursor: string | null;
}
const get = async <T>(path: string) => (await service.call('GET', path)).json() as T;
const page = (query = '') => get<Page>(`/trash${query}`);
const items = async () => (await page()).items;
const status = async (method: string, path: string, body?: unknown) => (await service.call(method, path, body)).status;
const kept = () => Array.fromAsync(service.services.versions.retained());
const trash = async (path: string, query = '') => {
  const answer = await service.call('DELETE', `/storage/${path}?trash=true${query}`);
  expect(answer.status).toBe(200);
  const [last] = await items();
  if (!last) throw new Error('Expected an item in the trash.');
  return last;
};

describe('DELETE /storage/{path}?trash=true', () => {
  test('moves a file into the trash: it is no more listed, served, counted or downloaded', async () => {
    const fileCount = async () => (await get<{ storage: { fileCount: number } }>('/storage/stats')).storage.fileCount;
    await service.call('GET', '/t/w_10,f_png/a.png');
    expect(await fileCount()).toBe(3);
    await expectAnswer('DELETE', '/storage/a.png?trash=true', undefined, 200, {
      success: true,
      message: expect.any(String),
      details: { jobsDeleted: 0, localCacheFilesDeleted: 1, cloudCacheFilesDeleted: 0, errors: [] },
    });
    expect(await service.files()).toEqual(['trips/c.png', 'trips/rome/b.png']);
    for (const path of ['/t/a.png', '/t/w_10,f_png/a.png', '/download/a.png', '/storage/a.png/metadata'])
      expect(await status('GET', path)).toBe(404);
    expect((await get<{ files: unknown }>('/storage')).files).toEqual([]);
    expect((await get<{ files: unknown }>('/storage?search=a.png')).files).toEqual([]);
    expect(await fileCount()).toBe(2);
    expect(await items()).toEqual([
      {
        id: expect.any(String),
        path: 'a.png',
        kind: 'image',
        size: picture('a.png').length,
        deletedAt: isoTime,
        expiresAt: isoTime,
      },
    ]);
  });

  test('removes the jobs of a file', async () => {
    const path = 'a.png' as never;
    await service.services.queue.enqueue(filmJob('k', { path }));
    const answer = await service.call('DELETE', '/storage/a.png?trash=true');
    expect(answer.json()).toMatchObject({ details: { jobsDeleted: 1 } });
  });

  test('of a folder needs recursive=true, and makes one item of all that is in it', async () => {
    await expectAnswer('DELETE', '/storage/trips?trash=true', undefined, 400, problem('Bad request', 'is_a_folder'));
    const item = await trash('trips', '&recursive=true');
    const size = picture('trips/c.png').length + picture('trips/rome/b.png').length;
    expect(item).toMatchObject({ path: 'trips', kind: 'folder', size });
    expect(await service.files()).toEqual(['a.png']);
    expect((await get<{ folders: unknown }>('/storage')).folders).toEqual([]);
    expect(await status('GET', '/t/trips/rome/b.png')).toBe(404);
  });

  test('of what is not there is 404, and of the root 400', async () => {
    await expectAnswer('DELETE', '/storage/none.png?trash=true', undefined, 404, problem('Not found'));
    await expectAnswer('DELETE', '/storage/?trash=true&recursive=true', undefined, 400, problem('Bad request'));
    await expectAnswer('DELETE', '/storage/a.png?trash=yes', undefined, 400, problem('Bad request'));
    expect(await items()).toEqual([]);
  });

  test('leaves the path free for another file', async () => {
    await trash('a.png');
    await service.store('a.png');
    expect(await service.files()).toContain('a.png');
    await trash('a.png');
    expect(await items()).toHaveLength(2);
  });

  test('is no more what a deletion without it is: that is final', async () => {
    await service.call('DELETE', '/storage/a.png');
    await service.call('DELETE', '/storage/trips?recursive=true&trash=false');
    expect(await items()).toEqual([]);
    expect(await kept()).toEqual([]);
  });
});

describe('GET /trash', () => {
  test('shows what was deleted last first, in pages', async () => {
    for (const path of ['a.png', 'trips/c.png', 'trips/rome/b.png']) await trash(path);
    const first = await page('?limit=2');
    expect(first.items).toHaveLength(2);
    expect(first.nextCursor).toEqual(expect.any(String));
    const last = await page(`?limit=2&cursor=${first.nextCursor}`);
    expect(last).toEqual({ items: [expect.anything()], nextCursor: null });
    const paths = [...first.items, ...last.items].map(({ path }) => path);
    expect(paths.toSorted()).toEqual(['a.png', 'trips/c.png', 'trips/rome/b.png']);
  });

  test('says from when an item is removed for good', async () => {
    const { deletedAt, expiresAt } = await trash('a.png');
    expect(Date.parse(expiresAt) - Date.parse(deletedAt)).toBe(2 * DAY_MS);
  });

  test('sorts by deletion, path or size', async () => {
    for (const path of ['a.png', 'trips/rome/b.png', 'trips/c.png']) await trash(path);
    const sorted = async (query: string) => {
      const first = await page(`?limit=2&${query}`);
      const last = await page(`?limit=2&${query}&cursor=${first.nextCursor}`);
      expect(last.nextCursor).toBeNull();
      return [...first.items, ...last.items].map(({ path }) => path);
    };
    expect(await sorted('sort=path&order=asc')).toEqual(['a.png', 'trips/c.png', 'trips/rome/b.png']);
    expect(await sorted('sort=path')).toEqual(['trips/rome/b.png', 'trips/c.png', 'a.png']);
    expect(await sorted('sort=size&order=asc')).toEqual(['a.png', 'trips/c.png', 'trips/rome/b.png']);
    expect((await sorted('sort=deleted&order=asc')).toReversed()).toEqual(await sorted('sort=deleted'));
    const { nextCursor } = await page('?limit=2&sort=path');
    for (const other of ['', '&sort=size', '&sort=path&order=asc']) {
      const answer = await service.call('GET', `/trash?cursor=${nextCursor}${other}`);
      expect([answer.status, answer.json().code]).toEqual([400, 'invalid_cursor']);
    }
  });

  test('refuses wrong values', async () => {
    for (const query of ['limit=0', 'limit=x', 'limit=1001', 'cursor=x', 'cursor=W10', 'sort=name', 'order=up']) {
      expect(await status('GET', `/trash?${query}`)).toBe(400);
    }
  });
});

describe('GET /trash/{id}/preview', () => {
  test('is a small image of the file, which nobody else may store', async () => {
    const { id } = await trash('a.png');
    for (let request = 0; request < 2; request++) {
      const { status, headers, body } = await service.call('GET', `/trash/${id}/preview`);
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'image/webp',
        'private, max-age=86400, immutable',
      ]);
      expect(await sharp(body).metadata()).toMatchObject({ format: 'webp' });
    }
    expect((await ask(service.url, `/trash/${id}/preview`)).status).toBe(401);
    await service.call('POST', `/trash/${id}/restore`);
    expect(await status('GET', `/trash/${id}/preview`)).toBe(404);
  });

  test('there is none of folders, of other files, and of unknown items', async () => {
    const folder = await trash('trips', '&recursive=true');
    await service.place('notes.txt', 'text');
    const document = await trash('notes.txt');
    for (const { id } of [folder, document])
      await expectAnswer('GET', `/trash/${id}/preview`, undefined, 404, problem('Not found', 'not_found'));
    for (const unknown of ['x', '%00'])
      await expectAnswer(
        'GET',
        `/trash/${unknown}/preview`,
        undefined,
        404,
        problem('Not found', 'trash_item_not_found'),
      );
  });

  test('of an image that cannot be decoded is 422', async () => {
    const form = new FormData();
    form.append('files', new Blob([Buffer.from('ffd8ffe000104a464946000101', 'hex')]), 'broken.jpg');
    expect((await service.authorized('/upload', { method: 'POST', body: form })).status).toBe(200);
    const { id } = await trash('broken.jpg');
    const refusal = problem(expect.any(String) as unknown as string, 'unprocessable_media');
    await expectAnswer('GET', `/trash/${id}/preview`, undefined, 422, refusal);
  });
});

describe('POST /trash/{id}/restore', () => {
  test('brings a file back with its bytes', async () => {
    const { id } = await trash('a.png');
    await expectAnswer('POST', `/trash/${id}/restore`, undefined, 200, { success: true, path: 'a.png' });
    expect((await service.call('GET', '/t/a.png')).body).toEqual(picture('a.png'));
    expect(await items()).toEqual([]);
    expect(await kept()).toEqual([]);
    await expectAnswer('POST', `/trash/${id}/restore`, undefined, 404, problem('Not found', 'trash_item_not_found'));
  });

  test('brings a folder back with all that is in it', async () => {
    const { id } = await trash('trips', '&recursive=true');
    await expectAnswer('POST', `/trash/${id}/restore`, undefined, 200, { success: true, path: 'trips' });
    expect(await service.files()).toEqual(['a.png', 'trips/c.png', 'trips/rome/b.png']);
    expect((await service.call('GET', '/t/trips/rome/b.png')).body).toEqual(picture('trips/rome/b.png'));
    expect(await items()).toEqual([]);
  });

  test('gives a name that is taken a number', async () => {
    const file = await trash('a.png');
    const folder = await trash('trips', '&recursive=true');
    await service.store('a.png', 'trips/new.png');
    await expectAnswer('POST', `/trash/${file.id}/restore`, undefined, 200, { success: true, path: 'a (1).png' });
    await expectAnswer('POST', `/trash/${folder.id}/restore`, undefined, 200, { success: true, path: 'trips (1)' });
    expect(await service.files()).toEqual([
      ...['a (1).png', 'a.png', 'trips (1)/c.png', 'trips (1)/rome/b.png', 'trips/new.png'],
    ]);
  });

  test('makes a folder again that is missing', async () => {
    const { id } = await trash('trips/rome/b.png');
    await service.call('DELETE', '/storage/trips?recursive=true');
    await expectAnswer('POST', `/trash/${id}/restore`, undefined, 200, { success: true, path: 'trips/rome/b.png' });
    expect(await service.files()).toEqual(['a.png', 'trips/rome/b.png']);
  });

  test('is 400 when a file stands where its folder was', async () => {
    await service.store('x.png/c.png');
    const { id } = await trash('x.png/c.png');
    await service.call('DELETE', '/storage/x.png?recursive=true');
    await service.store('x.png');
    const refusal = problem('Bad request', 'invalid_destination');
    await expectAnswer('POST', `/trash/${id}/restore`, undefined, 400, refusal);
    expect(await items()).toMatchObject([{ id, path: 'x.png/c.png' }]);
  });

  test('brings the versions back, too', async () => {
    await service.call('PUT', '/storage/trips/c.png', picture('new'));
    const versions = async () => (await get<{ versions: unknown[] }>('/storage/trips/c.png/versions')).versions;
    const before = await versions();
    expect(before).toHaveLength(1);
    for (const [path, query] of [
      ['trips/c.png', ''],
      ['trips', '&recursive=true'],
    ] as const) {
      const { id } = await trash(path, query);
      expect(await status('POST', `/trash/${id}/restore`)).toBe(200);
      expect((await service.call('GET', '/t/trips/c.png')).body).toEqual(picture('new'));
    }
    expect(await versions()).toEqual(before);
  });
});

describe('DELETE /trash', () => {
  test('/{id} deletes one item for good, with its versions', async () => {
    await service.call('PUT', '/storage/trips/c.png', picture('new'));
    const { id } = await trash('trips', '&recursive=true');
    await trash('a.png');
    await expectAnswer('DELETE', `/trash/${id}`, undefined, 200, { success: true, message: expect.any(String) });
    expect((await items()).map(({ path }) => path)).toEqual(['a.png']);
    expect(await kept()).toHaveLength(1);
    for (const unknown of [id, 'x', '%00']) {
      await expectAnswer('DELETE', `/trash/${unknown}`, undefined, 404, problem('Not found', 'trash_item_not_found'));
    }
  });

  test('deletes everything in it', async () => {
    await trash('a.png');
    await trash('trips', '&recursive=true');
    const answer = { success: true, message: expect.any(String), itemsDeleted: 2 };
    await expectAnswer('DELETE', '/trash', undefined, 200, answer);
    expect(await items()).toEqual([]);
    expect(await kept()).toEqual([]);
    await expectAnswer('DELETE', '/trash', undefined, 200, { ...answer, itemsDeleted: 0 });
  });

  test('happens by itself after TRASH_DAYS', async () => {
    await trash('a.png');
    const { sweep } = service.services;
    await sweep.run(Date.now() + 1.9 * DAY_MS);
    expect(await items()).toHaveLength(1);
    await sweep.run(Date.now() + 2.1 * DAY_MS);
    expect(await items()).toEqual([]);
    expect(await kept()).toEqual([]);
  });
});
