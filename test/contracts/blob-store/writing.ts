import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { ROOT } from '../../../src/path.ts';
import { BlobConflict, BlobExists } from '../../../src/storage/blob-store.ts';
import { type Current, path, pieces, put, read, text } from './steps.ts';

export function writing(store: Current): void {
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

  test('a write begins before anything is changed', async () => {
    await withTempFile('bytes', async (file) => {
      const begun: string[] = [];
      const begin = (target: string) => async () => {
        begun.push(target);
        expect(await store().stat(path(target))).toBeUndefined();
        expect(await store().folderExists(path('new'))).toBe(begun.length > 1);
      };
      await store().write(path('new/written'), pieces('bytes'), { begin: begin('new/written') });
      await store().adopt(path('new/adopted'), file, { existing: 'keep', begin: begin('new/adopted') });
      expect(begun).toEqual(['new/written', 'new/adopted']);
      expect([await text(store(), 'new/written'), await text(store(), 'new/adopted')]).toEqual(['bytes', 'bytes']);
    });
  });

  test('a write that cannot begin changes nothing, and leaves a local file to the caller', async () => {
    await withTempFile('bytes', async (file) => {
      const refusal = new Error('the database is gone');
      const begin = () => Promise.reject(refusal);
      await expect(store().write(path('new/file'), pieces('bytes'), { begin })).rejects.toBe(refusal);
      await expect(store().adopt(path('new/file'), file, { begin })).rejects.toBe(refusal);
      expect(await readFile(file, 'utf8')).toBe('bytes');
      expect(await store().list(ROOT)).toEqual({ folders: [], files: [] });
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
    // The clock of a server or of a file system may differ slightly from this process's.
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
