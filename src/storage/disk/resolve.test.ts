import { execFile } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { textBlobs } from '../../../test/text-blobs.ts';
import { parsePath as path, ROOT } from '../../path.ts';
import { BlobConflict, BlobNotFound, type BlobStore } from '../blob-store.ts';
import { createDiskStore } from './store.ts';

let folder: string;
let root: string;
let temp: string;
let outside: string;
let store: BlobStore;
const { put, content, walked } = textBlobs(() => store);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'disk-'));
  root = join(folder, 'deep/originals');
  temp = join(folder, 'tmp');
  outside = join(folder, 'outside');
  store = await createDiskStore({ root, temp });
  await mkdir(outside);
  await writeFile(join(outside, 'secret.jpg'), 'secret');
});

afterEach(() => rm(folder, { recursive: true }));

describe('a symbolic link that leads outside', () => {
  beforeEach(async () => {
    await symlink(join(outside, 'secret.jpg'), join(root, 'file.jpg'));
    await symlink('../../outside', join(root, 'folder'));
    await symlink(join(root, 'nowhere'), join(root, 'dangling'));
    await symlink('loop', join(root, 'loop'));
    // A sibling whose name begins like the root's.
    await mkdir(`${root}-2`);
    await writeFile(join(`${root}-2`, 'a'), 'secret');
    await symlink(`${root}-2`, join(root, 'neighbour'));
  });

  test('does not exist for a reader', async () => {
    const names = ['file.jpg', 'folder', 'folder/secret.jpg', 'dangling', 'loop', 'neighbour/a'];
    for (const name of names.map(path)) {
      expect(await store.stat(name), name).toBeUndefined();
      await expect(store.open(name), name).rejects.toThrow(BlobNotFound);
      await expect(
        store.withLocalFile(name, async () => undefined),
        name,
      ).rejects.toThrow(BlobNotFound);
      await expect(store.copy(name, path('copy')), name).rejects.toThrow(BlobNotFound);
      await expect(store.move(name, path('moved')), name).rejects.toThrow(BlobNotFound);
      await expect(store.moveFolder(name, path('moved')), name).rejects.toThrow(BlobNotFound);
      expect(await store.remove(name), name).toBe(false);
      expect(await store.removeFolder(name), name).toBe(false);
      expect(await store.folderExists(name), name).toBe(false);
      expect(await store.list(name), name).toEqual({ folders: [], files: [] });
      expect(await walked(name), name).toEqual([]);
    }
    expect(await store.list(ROOT)).toEqual({ folders: [], files: [] });
    expect(await walked()).toEqual([]);
    expect(await store.folders()).toEqual([]);
    expect(await readdir(outside)).toEqual(['secret.jpg']);
  });

  test('is no way to write outside', async () => {
    for (const name of ['folder/new.jpg', 'folder/secret.jpg', 'folder/a/b', 'neighbour/a', 'folder']) {
      await expect(put(name), name).rejects.toThrow(BlobConflict);
      await expect(store.createFolder(path(name)), name).rejects.toThrow(BlobConflict);
    }
    await put('mine');
    await expect(store.move(path('mine'), path('folder/mine'))).rejects.toThrow(BlobConflict);
    await expect(store.copy(path('mine'), path('folder/mine'))).rejects.toThrow(BlobConflict);
    expect(await readdir(outside)).toEqual(['secret.jpg']);
    expect(await readFile(join(outside, 'secret.jpg'), 'utf8')).toBe('secret');
    expect(await readdir(`${root}-2`)).toEqual(['a']);
    expect(await readdir(temp)).toEqual([]);
  });

  test('to a file gives way to a file that is written there, and the file outside stays as it is', async () => {
    await put('file.jpg', 'mine');
    await put('dangling', 'mine');
    expect(await content('file.jpg')).toBe('mine');
    expect(await content('dangling')).toBe('mine');
    expect((await lstat(join(root, 'file.jpg'))).isFile()).toBe(true);
    expect(await readFile(join(outside, 'secret.jpg'), 'utf8')).toBe('secret');
  });
});

describe('a symbolic link that stays inside', () => {
  beforeEach(async () => {
    await put('real/a.jpg', 'bytes');
    await mkdir(join(root, 'links'));
    await symlink('../real/a.jpg', join(root, 'links/file.jpg'));
    await symlink('../real', join(root, 'links/folder'));
    await symlink('..', join(root, 'links/up'));
  });

  test('is followed, and a walk ends although links lead in a circle', async () => {
    expect(await content('links/file.jpg')).toBe('bytes');
    expect(await content('links/folder/a.jpg')).toBe('bytes');
    const { folders, files } = await store.list(path('links'));
    expect(folders).toEqual(['links/folder', 'links/up']);
    expect(files.map((file) => [file.path, file.size])).toEqual([['links/file.jpg', 5]]);
    expect(await walked()).toEqual(['links/file.jpg', 'real/a.jpg']);
    expect(await store.folders()).toEqual(['links', 'links/folder', 'links/up', 'real']);
  });

  test('is what is removed or replaced, not the file it leads to', async () => {
    expect(await store.remove(path('links/file.jpg'))).toBe(true);
    expect(await store.removeFolder(path('links/folder'))).toBe(true);
    await expect(put('links/up')).rejects.toThrow(BlobConflict);
    expect(await content('real/a.jpg')).toBe('bytes');
  });

  test('moves as the bytes it leads to', async () => {
    await store.move(path('links/file.jpg'), path('elsewhere/deeper/b.jpg'));
    expect(await content('elsewhere/deeper/b.jpg')).toBe('bytes');
    expect(await content('real/a.jpg')).toBe('bytes');
    expect(await store.stat(path('links/file.jpg'))).toBeUndefined();
  });
});

describe('what is neither file nor folder', () => {
  test('does not exist, and opening it does not wait', async () => {
    await promisify(execFile)('mkfifo', [join(root, 'pipe')]);
    expect(await store.stat(path('pipe'))).toBeUndefined();
    await expect(store.open(path('pipe'))).rejects.toThrow(BlobNotFound);
    expect(await store.list(ROOT)).toEqual({ folders: [], files: [] });
    expect(await walked()).toEqual([]);
    expect(await store.remove(path('pipe'))).toBe(false);
  });

  test('a name that no storage path can say is left out', async () => {
    await writeFile(join(root, 'back\\slash.jpg'), 'x');
    await writeFile(join(root, 'Mu\u0308ller \u00fc.jpg'), 'mixed forms');
    await put('M\u00fcller 2.jpg');
    expect(await walked()).toEqual(['M\u00fcller 2.jpg']);
    expect((await store.list(ROOT)).files).toHaveLength(1);
  });
});
