import { beforeEach, expect, test } from 'vitest';
import type { CatalogStore } from '../../../src/catalog/catalog-store.ts';
import { hiddenFolder, hiddenPath } from '../../../src/catalog/hidden.ts';
import type { NewRedirect, RedirectFilter } from '../../../src/catalog/redirects.ts';
import { at, type CatalogBench, file } from './bench.ts';

/** Tests the redirects of previous paths. */
export function redirecting(bench: () => CatalogBench): void {
  let catalog: CatalogStore;
  beforeEach(() => {
    catalog = bench().catalog;
  });
  const redirect = (from: string, to: string, isFolder = false): NewRedirect => ({
    from: at(from),
    to: at(to),
    isFolder,
    createdAt: 2 ** 40,
  });
  const put = (from: string, to: string, isFolder = false, isGone = true) =>
    catalog.redirects.put(redirect(from, to, isFolder), isGone);
  const all = async () => (await catalog.redirects.page(100)).map(({ from, to }) => [from, to]);
  const find = async (path: string) => (await catalog.redirects.find(at(path)))?.to;

  test('are found by their path, and those of folders by every path below, the nearest first', async () => {
    await put('a', 'x', true);
    await put('a/b/c.jpg', 'y.jpg');
    await put('a/b', 'z', true);
    await put('f.jpg', 'y.jpg');
    expect(await catalog.redirects.find(at('a/b/c.jpg'))).toEqual({
      ...redirect('a/b/c.jpg', 'y.jpg'),
      isTrashed: false,
    });
    expect(await find('a/b/d.jpg')).toBe('z');
    expect(await find('a/d.jpg')).toBe('x');
    expect(await find('a')).toBe('x');
    for (const path of ['ab', 'a.jpg', 'f.jpg/x', 'f', 'A', 'x'])
      expect([path, await find(path)]).toEqual([path, undefined]);
  });

  test('are listed in pages by their path, and counted, also below a folder', async () => {
    for (const from of ['b.jpg', 'a/2.jpg', 'a/1.jpg', 'aa.jpg']) await put(from, 'x.jpg');
    const page = async (limit: number, after?: string, folder?: string) =>
      (
        await catalog.redirects.page(
          limit,
          after === undefined ? undefined : at(after),
          folder === undefined ? undefined : at(folder),
        )
      ).map(({ from }) => from);
    expect(await page(3)).toEqual(['a/1.jpg', 'a/2.jpg', 'aa.jpg']);
    expect(await page(3, 'aa.jpg')).toEqual(['b.jpg']);
    expect(await page(1, undefined, 'a')).toEqual(['a/1.jpg']);
    expect(await page(9, 'a/1.jpg', 'a')).toEqual(['a/2.jpg']);
    expect([await catalog.redirects.count(), await catalog.redirects.count(at('a'))]).toEqual([4, 2]);
  });

  test('are listed by their paths, and by where they lead, also through a folder', async () => {
    await put('a.jpg', 'x/y.jpg');
    await put('b.jpg', 'x/z.jpg');
    await put('c', 'x', true);
    await put('d', 'x/y', true);
    const page = async (filter: RedirectFilter) =>
      (await catalog.redirects.page(9, undefined, undefined, filter)).map(({ from }) => from);
    expect(await page({ from: ['b.jpg', 'c', 'c/y.jpg'].map(at) })).toEqual(['b.jpg', 'c']);
    expect(await page({ to: at('x/y.jpg') })).toEqual(['a.jpg', 'c']);
    expect(await page({ to: at('x') })).toEqual(['c']);
    expect(await page({ to: at('z') })).toEqual([]);
  });

  test('say that a file has their path, in any folder', async () => {
    await put('a.jpg', 'x.jpg');
    await put('f/b.jpg', 'x.jpg');
    await put('f/Ünï.jpg', 'x.jpg');
    await put('g', 'y', true);
    const overruled = async () =>
      (await catalog.redirects.page(9)).filter(({ isOverruled }) => isOverruled).map(({ from }) => from);
    await catalog.files.put([file('b.jpg'), file('f/a.jpg'), file('g/b.jpg')]);
    expect(await overruled()).toEqual([]);
    // A file without an extension ends nothing below the redirected folder.
    await catalog.files.put([file('a.jpg'), file('f/Ünï.jpg'), file('g')]);
    expect(await overruled()).toEqual(['a.jpg', 'f/Ünï.jpg']);
    await catalog.files.remove([at('a.jpg')]);
    expect(await overruled()).toEqual(['f/Ünï.jpg']);
  });

  test('are counted outside of all spaces', async () => {
    const { db } = bench();
    const row = { enabled: 1, hosts: '[]', rules: '{}', secret: '', previousSecret: null, previousUntil: null };
    for (const folder of ['', 'customers/acme', 'inner'])
      await db
        .insertInto('space')
        .values({ ...row, id: `s-${folder}`, name: folder, folder, createdAt: '2026-01-01T00:00:00.000Z' })
        .execute();
    try {
      expect(await catalog.redirects.countOutsideSpaces()).toBe(0);
      const paths = [
        'a.jpg',
        'customers/acme/a.jpg',
        'customers/acme/b/c.jpg',
        'customers/acme2/a.jpg',
        'inner',
        'inner/a',
      ];
      for (const path of paths) await put(path, 'x.jpg');
      expect(await catalog.redirects.countOutsideSpaces()).toBe(3);
    } finally {
      await db.deleteFrom('space').where('id', 'like', 's-%').execute();
    }
  });

  test('replace that of their path, and can be removed once', async () => {
    expect(await put('a.jpg', 'x.jpg')).toEqual(['a.jpg']);
    expect(await put('a.jpg', 'y.jpg')).toEqual(['a.jpg']);
    expect(await all()).toEqual([['a.jpg', 'y.jpg']]);
    expect(await catalog.redirects.remove(at('a.jpg'))).toMatchObject({ from: 'a.jpg', to: 'y.jpg' });
    expect(await catalog.redirects.remove(at('a.jpg'))).toBeUndefined();
  });

  test('follow the rows of files and folders, and end where they would lead to themselves', async () => {
    await catalog.files.put([file('b.jpg'), file('d/e/f.jpg')]);
    await put('a.jpg', 'b.jpg');
    await put('c', 'd', true);
    await put('x.jpg', 'd/e/f.jpg');
    await catalog.files.move(at('b.jpg'), file('d/b.jpg'));
    await catalog.folders.move(at('d'), at('g'));
    expect(await all()).toEqual([
      ['a.jpg', 'g/b.jpg'],
      ['c', 'g'],
      ['x.jpg', 'g/e/f.jpg'],
    ]);
    await catalog.files.move(at('g/b.jpg'), file('a.jpg'));
    await catalog.folders.move(at('g'), at('c'));
    expect(await all()).toEqual([['x.jpg', 'c/e/f.jpg']]);
  });

  test('lead to one end: those to a path that has none any more, and those of a folder that a path has left', async () => {
    await put('a.jpg', 'b.jpg');
    await put('b.jpg', 'c.jpg');
    await put('old', 'new', true);
    await put('new/x.jpg', 'new/y.jpg');
    await put('older/z.jpg', 'new/z.jpg', false, false);
    expect(await all()).toEqual([
      ['a.jpg', 'c.jpg'],
      ['b.jpg', 'c.jpg'],
      ['new/x.jpg', 'new/y.jpg'],
      ['old', 'new'],
      ['old/x.jpg', 'new/y.jpg'],
      ['older/z.jpg', 'new/z.jpg'],
    ]);
  });

  test('name the previous path of what is in the trash, come back with it, and end with it', async () => {
    await catalog.files.put([file('f/a.jpg')]);
    await put('old.jpg', 'f/a.jpg');
    await put('o', 'f', true);
    const item = { kind: 'folder', size: 1, fileCount: 1, deletedAt: 1, expiresAt: 2 } as const;
    const trash = async (id: string) => {
      await catalog.trash.put({ ...item, id, path: at('f') });
      await catalog.folders.move(at('f'), hiddenPath(id, at('f')));
    };
    await trash('one');
    expect(await catalog.redirects.find(at('old.jpg'))).toMatchObject({ to: 'f/a.jpg', isTrashed: true });
    expect(await all()).toEqual([
      ['o', 'f'],
      ['old.jpg', 'f/a.jpg'],
    ]);
    await catalog.folders.move(hiddenPath('one', at('f')), at('g'));
    await catalog.folders.remove(hiddenFolder('one'));
    expect(await catalog.redirects.find(at('old.jpg'))).toMatchObject({ to: 'g/a.jpg', isTrashed: false });
    await catalog.trash.put({ ...item, id: 'two', path: at('g') });
    await catalog.folders.move(at('g'), hiddenPath('two', at('g')));
    await catalog.folders.remove(hiddenFolder('two'));
    expect(await all()).toEqual([]);
  });

  test('are known around a path, and end with their target', async () => {
    await put('a', 'x', true);
    await put('b/c/d.jpg', 'x/d.jpg');
    const areAround = async (path: string) => catalog.redirects.areAround(at(path));
    for (const path of ['a', 'a/b.jpg', 'b', 'b/c', 'b/c/d.jpg'])
      expect([path, await areAround(path)]).toEqual([path, true]);
    for (const path of ['x', 'b/d', 'b/c/e.jpg', 'aa']) expect([path, await areAround(path)]).toEqual([path, false]);
    await catalog.redirects.removeTo(at('x/d.jpg'));
    expect(await all()).toEqual([['a', 'x']]);
    await catalog.redirects.removeTo(at('x'));
    expect(await all()).toEqual([]);
  });
}
