import { expect, test } from 'vitest';
import { ROOT } from '../../../src/path.ts';
import { type Current, names, path, put, putAll, walked } from './steps.ts';

export function listing(store: Current): void {
  test('a level has its folders and its files apart, each sorted', async () => {
    const files = ['b.jpg', 'B.jpg', 'ä.jpg', 'a.jpg', 'z/1', 'a/x', 'a/y/z', 'ab/x', 'a b/x', 'é/x'];
    await putAll(store(), files);
    const root = await store().list(ROOT);
    expect(root.folders).toEqual(['a', 'a b', 'ab', 'z', 'é']);
    expect(names(root.files)).toEqual(['B.jpg', 'a.jpg', 'b.jpg', 'ä.jpg']);
    const inside = await store().list(path('a'));
    expect(inside).toEqual({ folders: ['a/y'], files: [{ path: 'a/x', ...(await store().stat(path('a/x'))) }] });
  });

  test('files and folders whose names begin alike are kept apart', async () => {
    await putAll(store(), ['a.jpg', 'a/x', 'ab/x', 'ab.jpg', 'a-b/x']);
    expect(names((await store().list(path('a'))).files)).toEqual(['a/x']);
    expect(await walked(store(), 'a')).toEqual(['a/x']);
    expect(await store().folderExists(path('a-'))).toBe(false);
    expect(await store().removeFolder(path('a'))).toBe(true);
    expect(await walked(store(), '')).toEqual(['a-b/x', 'a.jpg', 'ab.jpg', 'ab/x']);
  });

  test('a folder that is missing, or a file, lists nothing', async () => {
    await put(store(), 'a/x', 'bytes');
    for (const name of ['missing', 'a/x', 'a/x/y']) {
      expect(await store().list(path(name)), name).toEqual({ folders: [], files: [] });
      expect(await walked(store(), name), name).toEqual([]);
    }
  });

  test('a walk gives every file below a folder once, as its stat describes it', async () => {
    const files = ['a/b/c/1', 'a/b/2', 'a/3', 'a.4', 'b/5'];
    await putAll(store(), files);
    await store().createFolder(path('a/empty'));
    expect(await walked(store(), '')).toEqual([...files].sort());
    expect(await walked(store(), 'a/b')).toEqual(['a/b/2', 'a/b/c/1']);
    for await (const { path: file, ...stat } of store().walk(ROOT)) expect(stat).toEqual(await store().stat(file));
  });

  test('a walk can be left, and survives the removal of what it walks over', async () => {
    await putAll(
      store(),
      Array.from({ length: 30 }, (_, n) => `a/${n % 3}/${n}`),
    );
    for await (const entry of store().walk(ROOT)) {
      expect(entry.size).toBeGreaterThan(0);
      break;
    }
    for await (const entry of store().walk(ROOT)) await store().remove(entry.path);
    expect(await walked(store(), '')).toEqual([]);
  });
}
