import { createHash } from 'node:crypto';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parsePath, ROOT } from '../../src/path.ts';
import { BlobConflict, BlobExists, BlobNotFound, type BlobStore } from '../../src/storage/blob-store.ts';

const MEBIBYTE = 1024 * 1024;

const AWKWARD_NAMES = [
  'Zürich – Müller.jpg',
  '写真 📷.png',
  'a,b&c@d.jpg',
  `it's "quoted".jpg`,
  '100%.jpg',
  '100%25.jpg',
  'a#b?c.jpg',
  'a+b c.jpg',
  ' leading and trailing ',
  '.hidden',
  '...',
  'a:b|c<d>e*f.jpg',
];

/**
 * What every store of blobs must do, whatever keeps the bytes. `create` gives an empty store.
 * `holdsBytes` says that the store itself lies in memory, which excuses it from the promise of constant memory.
 */
export function blobStoreContract(
  name: string,
  create: () => Promise<{ store: BlobStore; close(): Promise<void> }>,
  options: { holdsBytes?: boolean } = {},
): void {
  describe(`${name} as a blob store`, () => {
    let current: Awaited<ReturnType<typeof create>>;
    const store = () => current.store;
    beforeEach(async () => {
      current = await create();
    });
    afterEach(() => current.close());

    describe('writing', () => writing(store));
    describe('writing that fails', () => failing(store));
    describe('many at once', () => racing(store));
    describe('reading', () => reading(store));
    describe('copying, moving, removing', () => rearranging(store));
    describe('listing', () => listing(store));
    describe('folders', () => foldering(store));
    describe('names', () => naming(store));
    test.skipIf(options.holdsBytes)('a file of any size takes the same memory', () => constantMemory(store()));
  });
}

type Current = () => BlobStore;

function writing(store: Current): void {
  test('a stream of unknown length is stored byte by byte', async () => {
    const chunks = [Buffer.from('one '), Buffer.alloc(300_000, 'x'), Buffer.from(' end')];
    const written = await store().write(path('a/b/c.bin'), Readable.from(chunks, { objectMode: false }));
    expect(written.size).toBe(300_008);
    expect(await read(store(), 'a/b/c.bin')).toEqual(Buffer.concat(chunks));
    expect(await store().stat(path('a/b/c.bin'))).toEqual(written);
  });

  test('an iterable that is no stream, and an empty one, are sources too', async () => {
    await store().write(path('a'), pieces('one', 'two'));
    await store().write(path('empty'), pieces());
    expect(await text(store(), 'a')).toBe('onetwo');
    expect((await store().stat(path('empty')))?.size).toBe(0);
    expect(await text(store(), 'empty')).toBe('');
  });

  test('writing replaces unless told to keep', async () => {
    await put(store(), 'a.txt', 'old');
    await store().write(path('a.txt'), pieces('newer'));
    expect(await text(store(), 'a.txt')).toBe('newer');
    await expect(store().write(path('a.txt'), pieces('third'), { existing: 'keep' })).rejects.toThrow(BlobExists);
    expect(await text(store(), 'a.txt')).toBe('newer');
    await store().write(path('b.txt'), pieces('new'), { existing: 'keep' });
    expect(await text(store(), 'b.txt')).toBe('new');
  });

  test('a local file is taken over, and left to the caller when it cannot be', async () => {
    await withTempFile('bytes', async (file) => {
      await put(store(), 'taken', 'old');
      await expect(store().adopt(path('taken'), file, { existing: 'keep' })).rejects.toThrow(BlobExists);
      await expect(store().adopt(path('taken/below'), file)).rejects.toThrow(BlobConflict);
      await expect(store().adopt(path('a'), file, { signal: AbortSignal.abort() })).rejects.toThrow();
      expect(await readFile(file, 'utf8')).toBe('bytes');
      const adopted = await store().adopt(path('folder/new'), file, { existing: 'keep' });
      expect(adopted).toEqual(await store().stat(path('folder/new')));
      expect(await text(store(), 'folder/new')).toBe('bytes');
      await expect(access(file)).rejects.toThrow();
    });
  });

  test('the etag stays while the bytes do and changes with every replacement', async () => {
    const seen = new Set<string>();
    for (let version = 10; version < 60; version++) {
      const { etag } = await store().write(path('a'), pieces(String(version)));
      expect((await store().stat(path('a')))?.etag).toBe(etag);
      seen.add(etag);
    }
    expect(seen.size).toBe(50);
    const before = await store().stat(path('a'));
    await put(store(), 'b', 'other');
    await read(store(), 'a');
    expect(await store().stat(path('a'))).toEqual(before);
    expect(before?.etag).not.toContain('"');
  });

  test('times are those of the writing', async () => {
    const start = Date.now();
    const { createdAt, modifiedAt } = await put(store(), 'a', 'bytes');
    // The clock of a server or of a file system may differ a little from ours.
    for (const time of [createdAt, modifiedAt]) expect(Math.abs(time.getTime() - start)).toBeLessThan(60_000);
  });

  test('a file does not stand where a folder is, nor a folder where a file is', async () => {
    await put(store(), 'folder/file', 'bytes');
    await store().createFolder(path('empty'));
    for (const taken of ['folder', 'empty', 'folder/file/below', 'folder/file/far/below', '']) {
      await expect(store().write(path(taken), pieces('x')), taken).rejects.toThrow(BlobConflict);
      await expect(store().copy(path('folder/file'), path(taken)), taken).rejects.toThrow(BlobConflict);
      await expect(store().move(path('folder/file'), path(taken)), taken).rejects.toThrow(BlobConflict);
    }
    expect(await text(store(), 'folder/file')).toBe('bytes');
    expect(await store().list(path('empty'))).toEqual({ folders: [], files: [] });
  });
}

