import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ROOT } from '../../../src/path.ts';
import { BlobNotFound } from '../../../src/storage/blob-store.ts';
import { type Current, MEBIBYTE, path, pieces, put, text } from './steps.ts';

export function reading(store: Current): void {
  test('the bytes of another version than the one expected do not open', async () => {
    const first = await put(store(), 'a', 'one');
    const open = () => store().open(path('a'), { etag: first.etag });
    expect((await buffer(await open())).toString()).toBe('one');
    await put(store(), 'a', 'two');
    await expect(open()).rejects.toThrow(BlobNotFound);
  });

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
