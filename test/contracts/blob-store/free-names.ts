import { expect, test } from 'vitest';
import { numberedName, type StoragePath } from '../../../src/path.ts';
import type { BlobStore } from '../../../src/storage/blob-store.ts';
import { type Current, path, pieces, put, putAll } from './steps.ts';

/** Yields `image.jpg`, `image (1).jpg`, ... in a folder. */
function* numbered(folder: string, name: string, count: number): Generator<StoragePath> {
  yield path(`${folder}/${name}`);
  for (let n = 1; n < count; n++) yield path(`${folder}/${numberedName(name, n)}`);
}

async function free(store: BlobStore, wanted: Iterable<StoragePath>, count = Number.POSITIVE_INFINITY) {
  const found: string[] = [];
  for await (const { path: name } of store.freeNames(wanted)) {
    found.push(name);
    if (found.length === count) break;
  }
  return found;
}

export function freeNames(store: Current): void {
  test('the free ones of some names are those where neither a file nor a folder stands, in their order', async () => {
    await putAll(store(), [
      'a/image.jpg',
      'a/image (2).jpg',
      'a/image (3).jpg/below',
      'a/image.jpg.txt',
      'image (1).jpg',
    ]);
    await store().createFolder(path('a/image (5).jpg'));
    expect(await free(store(), numbered('a', 'image.jpg', 8))).toEqual([
      'a/image (1).jpg',
      'a/image (4).jpg',
      'a/image (6).jpg',
      'a/image (7).jpg',
    ]);
  });

  test('all are free in a folder that is missing, and none where all are taken', async () => {
    expect(await free(store(), numbered('missing', 'x', 3))).toEqual(['missing/x', 'missing/x (1)', 'missing/x (2)']);
    await putAll(store(), [...numbered('a', 'x', 3)]);
    expect(await free(store(), numbered('a', 'x', 3))).toEqual([]);
    expect(await free(store(), [])).toEqual([]);
  });

  test.each([
    ['of 255 bytes', `${'x'.repeat(251)}.jpg`],
    ['of 255 bytes that are few characters', `${'😀'.repeat(62)}123.jpg`],
    ['without an extension', 'no extension'],
    ['that begins as another one ends', 'image (1).jpg'],
  ])('a name %s is found free among its like', async (_what, name) => {
    const taken = [...numbered('a', name, 12)];
    await putAll(store(), taken);
    expect(await free(store(), numbered('a', name, 14))).toEqual([...numbered('a', name, 14)].slice(12));
  });

  test('a name is found free among hundreds that begin alike', async () => {
    const alike = Array.from({ length: 150 }, (_, n) => `a/x${n}`);
    const taken = [...numbered('a', 'x', 120)];
    const files = [...alike, ...taken];
    for (let start = 0; start < files.length; start += 30) {
      await Promise.all(files.slice(start, start + 30).map((file) => put(store(), file, file)));
    }
    expect(await free(store(), numbered('a', 'x', 10_000), 2)).toEqual(['a/x (120)', 'a/x (121)']);
    expect(await free(store(), [path('a/x150'), path('a/x151')])).toEqual(['a/x150', 'a/x151']);
    await store().remove(path('a/x'));
    expect(await free(store(), numbered('a', 'x', 10_000), 2)).toEqual(['a/x', 'a/x (120)']);
  });

  test('what was free and is taken since is not replaced, and not stood upon', async () => {
    for (const change of [() => put(store(), 'a/x', 'old'), () => store().createFolder(path('a/y'))]) {
      const looks = [];
      for await (const look of store().freeNames([path('a/x'), path('a/y')])) looks.push(look);
      await change();
      const outcomes = await Promise.allSettled(
        looks.map(({ path: name, seenAt }) => store().write(name, pieces('new'), { existing: 'keep', seenAt })),
      );
      expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
      await store().removeFolder(path('a'));
    }
  });
}
