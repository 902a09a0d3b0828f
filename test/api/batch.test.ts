import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ROOT } from '../../src/path.ts';
import { type LibraryService, problem, startLibrary } from '../library.ts';

let service: LibraryService;
beforeAll(async () => {
  service = await startLibrary();
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.clear();
  await service.services.catalog.folders.remove(ROOT);
});

const items = (...paths: string[]) => paths.map((path) => ({ path }));
const ask = (body: object) => service.call('POST', '/storage/batch', body);
const missing = (path: string) => ({ path, error: `There is no file "${path}".`, code: 'file_not_found' });
const tagsOf = async (path: string) => (await service.call('GET', `/assets/${path}`)).json().tags;

describe('POST /storage/batch of items', () => {
  test('moves files and folders, each under a free name', async () => {
    await service.store('a.png', 'folder/b.png', 'to/a.png');
    const answer = await ask({ action: 'move', items: items('a.png', 'folder'), destination: 'to' });
    expect([answer.status, answer.json()]).toEqual([
      200,
      {
        success: true,
        results: [
          { path: 'a.png', newPath: 'to/a (1).png' },
          { path: 'folder', newPath: 'to/folder' },
        ],
        nextCursor: null,
      },
    ]);
    expect(await service.files()).toEqual(['to/a (1).png', 'to/a.png', 'to/folder/b.png']);
  });

  test('what fails says why as the endpoint for one file does, and keeps nothing else from being done', async () => {
    await service.store('a.png', 'b.png', 'folder/c.png');
    const answer = await ask({ action: 'delete', items: items('a.png', 'none.png', 'folder', '../x', '', 'b.png') });
    const one = await service.call('DELETE', '/storage/folder');
    const { message, code } = one.json();
    expect([answer.status, answer.json()]).toEqual([
      207,
      {
        success: false,
        results: [
          { path: 'a.png' },
          { path: 'none.png', error: 'There is no file or folder "none.png".', code: 'not_found' },
          { path: 'folder', error: message, code },
          { path: '../x', error: expect.stringContaining('received "../x"'), code: 'invalid_path' },
          { path: '', error: expect.any(String), code: 'missing_input' },
          { path: 'b.png' },
        ],
        nextCursor: null,
      },
    ]);
    expect(await service.files()).toEqual(['folder/c.png']);
  });

  test('deletes a folder that is said to be one, with all that is in it', async () => {
    await service.store('folder/deep/a.png');
    expect((await ask({ action: 'delete', items: [{ path: 'folder', kind: 'folder' }] })).status).toBe(200);
    expect(await service.files()).toEqual([]);
  });

  test('moves into the trash and back, what was deleted last from a path', async () => {
    await service.store('a.png', 'folder/b.png');
    const both = [{ path: 'a.png' }, { path: 'folder', kind: 'folder' }];
    expect((await ask({ action: 'delete', trash: true, items: both })).status).toBe(200);
    expect(await service.files()).toEqual([]);
    await service.store('a.png');
    const answer = await ask({ action: 'restore', items: items('a.png', 'folder', 'a.png') });
    expect([answer.status, answer.json().results]).toEqual([
      207,
      [
        { path: 'a.png', newPath: 'a (1).png' },
        { path: 'folder', newPath: 'folder' },
        { path: 'a.png', error: expect.any(String), code: 'trash_item_not_found' },
      ],
    ]);
    expect(await service.files()).toEqual(['a (1).png', 'a.png', 'folder/b.png']);
    const folder = await ask({ action: 'restore', folder: '' });
    expect([folder.status, folder.json().message]).toEqual([400, 'In "folder": expected "items" for restore.']);
  });

  test('copies files into a folder, or beside themselves', async () => {
    await service.store('a.png');
    await ask({ action: 'copy', items: items('a.png'), destination: 'to' });
    await ask({ action: 'copy', items: items('a.png') });
    expect(await service.files()).toEqual(['a copy.png', 'a.png', 'to/a.png']);
  });

  test('invalidates variants', async () => {
    await service.store('a.png');
    await service.call('GET', '/t/w_10,f_png/a.png');
    expect((await ask({ action: 'invalidate', items: items('a.png') })).status).toBe(200);
    expect((await service.call('GET', '/assets/a.png')).json()).toMatchObject({ variants: { count: 0 } });
  });

  test('gives tags and takes them away, and says which a file had not, or had', async () => {
    await service.store('a.png', 'b.png');
    await ask({ action: 'tag', tags: ['blue'], items: items('b.png') });
    const tagged = await ask({ action: 'tag', tags: ['red', 'blue'], items: items('a.png', 'none.png', 'b.png') });
    expect(tagged.json().results).toEqual([
      { path: 'a.png', changedTags: ['red', 'blue'] },
      missing('none.png'),
      { path: 'b.png', changedTags: ['red'] },
    ]);
    const untagged = await ask({ action: 'untag', tags: ['red', 'green'], items: items('a.png') });
    expect(untagged.json().results).toEqual([{ path: 'a.png', changedTags: ['red'] }]);
    expect([await tagsOf('a.png'), await tagsOf('b.png')]).toEqual([['blue'], ['blue', 'red']]);
  });

  test('gives no file more than a hundred tags', async () => {
    await service.store('a.png');
    const many = Array.from({ length: 100 }, (_, n) => `tag ${n}`);
    expect((await ask({ action: 'tag', tags: many, items: items('a.png') })).status).toBe(200);
    const one = (await ask({ action: 'tag', tags: ['one more'], items: items('a.png') })).json().results;
    expect(one).toEqual([
      { path: 'a.png', error: 'Expected at most 100 tags, and "a.png" would have 101.', code: 'too_many_items' },
    ]);
  });
});

