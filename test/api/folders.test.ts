import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ListingPage } from '../../src/library/listing.ts';
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

async function createFolder(folder: string | undefined) {
  const form = new FormData();
  form.append(folder === undefined ? 'other' : 'folder', folder ?? '');
  const response = await service.authorized('/upload/createfolder', { method: 'POST', body: form });
  return { status: response.status, body: await response.json() };
}

async function list(query: string): Promise<ListingPage> {
  const answer = await service.call('GET', `/storage${query}`);
  expect(answer.status).toBe(200);
  return answer.json() as unknown as ListingPage;
}

const names = ({ folders, files }: ListingPage) => [...folders, ...files].map(({ name }) => name);

async function allPages(query: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await list(`?${query}${cursor && `&cursor=${cursor}`}`);
    found.push(...names(page));
    cursor = page.nextCursor;
  }
  return found;
}

describe('POST /upload/createfolder', () => {
  test('makes a folder with its parents: 201, then 409', async () => {
    expect(await createFolder('/my trips//rome 1/')).toEqual({
      status: 201,
      body: { success: true, folder: 'my trips/rome 1' },
    });
    for (const folder of ['my trips/rome 1', 'my trips']) {
      const answer = await createFolder(folder);
      expect(answer).toEqual({
        status: 409,
        body: { success: false, folder, error: expect.any(String), code: 'name_taken' },
      });
    }
    await expectAnswer('/storage/folders', 200, { folders: ['my trips', 'my trips/rome 1'] });
  });

  test('409 where a file stands in the way', async () => {
    await service.store('a.png');
    for (const folder of ['a.png', 'a.png/below']) {
      expect(await createFolder(folder)).toEqual({
        status: 409,
        body: { success: false, folder, error: expect.any(String), code: 'name_taken' },
      });
    }
  });

  test.each([
    undefined,
    '',
    '/',
    '..',
    '../up',
    'a/../b',
    'back\\slash',
    'nul\u0000',
    '  ',
    'trips/ ',
    'x'.repeat(256),
  ])('400 for %j', async (folder) => {
    const { status, body } = await createFolder(folder);
    expect([status, body]).toEqual([
      400,
      { error: expect.any(String), code: expect.any(String), message: expect.any(String) },
    ]);
    await expectAnswer('/storage/folders', 200, { folders: [] });
  });

  test('400 for a body that is no form, and for a form with a file', async () => {
    expect((await service.call('POST', '/upload/createfolder', { folder: 'a' })).status).toBe(400);
    const form = new FormData();
    form.append('folder', 'a');
    form.append('files', new Blob([picture() as Uint8Array<ArrayBuffer>]), 'a.png');
    expect((await service.authorized('/upload/createfolder', { method: 'POST', body: form })).status).toBe(400);
    await expectAnswer('/storage/folders', 200, { folders: [] });
  });
});

test('a folder of spaces that another program made can be listed, delivered from, renamed and deleted', async () => {
  await put(' /a.png', '  /b.png');
  expect(names(await list('?path=%20'))).toEqual(['a.png']);
  expect((await service.call('GET', '/t/%20/a.png')).body.toString()).toBe(' /a.png');
  const renamed = await service.call('PATCH', '/storage/%20', { name: 'seen' });
  expect([renamed.status, renamed.json()]).toEqual([200, { success: true, path: 'seen' }]);
  expect((await service.call('DELETE', '/storage/%20%20?recursive=true')).status).toBe(200);
  await expectAnswer('/storage/folders', 200, { folders: ['seen'] });
});