function failing(store: Current): void {
  test('an error of the source leaves the old file and nothing else', async () => {
    const before = await put(store(), 'a.txt', 'old');
    const broken = new Error('the client went away');
    async function* source() {
      yield Buffer.alloc(200_000);
      throw broken;
    }
    for (const target of ['a.txt', 'new.txt']) {
      await expect(store().write(path(target), source())).rejects.toBe(broken);
      await expect(store().write(path(target), Readable.from(source()))).rejects.toBe(broken);
    }
    expect(await store().stat(path('a.txt'))).toEqual(before);
    expect(await text(store(), 'a.txt')).toBe('old');
    expect(names((await store().list(ROOT)).files)).toEqual(['a.txt']);
  });

  test('a source that failed before it was read is an error, not a crash', async () => {
    const source = new Readable({ read() {} });
    const writing = store().write(path('a.txt'), source);
    source.destroy(new Error('early'));
    await expect(writing).rejects.toThrow('early');
    expect(await store().stat(path('a.txt'))).toBeUndefined();
  });

  test('an abort ends a write whose source has stalled, and destroys the source', async () => {
    const before = await put(store(), 'a.txt', 'old');
    const abort = new AbortController();
    const reads = Promise.withResolvers<void>();
    let served = false;
    const source = new Readable({
      read() {
        if (served) reads.resolve();
        else this.push(Buffer.alloc(100_000));
        served = true;
      },
    });
    const writing = store().write(path('a.txt'), source, { signal: abort.signal });
    await reads.promise;
    abort.abort();
    await expect(writing).rejects.toMatchObject({ name: 'AbortError' });
    expect(source.destroyed).toBe(true);
    expect(await store().stat(path('a.txt'))).toEqual(before);
  });

  test('an abort before or between the chunks leaves nothing behind', async () => {
    const source = new Readable({ read() {} });
    const early = store().write(path('a.txt'), source, { signal: AbortSignal.abort() });
    await expect(early).rejects.toMatchObject({ name: 'AbortError' });
    expect(source.destroyed).toBe(true);
    const abort = new AbortController();
    async function* chunks() {
      yield Buffer.from('one');
      abort.abort();
      yield Buffer.from('two');
    }
    const late = store().write(path('a.txt'), chunks(), { signal: abort.signal });
    await expect(late).rejects.toMatchObject({ name: 'AbortError' });
    expect(await store().list(ROOT)).toEqual({ folders: [], files: [] });
  });
}

