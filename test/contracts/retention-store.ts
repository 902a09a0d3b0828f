import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ROOT, type StoragePath } from '../../src/path.ts';
import { BlobConflict, BlobExists, BlobNotFound, type BlobStore } from '../../src/storage/blob-store.ts';
import type { RetentionStore } from '../../src/storage/retention-store.ts';

export interface AtticBench {
  store: BlobStore;
  retention: RetentionStore;
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
    let retention: RetentionStore;
    let close: () => Promise<void>;
    let id: string;
    beforeEach(async () => {
      ({ store, retention, close } = await create());
      id = randomUUID();
    });
    afterEach(() => close());
    const write = (file: string, content: string) => store.write(path(file), bytes(content));
    const read = async (file: string) => text(await store.open(path(file)));
    const readKept = async (of = id) => text(await retention.open(of));
    const filesOf = async (of: string) => (await all(retention.files(of))).map((entry) => entry.path).sort();
    const stored = async () => (await all(store.walk(ROOT))).map((entry) => entry.path).sort();

    describe('a file', () => {
      test('that is kept is out of the originals, and all of its bytes are there', async () => {
        const { size } = await write('a/b.txt', 'hello');
        await retention.keep(path('a/b.txt'), id);
        expect(await store.stat(path('a/b.txt'))).toBeUndefined();
        expect(await readKept()).toBe('hello');
        expect(await retention.stat(id)).toMatchObject({ isFolder: false, size });
        expect(await filesOf(id)).toEqual(['']);
        expect(await retention.folders(id)).toEqual([]);
        expect(await store.folderExists(path('a'))).toBe(true);
      });

      test('is given back under its path, and is kept no more', async () => {
        await write('a/b.txt', 'hello');
        await retention.keep(path('a/b.txt'), id);
        await retention.giveBack(id, path('a/b.txt'));
        expect(await read('a/b.txt')).toBe('hello');
        expect(await retention.stat(id)).toBeUndefined();
        await expect(retention.open(id)).rejects.toThrow(BlobNotFound);
      });

      test('is given back under another path, whose folders are made', async () => {
        await write('b.txt', 'hello');
        await retention.keep(path('b.txt'), id);
        await retention.giveBack(id, path('x/y/z.txt'));
        expect(await read('x/y/z.txt')).toBe('hello');
      });

      test('replaces nothing when it is given back', async () => {
        await write('b.txt', 'old');
        await retention.keep(path('b.txt'), id);
        await write('b.txt', 'new');
        await expect(retention.giveBack(id, path('b.txt'))).rejects.toThrow(BlobExists);
        expect(await read('b.txt')).toBe('new');
        expect(await readKept()).toBe('old');
        await store.createFolder(path('folder'));
        await expect(retention.giveBack(id, path('folder'))).rejects.toThrow(/./);
        expect(await readKept()).toBe('old');
        await expect(retention.giveBack(id, path('b.txt/c.txt'))).rejects.toThrow(BlobConflict);
        expect(await readKept()).toBe('old');
      });

      test('that is not there cannot be kept, nor given back', async () => {
        await expect(retention.keep(path('none.txt'), id)).rejects.toThrow(BlobNotFound);
        await expect(retention.keepCopy(path('none.txt'), id)).rejects.toThrow(BlobNotFound);
        await expect(retention.giveBack(id, path('a.txt'))).rejects.toThrow(BlobNotFound);
        await expect(retention.open(id)).rejects.toThrow(BlobNotFound);
        expect(await retention.remove(id)).toBe(false);
        expect(await filesOf(id)).toEqual([]);
      });

      test('is removed from the originals when it was retained, and the move did not complete', async () => {
        await write('a/b.txt', 'hello');
        await retention.keepCopy(path('a/b.txt'), id);
        await retention.completeKeep(path('a/b.txt'), id);
        expect(await stored()).toEqual([]);
        expect(await readKept()).toBe('hello');
        await retention.completeKeep(path('a/b.txt'), id);
        expect(await readKept()).toBe('hello');
      });

      test('that has replaced the retained one stays', async () => {
        await write('b.txt', 'older');
        await retention.keepCopy(path('b.txt'), id);
        await write('b.txt', 'newer');
        await retention.completeKeep(path('b.txt'), id);
        expect([await read('b.txt'), await readKept()]).toEqual(['newer', 'older']);
        const other = randomUUID();
        await retention.completeKeep(path('b.txt'), other);
        expect([await read('b.txt'), await retention.stat(other)]).toEqual(['newer', undefined]);
      });

      test('is recognised as restored while the item is still there, and no other file is', async () => {
        await write('a/b.txt', 'hello');
        await retention.keepCopy(path('a/b.txt'), id);
        expect(await retention.isRestored(id, path('a/b.txt'))).toBe(true);
        expect(await retention.isRestored(id, path('c.txt'))).toBe(false);
        expect(await retention.isRestored(randomUUID(), path('a/b.txt'))).toBe(false);
        await write('a/b.txt', 'other');
        expect(await retention.isRestored(id, path('a/b.txt'))).toBe(false);
      });

      test('is read in parts', async () => {
        await write('b.txt', 'hello');
        await retention.keep(path('b.txt'), id);
        expect(await text(await retention.open(id, { range: { start: 1, end: 3 } }))).toBe('ell');
      });
    });

