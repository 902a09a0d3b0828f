import { appendFile, mkdir, mkdtemp, readdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { textBlobs } from '../../../test/text-blobs.ts';
import { parsePath as path, ROOT } from '../../path.ts';
import { BlobExists, type BlobStore } from '../blob-store.ts';
import { createDiskStore } from './store.ts';

let folder: string;
let root: string;
let temp: string;
let store: BlobStore;
const { put, content, walked } = textBlobs(() => store);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'disk-'));
  root = join(folder, 'deep/originals');
  temp = join(folder, 'tmp');
  store = await openStore();
});

const openStore = () => createDiskStore({ root, temp });

afterEach(() => rm(folder, { recursive: true }));

describe('the etag', () => {
  test('changes when someone else changes the file, also to the same size', async () => {
    const seen = [(await put('a', 'one')).etag];
    const look = async () => seen.push((await store.stat(path('a')))?.etag ?? '');
    await appendFile(join(root, 'a'), '!');
    await look();
    await writeFile(join(folder, 'other'), 'two!');
    await utimes(join(folder, 'other'), 1, 1);
    await rename(join(folder, 'other'), join(root, 'a'));
    await look();
    await utimes(join(root, 'a'), 2, 2);
    await look();
    expect(new Set(seen).size).toBe(4);
  });

  test('is the same for a store that is opened again, and after a move', async () => {
    const { etag } = await put('a', 'bytes');
    const again = await openStore();
    expect((await again.stat(path('a')))?.etag).toBe(etag);
    await again.move(path('a'), path('b/c'), { existing: 'keep' });
    await again.moveFolder(path('b'), path('d'));
    expect((await again.stat(path('d/c')))?.etag).toBe(etag);
  });
});

describe('the mark of a folder', () => {
  test('is none behind a link, and what the link leads to is not touched', async () => {
    await put('a/b/c', 'bytes');
    await utimes(join(root, 'a/b'), 1, 1);
    await symlink('a', join(root, 'link'));
    for (const linked of ['link', 'link/b']) {
      expect(await store.folderFingerprint(path(linked))).toBeNull();
      expect(await store.renewFingerprint(path(linked))).toBeNull();
    }
    expect((await stat(join(root, 'a/b'))).mtimeMs).toBe(1000);
  });

  test('is none of a file, which stays as it is', async () => {
    const { etag } = await put('file', 'bytes');
    expect(await store.renewFingerprint(path('file'))).toBeNull();
    expect((await store.stat(path('file')))?.etag).toBe(etag);
  });
});

describe('times', () => {
  test('are those of the storing, not those of the file that was taken over or copied', async () => {
    await writeFile(join(temp, 'old'), 'bytes');
    await utimes(join(temp, 'old'), 1, 1);
    const adopted = await store.adopt(path('a'), join(temp, 'old'));
    expect(adopted.modifiedAt.getUTCFullYear()).toBeGreaterThan(2000);
    await utimes(join(root, 'a'), 1, 1);
    const copied = await store.copy(path('a'), path('b'));
    expect(copied.modifiedAt.getUTCFullYear()).toBeGreaterThan(2000);
  });
});

describe('what is left behind', () => {
  test('no temporary file after a success, an error or an abort', async () => {
    async function* broken() {
      yield Buffer.from('half');
      throw new Error('broken');
    }
    await put('a');
    await put('b/c');
    const abort = new AbortController();
    const stalled = new Readable({ read: () => abort.abort() });
    const outcomes = await Promise.allSettled([
      store.copy(path('a'), path('d')),
      store.removeFolder(path('b')),
      store.write(path('e'), broken()),
      store.write(path('a'), Readable.from(['late']), { existing: 'keep' }),
      store.write(path('a/b'), Readable.from(['below a file'])),
      store.write(path('e'), stalled, { signal: abort.signal }),
      store.copy(path('a'), path('e'), { signal: AbortSignal.abort() }),
    ]);
    expect(outcomes.map(({ status }) => status[0]).join('')).toBe('ffrrrrr');
    expect(await readdir(temp)).toEqual([]);
    expect(await walked()).toEqual(['a', 'd']);
  });

  test.runIf(process.platform === 'linux')('no open file after readers and writers end in any way', async () => {
    await put('a', 'x'.repeat(500_000));
    const before = (await openFiles()).length;
    await content('a');
    const left = await store.open(path('a'));
    left.destroy();
    const abort = new AbortController();
    const aborted = await store.open(path('a'), { signal: abort.signal });
    const failed = expect(text(aborted)).rejects.toThrow();
    abort.abort();
    await failed;
    await expect(store.open(path('a'), { range: { start: 5, end: 2 } })).rejects.toThrow(RangeError);
    await expect(store.open(ROOT)).rejects.toThrow();
    for await (const _ of store.walk(ROOT)) break;
    await expect(store.write(path('b'), Readable.from(['x']), { signal: AbortSignal.abort() })).rejects.toThrow();
    await expect.poll(async () => (await openFiles()).length).toBeLessThanOrEqual(before);
  });

  test('the folder of the last file stays', async () => {
    await put('a/b/c');
    await store.remove(path('a/b/c'));
    expect(await store.folders()).toEqual(['a', 'a/b']);
  });
});

describe('limits', () => {
  test('names of 255 bytes can be stored, copied, moved and listed', async () => {
    const long = path(`${'é'.repeat(125)}.jpeg`);
    const inside = path(`${long}/${long}`);
    await put(inside, 'bytes');
    await store.copy(inside, path(`copies/${long}`));
    await store.move(inside, path(`moved/${long}`), { existing: 'keep' });
    expect(await walked()).toEqual([`copies/${long}`, `moved/${long}`]);
  });

  test('a folder of thousands of files lists and walks whole and sorted', async () => {
    await mkdir(join(root, 'many'));
    const names = Array.from({ length: 5000 }, (_, n) => String(n).padStart(5, '0'));
    for (const name of names) await writeFile(join(root, 'many', name), name);
    const { files } = await store.list(path('many'));
    expect(files.map((file) => file.path)).toEqual(names.map((name) => `many/${name}`));
    expect(await walked()).toEqual(names.map((name) => `many/${name}`));
  });
});

describe('races on the disk', () => {
  test('writes into a folder that comes and goes all succeed', async () => {
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; n < 30; n++) {
        await put(`folder/deep/${writer}/${n}`);
        if (n % 10 === writer) await store.removeFolder(path('folder'));
      }
    });
    await Promise.all(writers);
    expect(await readdir(temp)).toEqual([]);
  });

  test('an adopted file is kept by one of many', async () => {
    const files = Array.from({ length: 20 }, (_, n) => join(temp, `upload ${n}`));
    for (const file of files) await writeFile(file, file);
    const outcomes = await Promise.allSettled(files.map((file) => store.adopt(path('a'), file, { existing: 'keep' })));
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(failed).toHaveLength(19);
    for (const { reason } of failed) expect(reason).toBeInstanceOf(BlobExists);
    expect(await readdir(temp)).toHaveLength(19);
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
    expect(await content('a')).toBe(files[winner]);
  });
});

async function openFiles(): Promise<string[]> {
  return readdir('/proc/self/fd');
}