function racing(store: Current): void {
  test('every reader sees one whole version while many write', async () => {
    const version = (n: number) => Buffer.alloc(100_000 + n * 1000, n);
    await store().write(path('a'), pieces(version(0)));
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let n = 1; n <= 8; n++) {
        const bytes = version(writer * 8 + n);
        await store().write(path('a'), pieces(bytes.subarray(0, 50_000), bytes.subarray(50_000)));
      }
    });
    let writing = true;
    const readers = Array.from({ length: 4 }, async () => {
      do {
        const bytes = await read(store(), 'a');
        expect(bytes.equals(version(bytes[0] ?? 255))).toBe(true);
      } while (writing);
    });
    await Promise.all(writers);
    writing = false;
    await Promise.all(readers);
  });

  test('a reader that began before a replacement or a removal gets the old bytes to the end', async () => {
    const old = Buffer.alloc(4 * MEBIBYTE, 'o');
    for (const change of [() => put(store(), 'a', 'new'), () => store().remove(path('a'))]) {
      await store().write(path('a'), pieces(old));
      const reader = (await store().open(path('a')))[Symbol.asyncIterator]();
      const parts: Buffer[] = [(await reader.next()).value];
      await change();
      for (let part = await reader.next(); !part.done; part = await reader.next()) parts.push(part.value);
      expect(Buffer.concat(parts).equals(old)).toBe(true);
    }
  });

  test('of twenty that write one new file and keep what exists, one wins', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => store().write(path('new/a'), pieces(`writer ${n}`), { existing: 'keep' })),
    );
    await expectOneWinner(outcomes);
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
    expect(await text(store(), 'new/a')).toBe(`writer ${winner}`);
  });

  test('of twenty moves, copies and local files to one new path that keep what exists, one wins', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, n) => put(store(), `from/${n}`, `file ${n}`)));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => [
        store().move(path(`from/${n}`), path('to/moved'), { existing: 'keep' }),
        store().copy(path(`from/${n}`), path('to/copied'), { existing: 'keep' }),
      ]).flat(),
    );
    await expectOneWinner(outcomes.filter((_, n) => n % 2 === 0));
    // A copy may come too late for a file that was moved away.
    const copies = outcomes.filter((_, n) => n % 2 === 1);
    expect(copies.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
    expect(names((await store().list(path('from'))).files)).toHaveLength(9);
    expect(await text(store(), 'to/moved')).toMatch(/^file \d$/);
  });

  test('two moves of one file never lose it', async () => {
    for (const existing of ['keep', 'replace'] as const) {
      await put(store(), `${existing}/from`, 'bytes');
      const targets = ['one', 'two'].map((name) => path(`${existing}/${name}`));
      const moves = targets.map((to) => store().move(path(`${existing}/from`), to, { existing }));
      await Promise.allSettled(moves);
      const { files } = await store().list(path(existing));
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) expect(await text(store(), file.path)).toBe('bytes');
      expect(names(files)).not.toContain(`${existing}/from`);
    }
  });

  test('files written at once into a new folder all arrive', async () => {
    const paths = Array.from({ length: 20 }, (_, n) => `new/folder/${String(n).padStart(2, '0')}`);
    await Promise.all(paths.map((name) => put(store(), name, name)));
    expect(names((await store().list(path('new/folder'))).files)).toEqual(paths);
  });
}

