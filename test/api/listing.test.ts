import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { type LibraryService, problem, startLibrary } from '../library.ts';
import { TEST_KEY } from '../service.ts';

let service: LibraryService;
beforeAll(async () => {
  service = await startLibrary();
  await service.services.sync.reconciliation.run();
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.clear();
  await service.store('in/a.png', 'in/b.png', 'in/deep/a.png', 'in/deep/er/c.png');
  await service.place('in/note.txt', 'text');
});

async function list(query: string) {
  const answer = await service.call('GET', `/storage?${query}`);
  expect(answer.status, answer.body.toString()).toBe(200);
  const { folders, files, total, nextCursor } = answer.json();
  const paths = [folders, files].flatMap((some) => (some as { path: string }[]).map(({ path }) => path));
  return { paths, total, nextCursor: nextCursor as string | null };
}

describe('GET /storage', () => {
  test('lists files of a kind, and all folders', async () => {
    expect(await list('path=in&kind=document')).toMatchObject({ paths: ['in/deep', 'in/note.txt'], total: 2 });
  });

  test('lists all files below a folder by their own names, page by page', async () => {
    const all = ['in/a.png', 'in/deep/a.png', 'in/b.png', 'in/deep/er/c.png'];
    const whole = await list('path=in&recursive=true&kind=image');
    expect([whole.paths.toSorted(), whole.total]).toEqual([all.toSorted(), 4]);
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await list(`path=in&recursive=true&kind=image&limit=1${cursor && `&cursor=${cursor}`}`);
      found.push(...page.paths);
      cursor = page.nextCursor;
    }
    expect(found).toEqual(whole.paths);
  });

  test('has a thousand files in a page of all files below a folder, and everything in one of one level', async () => {
    const names = Array.from({ length: 1005 }, (_, n) => `many/${String(n).padStart(4, '0')}.txt`);
    await Promise.all(names.map((name) => service.place(name, name)));
    const first = await list('path=many&recursive=true');
    expect(first).toMatchObject({ paths: names.slice(0, 1000), total: 1005, nextCursor: expect.any(String) });
    const next = await list(`path=many&recursive=true&cursor=${first.nextCursor}`);
    expect(next).toMatchObject({ paths: names.slice(1000), nextCursor: null });
    expect(await list('path=many&recursive=true&limit=1005')).toMatchObject({ paths: names, nextCursor: null });
    expect(await list('path=many')).toMatchObject({ paths: names, nextCursor: null });
  });

  test('begins at an offset, and goes on with the cursor', async () => {
    const page = await list('path=in&offset=1&limit=2');
    expect(page).toMatchObject({ paths: ['in/a.png', 'in/b.png'], total: 4 });
    expect(await list(`path=in&cursor=${page.nextCursor}`)).toMatchObject({ paths: ['in/note.txt'], nextCursor: null });
    expect(await list('path=in&offset=9')).toMatchObject({ paths: [], total: 4, nextCursor: null });
  });

  test('with an offset and a cursor, or with a cursor of another listing, is 400', async () => {
    const { nextCursor } = await list('path=in&limit=1');
    for (const more of ['offset=1', 'recursive=true'])
      expect((await service.call('GET', `/storage?path=in&cursor=${nextCursor}&${more}`)).status).toBe(400);
    const wrong = problem('Bad request', 'validation_failed');
    await service.expectAnswer('GET', '/storage?kind=picture', undefined, 400, wrong);
    await service.expectAnswer('GET', '/storage?offset=-1', undefined, 400, wrong);
  });

  test('shows what is said of files', async () => {
    await service.call('PATCH', '/assets/in/a.png', { alt: 'A flag', tags: ['red', 'blue'] });
    const { files } = (await service.call('GET', '/storage?path=in')).json();
    expect(files).toContainEqual(
      expect.objectContaining({
        path: 'in/a.png',
        alt: 'A flag',
        tags: ['blue', 'red'],
        width: null,
        placeholder: null,
        problem: null,
      }),
    );
  });

  test.each(['path=in', 'path=in&recursive=true'])('?%s that has not changed is 304', async (query) => {
    const get = (etag: string) =>
      ask(service.url, `/storage?${query}`, { headers: { 'x-api-key': TEST_KEY, 'if-none-match': etag } });
    const first = await get('');
    const etag = String(first.headers.etag);
    expect(etag).toBe(`"${first.json().version}"`);
    for (const known of [etag, `"x", W/${etag}`, '*']) expect((await get(known)).status).toBe(304);
    await service.call('PATCH', '/assets/in/a.png', { alt: 'Another' });
    const words = await get(etag);
    expect(words.status).toBe(200);
    await service.store('in/new.png');
    expect((await get(String(words.headers.etag))).status).toBe(200);
  });
});
