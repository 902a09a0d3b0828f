import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isoTime, type LibraryService, picture, problem, startLibrary } from '../library.ts';

let service: LibraryService;
beforeAll(async () => {
  service = await startLibrary();
});
afterAll(() => service.close());
beforeEach(() => service.clear());

const expectAnswer = (path: string, status: number, answer: unknown) =>
  service.expectAnswer('GET', path, undefined, status, answer);

/** Writes files like another program; fast, and of any name. */
const put = (...paths: string[]) => Promise.all(paths.map((path) => service.place(path, path)));

describe('GET /storage/folder-summaries', () => {
  const summary = (itemCount: number, previewItems: unknown[] = [], truncated = false) => ({
    itemCount,
    truncated,
    previewItems,
  });

  test('counts what is in each folder, one level deep, and shows up to four pictures and videos', async () => {
    await put(
      'trip/a.jpg',
      'trip/b.MP4',
      'trip/c.txt',
      'trip/d.png',
      'trip/e.webp',
      'trip/f.gif',
      'trip/deep/x.jpg',
      'solo/x.txt',
    );
    await expectAnswer('/storage/folder-summaries?paths=trip,solo,none,/trip/deep', 200, {
      summaries: {
        trip: summary(7, [
          { path: 'trip/a.jpg', type: 'image' },
          { path: 'trip/b.MP4', type: 'video' },
          { path: 'trip/d.png', type: 'image' },
          { path: 'trip/e.webp', type: 'image' },
        ]),
        solo: summary(1),
        none: summary(0),
        '/trip/deep': summary(1, [{ path: 'trip/deep/x.jpg', type: 'image' }]),
      },
    });
  });

  test('has what thumbnails need with details=true', async () => {
    await put('trip/a.jpg', 'trip/b.MP4');
    const unknown = { mtime: isoTime, width: null, height: null, placeholder: null, problem: null };
    await expectAnswer('/storage/folder-summaries?paths=trip&details=true', 200, {
      summaries: {
        trip: summary(2, [
          { path: 'trip/a.jpg', type: 'image', size: 10, ...unknown },
          { path: 'trip/b.MP4', type: 'video', size: 10, ...unknown },
        ]),
      },
    });
    await expectAnswer('/storage/folder-summaries?paths=trip&details=maybe', 400, problem('Bad request'));
  });

  test('counts up to 100', async () => {
    await put(
      ...Array.from({ length: 100 }, (_, n) => `full/${n}`),
      ...Array.from({ length: 70 }, (_, n) => `over/${n}/x`),
    );
    await put(...Array.from({ length: 70 }, (_, n) => `over/${n}.jpg`));
    const answer = (await service.call('GET', '/storage/folder-summaries?paths=full,over')).json();
    expect(answer).toMatchObject({
      summaries: { full: { itemCount: 100, truncated: false }, over: { itemCount: 100, truncated: true } },
    });
  });

  test.each(['', '?paths=', '?paths=,,'])('%s gives none', (query) =>
    expectAnswer(`/storage/folder-summaries${query}`, 200, { summaries: {} }),
  );

  test('at most 200 paths, and none outside', async () => {
    const paths = (count: number) => Array.from({ length: count }, (_, n) => `f${n}`).join(',');
    expect((await service.call('GET', `/storage/folder-summaries?paths=${paths(200)}`)).status).toBe(200);
    await expectAnswer(`/storage/folder-summaries?paths=${paths(201)}`, 400, problem('Bad request'));
    for (const path of ['a,..', 'a,%2e%2e%2fb', '..%2fa', '%00']) {
      expect((await service.call('GET', `/storage/folder-summaries?paths=${path}`)).status).toBe(400);
    }
  });

  test('commas in names: encoded next to literal ones, or alone where such a folder exists', async () => {
    await put('a, b/x.txt', 'a/x.txt', 'a/y.txt', '__proto__/x.txt');
    const count = async (query: string) => {
      const { summaries } = (await service.call('GET', `/storage/folder-summaries?paths=${query}`)).json() as {
        summaries: Record<string, { itemCount: number }>;
      };
      return Object.entries(summaries).map(([path, { itemCount }]) => [path, itemCount]);
    };
    expect(await count('a%2C%20b,a')).toEqual([
      ['a, b', 1],
      ['a', 2],
    ]);
    expect(await count('a%2C+b')).toEqual([['a, b', 1]]);
    expect(await count('a%2C__proto__')).toEqual([
      ['a', 2],
      ['__proto__', 1],
    ]);
  });
});

describe('GET /storage/stats', () => {
  const count = (paths: string[]) => ({
    size: paths.reduce((sum, path) => sum + picture(path).length, 0),
    fileCount: paths.length,
  });

  test('counts originals and variants, at once after every change', async () => {
    const none = { size: 0, fileCount: 0 };
    await expectAnswer('/storage/stats', 200, { storage: none, cache: none, updatedAt: isoTime });
    await service.store('a.png', 'f/b.png');
    const variant = await service.call('GET', '/t/w_10,f_png/a.png');
    const cache = { size: variant.body.length, fileCount: 1 };
    await expectAnswer('/storage/stats', 200, { storage: count(['a.png', 'f/b.png']), cache, updatedAt: isoTime });
    await service.call('DELETE', '/storage/a.png');
    await expectAnswer('/storage/stats', 200, { storage: count(['f/b.png']), cache: none, updatedAt: isoTime });
    const recalculated = await service.call('POST', '/storage/stats/recalculate');
    expect([recalculated.status, recalculated.json()]).toEqual([
      200,
      { storage: count(['f/b.png']), cache: none, updatedAt: isoTime },
    ]);
  });
});
