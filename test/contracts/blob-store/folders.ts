import { expect, test } from 'vitest';
import { ROOT } from '../../../src/path.ts';
import { BlobConflict, BlobExists, BlobNotFound } from '../../../src/storage/blob-store.ts';
import { type Current, path, put, putAll, text, walked } from './steps.ts';

export function foldering(store: Current): void {
  test('a folder can be empty, and stays when its files go', async () => {
    expect(await store().createFolder(path('a/empty'))).toBe(true);
    expect(await store().createFolder(path('a/empty'))).toBe(false);
    expect(await store().createFolder(path('a'))).toBe(false);
    expect(await store().createFolder(ROOT)).toBe(false);
    expect(await store().list(path('a'))).toEqual({ folders: ['a/empty'], files: [] });
    await put(store(), 'a/empty/file', 'bytes');
    await store().remove(path('a/empty/file'));
    expect(await store().folderExists(path('a/empty'))).toBe(true);
  });

  test('a folder does not come into being where a file stands', async () => {
    await put(store(), 'a/file', 'bytes');
    await expect(store().createFolder(path('a/file'))).rejects.toThrow(BlobConflict);
    await expect(store().createFolder(path('a/file/b'))).rejects.toThrow(BlobConflict);
    expect(await text(store(), 'a/file')).toBe('bytes');
  });

  test('the folders are all those with a name, sorted', async () => {
    expect(await store().folders()).toEqual([]);
    await putAll(store(), ['b/x', 'a/y/z/x', 'a.jpg', 'a b/x']);
    await store().createFolder(path('é/empty'));
    expect(await store().folders()).toEqual(['a', 'a b', 'a/y', 'a/y/z', 'b', 'é', 'é/empty']);
    expect(await store().folders(path('a'))).toEqual(['a/y', 'a/y/z']);
    for (const none of ['a/y/z', 'a.jpg', 'missing']) expect(await store().folders(path(none))).toEqual([]);
    for (const folder of ['', 'a', 'a/y', 'é/empty']) expect(await store().folderExists(path(folder))).toBe(true);
    for (const none of ['a.jpg', 'a/y/z/x', 'c', 'a/b']) expect(await store().folderExists(path(none))).toBe(false);
  });

  test('a folder moves with all that is in it', async () => {
    await putAll(store(), ['a/1', 'a/b/2', 'a.jpg', 'ab/3']);
    await store().createFolder(path('a/empty'));
    await store().moveFolder(path('a'), path('new/place'));
    expect(await walked(store(), '')).toEqual(['a.jpg', 'ab/3', 'new/place/1', 'new/place/b/2']);
    expect(await store().folders()).toEqual(['ab', 'new', 'new/place', 'new/place/b', 'new/place/empty']);
    expect(await text(store(), 'new/place/b/2')).toBe('a/b/2');
    await store().moveFolder(path('new/place/b'), path('b'));
    expect(await text(store(), 'b/2')).toBe('a/b/2');
  });

  test('a folder moves neither onto something nor into itself', async () => {
    await putAll(store(), ['a/1', 'file', 'full/2']);
    await store().createFolder(path('empty'));
    for (const taken of ['file', 'full', 'empty', 'a', '']) {
      await expect(store().moveFolder(path('a'), path(taken)), taken).rejects.toThrow(BlobExists);
    }
    await expect(store().moveFolder(path('a'), path('a/b/c'))).rejects.toThrow(BlobConflict);
    await expect(store().moveFolder(path('a'), path('file/b'))).rejects.toThrow(BlobConflict);
    await expect(store().moveFolder(ROOT, path('b'))).rejects.toThrow(BlobConflict);
    await expect(store().moveFolder(path('missing'), path('b'))).rejects.toThrow(BlobNotFound);
    await expect(store().moveFolder(path('file'), path('b'))).rejects.toThrow(BlobNotFound);
    expect(await walked(store(), '')).toEqual(['a/1', 'file', 'full/2']);
    expect(await store().folders()).toEqual(['a', 'empty', 'full']);
  });

  test('a folder is removed with all that is in it', async () => {
    await putAll(store(), ['a/1', 'a/b/2', 'a.jpg', 'ab/3']);
    await store().createFolder(path('a/empty'));
    expect(await store().removeFolder(path('a'))).toBe(true);
    expect(await store().removeFolder(path('a'))).toBe(false);
    expect(await store().removeFolder(path('a.jpg'))).toBe(false);
    expect(await walked(store(), '')).toEqual(['a.jpg', 'ab/3']);
    expect(await store().folders()).toEqual(['ab']);
    await expect(store().removeFolder(ROOT)).rejects.toThrow(BlobConflict);
  });
}