function reading(store: Current): void {
  test('a range gives exactly its bytes', async () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 200_000 }, (_, n) => n % 251));
    await store().write(path('a'), pieces(bytes));
    const ranges = [
      [0, 0],
      [0, 999],
      [70_000, 140_000],
      [199_999, 199_999],
      [0, 199_999],
    ] as const;
    for (const [start, end] of ranges) {
      const part = await buffer(await store().open(path('a'), { range: { start, end } }));
      expect(part.equals(bytes.subarray(start, end + 1)), `${start}-${end}`).toBe(true);
    }
  });

  test('an abort ends a reader', async () => {
    await store().write(path('a'), pieces(Buffer.alloc(4 * MEBIBYTE)));
    const abort = new AbortController();
    const stream = await store().open(path('a'), { signal: abort.signal });
    const readAll = async () => {
      for await (const _ of stream) abort.abort();
    };
    await expect(readAll()).rejects.toMatchObject({ name: 'AbortError' });
    expect(stream.destroyed).toBe(true);
    await expect(store().open(path('a'), { signal: AbortSignal.abort() })).rejects.toThrow();
  });

  test('what is missing, and a folder, is no file', async () => {
    await put(store(), 'folder/file', 'bytes');
    for (const name of ['missing', 'missing/too', 'folder', 'folder/file/below', 'fold', 'folder/fil', '']) {
      const use = () => Promise.reject(new Error('there is nothing to use'));
      expect(await store().stat(path(name)), name).toBeUndefined();
      await expect(store().open(path(name)), name).rejects.toThrow(BlobNotFound);
      await expect(store().withLocalFile(path(name), use), name).rejects.toThrow(BlobNotFound);
      await expect(store().copy(path(name), path('to')), name).rejects.toThrow(BlobNotFound);
      await expect(store().move(path(name), path('to')), name).rejects.toThrow(BlobNotFound);
      expect(await store().remove(path(name)), name).toBe(false);
    }
    expect(await store().list(ROOT)).toEqual({ folders: ['folder'], files: [] });
  });

  test('a local file holds the bytes while it is used', async () => {
    await put(store(), 'a.jpg', 'bytes');
    expect(await store().withLocalFile(path('a.jpg'), (file) => readFile(file, 'utf8'))).toBe('bytes');
    const failure = new Error('cannot use it');
    await expect(store().withLocalFile(path('a.jpg'), () => Promise.reject(failure))).rejects.toBe(failure);
    const aborted = store().withLocalFile(path('a.jpg'), async () => undefined, AbortSignal.abort());
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    expect(await text(store(), 'a.jpg')).toBe('bytes');
  });
}