    describe('a copy', () => {
      test('is of the bytes that are there, and stays as it is when others take their place', async () => {
        const { etag, size } = await write('b.txt', 'old');
        expect(await retention.keepCopy(path('b.txt'), id)).toMatchObject({ etag, size });
        expect(await read('b.txt')).toBe('old');
        await write('b.txt', 'newer');
        expect(await readKept()).toBe('old');
        expect(await read('b.txt')).toBe('newer');
        await store.remove(path('b.txt'));
        expect(await readKept()).toBe('old');
      });

      test('that is removed takes nothing from the original', async () => {
        await write('b.txt', 'old');
        await retention.keepCopy(path('b.txt'), id);
        expect(await retention.remove(id)).toBe(true);
        expect(await read('b.txt')).toBe('old');
      });

      test('cannot be made of a folder', async () => {
        await write('a/b.txt', 'old');
        await expect(retention.keepCopy(path('a'), id)).rejects.toThrow(BlobNotFound);
      });
    });

    describe('a folder', () => {
      test('is kept as one item with all that is in it, empty folders too', async () => {
        await write('trip/a.txt', 'one');
        await write('trip/rome/b.txt', 'two');
        await store.createFolder(path('trip/empty'));
        await write('trip2/c.txt', 'three');
        await retention.keep(path('trip'), id);
        expect(await stored()).toEqual(['trip2/c.txt']);
        expect(await store.folderExists(path('trip'))).toBe(false);
        expect(await retention.stat(id)).toEqual({ isFolder: true });
        expect(await filesOf(id)).toEqual(['a.txt', 'rome/b.txt']);
        expect(await retention.folders(id)).toEqual(['empty', 'rome']);
        await retention.giveBack(id, path('back/trip'));
        expect(await stored()).toEqual(['back/trip/a.txt', 'back/trip/rome/b.txt', 'trip2/c.txt']);
        expect(await store.folderExists(path('back/trip/empty'))).toBe(true);
        expect(await retention.stat(id)).toBeUndefined();
      });

      test('is not given back into one that is there, nor over a file', async () => {
        await write('trip/a.txt', 'one');
        await retention.keep(path('trip'), id);
        await store.createFolder(path('trip'));
        await expect(retention.giveBack(id, path('trip'))).rejects.toThrow(BlobExists);
        await write('file', 'x');
        await expect(retention.giveBack(id, path('file'))).rejects.toThrow(BlobExists);
        expect(await filesOf(id)).toEqual(['a.txt']);
      });

      test('has no bytes of its own', async () => {
        await write('trip/a.txt', 'one');
        await retention.keep(path('trip'), id);
        await expect(retention.open(id)).rejects.toThrow(BlobNotFound);
      });

      test('that is the root cannot be kept', async () => {
        await write('a.txt', 'one');
        await expect(retention.keep(ROOT, id)).rejects.toThrow(BlobConflict);
        expect(await stored()).toEqual(['a.txt']);
      });
    });

    describe('items', () => {
      test('are never seen by readers of the originals', async () => {
        await write('a.txt', 'one');
        await write('trip/b.txt', 'two');
        await retention.keep(path('a.txt'), id);
        await retention.keep(path('trip'), randomUUID());
        expect(await stored()).toEqual([]);
        expect(await store.folders()).toEqual([]);
        expect(await store.list(ROOT)).toEqual({ folders: [], files: [] });
        expect(await store.stat(path(id))).toBeUndefined();
      });

      test('share no names with files: a user may store `attic` and an id', async () => {
        await write('attic/x.txt', 'mine');
        await write(id, 'mine too');
        await write('a.txt', 'kept');
        await retention.keep(path('a.txt'), id);
        expect(await readKept()).toBe('kept');
        expect(await stored()).toEqual([id, 'attic/x.txt'].sort());
        expect(await all(retention.walk())).toEqual([id]);
      });

      test('are removed for good, folders with all that is in them', async () => {
        const other = randomUUID();
        await write('a.txt', 'one');
        await write('trip/rome/b.txt', 'two');
        await retention.keep(path('a.txt'), id);
        await retention.keep(path('trip'), other);
        expect(await all(retention.walk())).toEqual([id, other].sort());
        expect(await retention.remove(other)).toBe(true);
        expect(await all(retention.walk())).toEqual([id]);
        expect(await retention.remove(other)).toBe(false);
        expect(await retention.stat(other)).toBeUndefined();
        expect(await readKept()).toBe('one');
      });

      test('have ids, and what is none finds nothing', async () => {
        for (const wrong of ['', '..', '../originals', 'a', `${id}/a`]) {
          expect(await retention.stat(wrong)).toBeUndefined();
          expect(await retention.folders(wrong)).toEqual([]);
          await expect(retention.giveBack(wrong, path('x.txt'))).rejects.toThrow(BlobNotFound);
          await expect(retention.open(wrong)).rejects.toThrow(BlobNotFound);
          expect(await retention.remove(wrong)).toBe(false);
        }
      });
    });
  });
}
