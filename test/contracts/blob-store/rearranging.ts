import { expect, test } from 'vitest';
import { BlobExists } from '../../../src/storage/blob-store.ts';
import { type Current, path, put, text } from './steps.ts';

export function rearranging(store: Current): void {
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