function rearranging(store: Current): void {
  test('a copy has the same bytes and a life of its own', async () => {
    await put(store(), 'a', 'bytes');
    expect(await store().copy(path('a'), path('new/b'))).toEqual(await store().stat(path('new/b')));
    await put(store(), 'a', 'changed');
    expect(await text(store(), 'new/b')).toBe('bytes');
    await expect(store().copy(path('a'), path('new/b'), { existing: 'keep' })).rejects.toThrow(BlobExists);
    expect(await text(store(), 'new/b')).toBe('bytes');
    await store().copy(path('a'), path('new/b'));
    expect(await text(store(), 'new/b')).toBe('changed');
    const aborted = store().copy(path('a'), path('c'), { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    expect(await store().stat(path('c'))).toBeUndefined();
  });

  test('a moved file is at its new path only', async () => {
    await put(store(), 'a', 'bytes');
    expect(await store().move(path('a'), path('new/b'))).toEqual(await store().stat(path('new/b')));
    expect(await store().stat(path('a'))).toBeUndefined();
    await put(store(), 'c', 'other');
    await expect(store().move(path('c'), path('new/b'), { existing: 'keep' })).rejects.toThrow(BlobExists);
    expect([await text(store(), 'c'), await text(store(), 'new/b')]).toEqual(['other', 'bytes']);
    await store().move(path('c'), path('new/b'));
    expect(await text(store(), 'new/b')).toBe('other');
    expect(await store().stat(path('c'))).toBeUndefined();
  });

  test('a file that is moved or copied onto itself stays', async () => {
    await put(store(), 'a', 'bytes');
    await store().move(path('a'), path('a'));
    await store().copy(path('a'), path('a'));
    await expect(store().move(path('a'), path('a'), { existing: 'keep' })).rejects.toThrow(BlobExists);
    expect(await text(store(), 'a')).toBe('bytes');
  });

  test('removing says whether there was a file', async () => {
    await put(store(), 'a.jpg', 'bytes');
    await put(store(), 'a', 'bytes');
    expect(await store().remove(path('a'))).toBe(true);
    expect(await store().remove(path('a'))).toBe(false);
    expect(await store().stat(path('a'))).toBeUndefined();
    expect(await text(store(), 'a.jpg')).toBe('bytes');
  });
}

function listing(store: Current): void {
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

function foldering(store: Current): void {
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

function naming(store: Current): void {
  test.each(AWKWARD_NAMES)('a file and a folder can be called %j', async (name) => {
    const file = path(`${name}/${name}`);
    const other = path(`other ${name}`);
    const written = await put(store(), file, name);
    expect(await store().list(path(name))).toEqual({ folders: [], files: [{ path: file, ...written }] });
    expect((await store().list(ROOT)).folders).toEqual([path(name)]);
    expect(await store().folders()).toEqual([path(name)]);
    expect(await walked(store(), '')).toEqual([file]);
    await store().copy(file, other);
    expect(await text(store(), other)).toBe(name);
    await store().move(other, file);
    expect(await store().withLocalFile(file, (local) => readFile(local, 'utf8'))).toBe(name);
    await store().moveFolder(path(name), path(`moved/${name}`));
    expect(await text(store(), `moved/${name}/${name}`)).toBe(name);
    expect(await store().remove(path(`moved/${name}/${name}`))).toBe(true);
  });
}

/** Counts what is alive outside the heap, after a collection, every four mebibytes in both directions. */
async function constantMemory(store: BlobStore): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const alive = () => {
    collect();
    const { external, heapUsed } = process.memoryUsage();
    return external + heapUsed;
  };
  const total = 64 * MEBIBYTE;
  const sent = createHash('sha256');
  const received = createHash('sha256');
  const before = alive();
  let most = before;
  async function* source() {
    for (let position = 0; position < total; position += 65_536) {
      const chunk = Buffer.alloc(65_536, position / 65_536);
      sent.update(chunk);
      yield chunk;
      if (position % (4 * MEBIBYTE) === 0) most = Math.max(most, alive());
    }
  }
  expect((await store.write(path('large'), source())).size).toBe(total);
  let position = 0;
  let sampled = 0;
  for await (const chunk of await store.open(path('large'))) {
    received.update(chunk);
    position += chunk.length;
    if (position - sampled < 4 * MEBIBYTE) continue;
    sampled = position;
    most = Math.max(most, alive());
  }
  expect(position).toBe(total);
  expect(received.digest('hex')).toBe(sent.digest('hex'));
  // Room for a client library that sends parts of several mebibytes, some at a time.
  expect(most - before).toBeLessThan(40 * MEBIBYTE);
}

async function expectOneWinner(outcomes: PromiseSettledResult<unknown>[]): Promise<void> {
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(failures).toHaveLength(outcomes.length - 1);
  for (const { reason } of failures) expect(reason).toBeInstanceOf(BlobExists);
}

async function withTempFile(content: string, use: (file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'blob-store-'));
  try {
    const file = join(folder, 'upload');
    await writeFile(file, content);
    await use(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const path = parsePath;

async function* pieces(...parts: (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

function put(store: BlobStore, name: string, content: string) {
  return store.write(path(name), pieces(content));
}

/** Every file holds its own path. */
async function putAll(store: BlobStore, files: string[]): Promise<void> {
  for (const file of files) await put(store, file, file);
}

async function read(store: BlobStore, name: string): Promise<Buffer> {
  return buffer(await store.open(path(name)));
}

async function text(store: BlobStore, name: string): Promise<string> {
  return (await read(store, name)).toString();
}

async function walked(store: BlobStore, folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of store.walk(path(folder))) found.push(entry.path);
  return found.sort();
}

function names(entries: { path: string }[]): string[] {
  return entries.map((entry) => entry.path);
}