describe('POST /storage/batch of a folder', () => {
  test('does it with all that the folder shows, but for exceptions', async () => {
    await service.store('in/a.png', 'in/b.png', 'in/deep/c.png', 'other.png');
    const answer = await ask({ action: 'delete', folder: 'in', except: ['in/b.png'] });
    const results = [{ path: 'in/deep' }, { path: 'in/a.png' }];
    expect([answer.status, answer.json()]).toEqual([200, { success: true, results, nextCursor: null }]);
    expect(await service.files()).toEqual(['in/b.png', 'other.png']);
  });

  test('does it with files of a name and of a kind', async () => {
    await service.store('in/photo-1.png', 'in/photo-2.png', 'in/scan.png', 'in/photos/c.png');
    await service.place('in/photo.txt', 'text');
    const answer = await ask({ action: 'move', folder: 'in', search: 'PHOTO', kind: 'image', destination: 'to' });
    expect(answer.json().results).toEqual([
      { path: 'in/photo-1.png', newPath: 'to/photo-1.png' },
      { path: 'in/photo-2.png', newPath: 'to/photo-2.png' },
    ]);
  });

  test('does it with what a search below finds: a found folder as a whole, and each file once', async () => {
    const files = ['x/Kyōto/a.png', 'x/Kyōto/deep/b.png', 'x/kyo.png', 'x/other.png', 'kyo/in.png'];
    await service.store(...files);
    const rule = { folder: '', search: 'kyo', recursive: true, except: ['kyo'] };
    const moved = await ask({ action: 'move', ...rule, destination: 'x/to' });
    expect([moved.status, moved.json().results]).toEqual([
      200,
      [
        { path: 'x/Kyōto', newPath: 'x/to/Kyōto' },
        { path: 'kyo/in.png', newPath: 'x/to/in.png' },
        { path: 'x/kyo.png', newPath: 'x/to/kyo.png' },
      ],
    ]);
    expect(await service.files()).toEqual([
      ...['x/other.png', 'x/to/Kyōto/a.png', 'x/to/Kyōto/deep/b.png', 'x/to/in.png', 'x/to/kyo.png'],
    ]);
    const listed = (await service.call('GET', '/storage?recursive=true&search=kyo&kind=image')).json();
    const paths = (listed.files as { path: string }[]).map(({ path }) => ({ path, changedTags: ['red'] }));
    const tagged = await ask({ action: 'tag', tags: ['red'], folder: '', search: 'kyo', recursive: true });
    expect(tagged.json().results).toEqual(paths);
    const nothing = await ask({ action: 'delete', folder: '', search: ' ', recursive: true });
    expect(nothing.json().results).toEqual([]);
  });

  test('goes on with its cursor where there are many', async () => {
    const names = Array.from({ length: 230 }, (_, n) => `in/${String(n).padStart(3, '0')}.txt`);
    for (const name of names) await service.place(name, name);
    const done: string[] = [];
    let cursor: string | null | undefined;
    let calls = 0;
    do {
      const page = (await ask({ action: 'delete', folder: 'in', ...(cursor && { cursor }) })).json();
      done.push(...(page.results as { path: string }[]).map(({ path }) => path));
      cursor = page.nextCursor as string | null;
      calls++;
    } while (cursor !== null);
    expect([done, calls > 1]).toEqual([names, true]);
    expect(await service.files()).toEqual([]);
  });

  test('does not copy into the folder that it reads', async () => {
    await service.store('in/a.png');
    for (const more of [{}, { destination: 'in' }]) {
      const answer = await ask({ action: 'copy', folder: 'in', ...more });
      expect([answer.status, answer.json()]).toEqual([400, problem('Bad request', 'invalid_destination')]);
    }
  });
});

test.each([
  [
    { action: 'burn', items: items('a') },
    'In "action": expected one of "move", "copy", "delete", "restore", "invalidate", "tag", "untag", received "burn".',
  ],
  [{ action: 'delete' }, 'In the body: expected either "items" or "folder", received neither.'],
  [
    { action: 'delete', items: items('a'), folder: '' },
    'In the body: expected either "items" or "folder", received both.',
  ],
  [
    { action: 'delete', items: items('a'), cursor: 'x' },
    'In "cursor": expected no value in addition to "items", received one.',
  ],
  [{ action: 'delete', items: [] }, /In "items": expected at least 1 entries/],
  [
    { action: 'delete', items: items(...Array.from({ length: 201 }, String)) },
    /In "items": expected at most 200 entries/,
  ],
  [{ action: 'move', items: items('a') }, 'In "destination": expected a folder, received nothing.'],
  [
    { action: 'delete', items: items('a'), destination: 'b' },
    'In "destination": expected nothing for delete, received one.',
  ],
  [
    { action: 'move', items: items('a'), destination: 'b', trash: true },
    'In "trash": expected nothing for move, received a value.',
  ],
  [{ action: 'tag', items: items('a') }, 'In "tags": expected tags, received nothing.'],
  [
    { action: 'move', items: items('a'), destination: 'b', tags: ['c'] },
    'In "tags": expected nothing for move, received tags.',
  ],
  [{ action: 'delete', items: items('a'), now: true }, /expected no field "now"/],
])('POST /storage/batch of %j is 400 that says what is wrong', async (body, message) => {
  const said = typeof message === 'string' ? message : expect.stringMatching(message);
  const wrong = { ...problem('Bad request', 'validation_failed'), message: said };
  await service.expectAnswer('POST', '/storage/batch', body, 400, wrong);
});