describe('GET /storage', () => {
  test('lists one level: folders, then files, with the type of each', async () => {
    await service.store('b/x.png', 'b/deep/y.png', 'z.png');
    await put('a.mp4', 'note.txt', 'sound.mp3', 'thing.glb');
    const file = (path: string, type: string, size = path.length) => ({
      name: path,
      path,
      size,
      mtime: isoTime,
      type,
      width: null,
      height: null,
      duration: null,
      placeholder: null,
      problem: null,
      tags: [],
      alt: null,
    });
    await expectAnswer('/storage', 200, {
      path: '',
      folders: [{ name: 'b', path: 'b' }],
      files: [
        file('a.mp4', 'video'),
        file('note.txt', 'document'),
        file('sound.mp3', 'audio'),
        file('thing.glb', 'model'),
        file('z.png', 'image', picture('z.png').length),
      ],
      nextCursor: null,
      total: 6,
      version: expect.any(String),
    });
    await expectAnswer('/storage?path=/b/', 200, {
      path: 'b',
      folders: [{ name: 'deep', path: 'b/deep' }],
      files: [{ ...file('b/x.png', 'image', picture('b/x.png').length), name: 'x.png' }],
      nextCursor: null,
      total: 2,
      version: expect.any(String),
    });
  });

  test('of what is no folder is empty', async () => {
    await put('a.png');
    for (const path of ['none', 'a.png', 'none/deep']) {
      await expectAnswer(`/storage?path=${path}`, 200, {
        path,
        folders: [],
        files: [],
        nextCursor: null,
        total: 0,
        version: null,
      });
    }
  });

  test.each([
    ['sort=name', ['f1', 'f2', 'a', 'bb', 'c']],
    ['sort=name&order=desc', ['f2', 'f1', 'c', 'bb', 'a']],
    ['sort=size', ['f1', 'f2', 'a', 'c', 'bb']],
    ['sort=size&order=desc', ['f1', 'f2', 'bb', 'c', 'a']],
    ['search=B', ['bb']],
    ['search=f', ['f1', 'f2']],
    ['search=none', []],
    ['search=', ['f1', 'f2', 'a', 'bb', 'c']],
  ])('?%s gives %j, whole or page by page', async (query, expected) => {
    await put('f1/x', 'f2/x', 'c', 'a', 'bb');
    expect(names(await list(`?${query}`))).toEqual(expected);
    for (const limit of [1, 2, 3, 100]) expect(await allPages(`${query}&limit=${limit}`)).toEqual(expected);
  });

  test('finds files and folders below by parts of their paths, folders first, page by page', async () => {
    await put('DCIM/IMG_0012.txt', 'DCIM/IMG_0013.txt', 'trips/Kyōto/12.txt', 'trips/Kyōto/deep/x.txt', 'kyo.txt');
    // Searches do not look for files that other programs have just added.
    await list('?recursive=true');
    const found = async (query: string) => {
      const { folders, files, total } = await list(`?recursive=true&${query}`);
      const paths = [...folders, ...files].map(({ path }) => path);
      expect(total).toBe(paths.length);
      return paths;
    };
    expect(await found('search=img%2012')).toEqual(['DCIM/IMG_0012.txt']);
    expect(await found('search=KYO')).toEqual([
      ...['trips/Kyōto', 'trips/Kyōto/12.txt', 'kyo.txt', 'trips/Kyōto/deep/x.txt'],
    ]);
    expect(await found('search=kyo%20deep')).toEqual(['trips/Kyōto/deep', 'trips/Kyōto/deep/x.txt']);
    expect(await found('search=kyo&kind=document')).toHaveLength(3);
    expect(await found('search=kyo&path=DCIM')).toEqual([]);
    expect(await found('search=kyo&maxSize=0')).toEqual([]);
    expect(await allPages('recursive=true&search=kyo&limit=1')).toEqual(['Kyōto', '12.txt', 'kyo.txt', 'x.txt']);
    const words = Array.from({ length: 17 }, (_, n) => `w${n}`).join('+');
    const refused = await service.call('GET', `/storage?search=${words}`);
    expect([refused.status, refused.json().code]).toEqual([400, 'validation_failed']);
    expect(refused.json().message).toContain('at most 16 words, received 17');
  });

  test('spaces and slashes at the ends of a search are no words', async () => {
    const words = Array.from({ length: 16 }, (_, n) => `w${n}`).join('+');
    expect(await list(`?search=+${words}/+`)).toMatchObject({ total: 0 });
    const refused = await service.call('GET', `/storage?search=+${words}+w16+`);
    expect(refused.json().message).toContain('at most 16 words, received 17');
  });

  test('a condition that is false is none', async () => {
    await put('a/x.txt', 'b.txt');
    await list('?recursive=true');
    const search = '?recursive=true&search=a';
    const plain = await list(search);
    expect(plain.folders).toHaveLength(1);
    expect(await list(`${search}&untagged=false&withoutAlt=false&undecodable=false`)).toEqual(plain);
    expect((await list(`${search}&untagged=true`)).folders).toEqual([]);
  });

  test('sorts by the time of the last change', async () => {
    await service.store('b.png', 'a.png', 'c.png');
    expect(names(await list('?sort=mtime'))).toEqual(['b.png', 'a.png', 'c.png']);
    expect(await allPages('sort=mtime&order=desc&limit=1')).toEqual(['c.png', 'a.png', 'b.png']);
  });

  test('a page goes on where the last one ended although that file is gone and others came', async () => {
    await service.store('a.png', 'b.png', 'd.png', 'e.png');
    const first = await list('?limit=2');
    expect(names(first)).toEqual(['a.png', 'b.png']);
    await service.call('DELETE', '/storage/b.png');
    await service.store('c.png');
    expect(names(await list(`?limit=2&cursor=${first.nextCursor}`))).toEqual(['c.png', 'd.png']);
  });

  test.each([
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=many',
    'limit=1e1',
    'limit=9999999999999999',
    'limit=1&limit=2',
    'sort=colour',
    'order=up',
    'cursor=nonsense',
    'path=..',
    'path=%00',
  ])('?%s is 400', async (query) => {
    const answer = await service.call('GET', `/storage?${query}`);
    expect([answer.status, answer.json()]).toEqual([
      400,
      { error: expect.any(String), code: expect.any(String), message: expect.any(String) },
    ]);
  });

  test('a cursor belongs to its order', async () => {
    await put('a', 'b');
    const { nextCursor } = await list('?limit=1');
    await expectAnswer(`/storage?sort=size&cursor=${nextCursor}`, 400, problem('Bad request'));
  });
});

describe('GET /storage/folders', () => {
  test('gives every folder, sorted', async () => {
    await put('b/x', 'a/deep/er/x', 'a b/x', 'x');
    await expectAnswer('/storage/folders', 200, { folders: ['a', 'a b', 'a/deep', 'a/deep/er', 'b'] });
  });
});
