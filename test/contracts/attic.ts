import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ROOT, type StoragePath } from '../../src/path.ts';
import type { Attic } from '../../src/storage/attic.ts';
import { BlobConflict, BlobExists, BlobNotFound, type BlobStore } from '../../src/storage/blob-store.ts';

export interface AtticBench {
  store: BlobStore;
  attic: Attic;
  close(): Promise<void>;
}

const path = (name: string) => name as StoragePath;
const bytes = (of: string) => [Buffer.from(of)] as unknown as AsyncIterable<Uint8Array>;

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found.sort();
}

/** Tests of every retention store. `create` returns an empty one next to an empty store. */
export function atticContract(name: string, create: () => Promise<AtticBench>): void {
  describe(`${name} as an attic`, () => {
    let store: BlobStore;
    let attic: Attic;
    let close: () => Promise<void>;
    let id: string;
    beforeEach(async () => {
      ({ store, attic, close } = await create());
      id = randomUUID();
    });
    afterEach(() => close());
    const write = (file: string, content: string) => store.write(path(file), bytes(content));
    const read = async (file: string) => text(await store.open(path(file)));
    const readKept = async (of = id) => text(await attic.open(of));
    const filesOf = async (of: string) => (await all(attic.files(of))).map((entry) => entry.path).sort();
    const stored = async () => (await all(store.walk(ROOT))).map((entry) => entry.path).sort();

    describe('a file', () => {
      test('that is kept is out of the originals, and all of its bytes are there', async () => {
        const { size } = await write('a/b.txt', 'hello');
        await attic.keep(path('a/b.txt'), id);
        expect(await store.stat(path('a/b.txt'))).toBeUndefined();
        expect(await readKept()).toBe('hello');
        expect(await attic.stat(id)).toMatchObject({ isFolder: false, size });
        expect(await filesOf(id)).toEqual(['']);
        expect(await attic.folders(id)).toEqual([]);
        expect(await store.folderExists(path('a'))).toBe(true);
      });

      test('is given back under its path, and is kept no more', async () => {
        await write('a/b.txt', 'hello');
        await attic.keep(path('a/b.txt'), id);
        await attic.giveBack(id, path('a/b.txt'));
        expect(await read('a/b.txt')).toBe('hello');
        expect(await attic.stat(id)).toBeUndefined();
        await expect(attic.open(id)).rejects.toThrow(BlobNotFound);
      });

      test('is given back under another path, whose folders are made', async () => {
        await write('b.txt', 'hello');
        await attic.keep(path('b.txt'), id);
        await attic.giveBack(id, path('x/y/z.txt'));
        expect(await read('x/y/z.txt')).toBe('hello');
      });

      test('replaces nothing when it is given back', async () => {
        await write('b.txt', 'old');
        await attic.keep(path('b.txt'), id);
        await write('b.txt', 'new');
        await expect(attic.giveBack(id, path('b.txt'))).rejects.toThrow(BlobExists);
        expect(await read('b.txt')).toBe('new');
        expect(await readKept()).toBe('old');
        await store.createFolder(path('folder'));
        await expect(attic.giveBack(id, path('folder'))).rejects.toThrow(/./);
        expect(await readKept()).toBe('old');
        await expect(attic.giveBack(id, path('b.txt/c.txt'))).rejects.toThrow(BlobConflict);
        expect(await readKept()).toBe('old');
      });

      test('that is not there cannot be kept, nor given back', async () => {
        await expect(attic.keep(path('none.txt'), id)).rejects.toThrow(BlobNotFound);
        await expect(attic.keepCopy(path('none.txt'), id)).rejects.toThrow(BlobNotFound);
        await expect(attic.giveBack(id, path('a.txt'))).rejects.toThrow(BlobNotFound);
        await expect(attic.open(id)).rejects.toThrow(BlobNotFound);
        expect(await attic.remove(id)).toBe(false);
        expect(await filesOf(id)).toEqual([]);
      });

      test('is read in parts', async () => {
        await write('b.txt', 'hello');
        await attic.keep(path('b.txt'), id);
        expect(await text(await attic.open(id, { range: { start: 1, end: 3 } }))).toBe('ell');
      });
    });

    describe('a copy', () => {
      test('is of the bytes that are there, and stays as it is when others take their place', async () => {
        const { etag, size } = await write('b.txt', 'old');
        expect(await attic.keepCopy(path('b.txt'), id)).toMatchObject({ etag, size });
        expect(await read('b.txt')).toBe('old');
        await write('b.txt', 'newer');
        expect(await readKept()).toBe('old');
        expect(await read('b.txt')).toBe('newer');
        await store.remove(path('b.txt'));
        expect(await readKept()).toBe('old');
      });

      test('that is removed takes nothing from the original', async () => {
        await write('b.txt', 'old');
        await attic.keepCopy(path('b.txt'), id);
        expect(await attic.remove(id)).toBe(true);
        expect(await read('b.txt')).toBe('old');
      });

      test('cannot be made of a folder', async () => {
        await write('a/b.txt', 'old');
        await expect(attic.keepCopy(path('a'), id)).rejects.toThrow(BlobNotFound);
      });
    });

    describe('a folder', () => {
      test('is kept as one item with all that is in it, empty folders too', async () => {
        await write('trip/a.txt', 'one');
        await write('trip/rome/b.txt', 'two');
        await store.createFolder(path('trip/empty'));
        await write('trip2/c.txt', 'three');
        await attic.keep(path('trip'), id);
        expect(await stored()).toEqual(['trip2/c.txt']);
        expect(await store.folderExists(path('trip'))).toBe(false);
        expect(await attic.stat(id)).toEqual({ isFolder: true });
        expect(await filesOf(id)).toEqual(['a.txt', 'rome/b.txt']);
        expect(await attic.folders(id)).toEqual(['empty', 'rome']);
        await attic.giveBack(id, path('back/trip'));
        expect(await stored()).toEqual(['back/trip/a.txt', 'back/trip/rome/b.txt', 'trip2/c.txt']);
        expect(await store.folderExists(path('back/trip/empty'))).toBe(true);
        expect(await attic.stat(id)).toBeUndefined();
      });

      test('is not given back into one that is there, nor over a file', async () => {
        await write('trip/a.txt', 'one');
        await attic.keep(path('trip'), id);
        await store.createFolder(path('trip'));
        await expect(attic.giveBack(id, path('trip'))).rejects.toThrow(BlobExists);
        await write('file', 'x');
        await expect(attic.giveBack(id, path('file'))).rejects.toThrow(BlobExists);
        expect(await filesOf(id)).toEqual(['a.txt']);
      });

      test('has no bytes of its own', async () => {
        await write('trip/a.txt', 'one');
        await attic.keep(path('trip'), id);
        await expect(attic.open(id)).rejects.toThrow(BlobNotFound);
      });

      test('that is the root cannot be kept', async () => {
        await write('a.txt', 'one');
        await expect(attic.keep(ROOT, id)).rejects.toThrow(BlobConflict);
        expect(await stored()).toEqual(['a.txt']);
      });
    });

    describe('items', () => {
      test('are never seen by readers of the originals', async () => {
        await write('a.txt', 'one');
        await write('trip/b.txt', 'two');
        await attic.keep(path('a.txt'), id);
        await attic.keep(path('trip'), randomUUID());
        expect(await stored()).toEqual([]);
        expect(await store.folders()).toEqual([]);
        expect(await store.list(ROOT)).toEqual({ folders: [], files: [] });
        expect(await store.stat(path(id))).toBeUndefined();
      });

      test('share no names with files: a user may store `attic` and an id', async () => {
        await write('attic/x.txt', 'mine');
        await write(id, 'mine too');
        await write('a.txt', 'kept');
        await attic.keep(path('a.txt'), id);
        expect(await readKept()).toBe('kept');
        expect(await stored()).toEqual([id, 'attic/x.txt'].sort());
        expect(await all(attic.walk())).toEqual([id]);
      });

      test('are removed for good, folders with all that is in them', async () => {
        const other = randomUUID();
        await write('a.txt', 'one');
        await write('trip/rome/b.txt', 'two');
        await attic.keep(path('a.txt'), id);
        await attic.keep(path('trip'), other);
        expect(await all(attic.walk())).toEqual([id, other].sort());
        expect(await attic.remove(other)).toBe(true);
        expect(await all(attic.walk())).toEqual([id]);
        expect(await attic.remove(other)).toBe(false);
        expect(await attic.stat(other)).toBeUndefined();
        expect(await readKept()).toBe('one');
      });

      test('have ids, and what is none finds nothing', async () => {
        for (const wrong of ['', '..', '../originals', 'a', `${id}/a`]) {
          expect(await attic.stat(wrong)).toBeUndefined();
          expect(await attic.folders(wrong)).toEqual([]);
          await expect(attic.giveBack(wrong, path('x.txt'))).rejects.toThrow(BlobNotFound);
          await expect(attic.open(wrong)).rejects.toThrow(BlobNotFound);
          expect(await attic.remove(wrong)).toBe(false);
        }
      });
    });
  });
}
