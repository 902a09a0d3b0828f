import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROOT } from '../../src/path.ts';
import { BlobExists } from '../../src/storage/blob-store.ts';
import type { Bucket } from '../../src/storage/s3/bucket.ts';
import { copyObject } from '../../src/storage/s3/copy.ts';
import { createKeys } from '../../src/storage/s3/keys.ts';
import { unreachableNames } from '../../src/storage/s3/list.ts';
import { MEBIBYTE, names, path, pieces, put, putAll, read, text, walked } from '../contracts/blob-store/steps.ts';
import { describeOnS3, newBucket, newS3Store, type TestStore } from './bucket.ts';

/** Writes like another program. */
function putObject({ name, request }: Bucket, Key: string): Promise<unknown> {
  return request(new PutObjectCommand({ Bucket: name, Key, Body: 'x' }));
}

describeOnS3('a store in a bucket', () => {
  let current: TestStore;
  const store = () => current.store;
  beforeEach(async () => {
    current = await newS3Store();
  });
  afterEach(() => current.close());

  test('takes over a large file in parts, with the same care for what exists', async () => {
    const bytes = randomBytes(20 * MEBIBYTE);
    const file = join(tmpdir(), `s3-store-${process.pid}`);
    await writeFile(file, bytes);
    const stat = await store().adopt(path('a.bin'), file, { existing: 'keep' });
    expect(stat).toEqual(await store().stat(path('a.bin')));
    expect((await read(store(), 'a.bin')).equals(bytes)).toBe(true);
    await expect(store().write(path('a.bin'), pieces(bytes), { existing: 'keep' })).rejects.toThrow(BlobExists);
    const copy = await store().copy(path('a.bin'), path('b.bin'));
    expect(copy.size).toBe(bytes.length);
  });

  test.each([
    ['small', 1000],
    ['large', 9 * MEBIBYTE],
  ])(
    'of %s files that machines store under one name at once, one is stored and the others are told',
    async (_, size) => {
      const settings = await newBucket();
      const machines = await Promise.all([1, 2, 3].map(() => newS3Store(settings)));
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        const outcomes = await Promise.allSettled(
          machines.map(async ({ store }, n) => {
            const file = join(tmpdir(), `s3-store-${process.pid}-${n}`);
            await writeFile(file, Buffer.alloc(size, String(n)));
            return store.adopt(path(name), file, { existing: 'keep' });
          }),
        );
        const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        for (const outcome of outcomes.filter(({ status }) => status === 'rejected')) {
          expect(outcome).toMatchObject({ reason: { name: 'BlobExists' } });
        }
        const [machine] = machines;
        expect(machine && (await read(machine.store, name)).equals(Buffer.alloc(size, String(winner)))).toBe(true);
      }
      await Promise.all(machines.map(({ close }) => close()));
    },
  );

  test('copies in parts what is too large for one request', async () => {
    const bytes = randomBytes(17 * MEBIBYTE);
    const { etag, size } = await store().write(path('a.bin'), pieces(bytes));
    const source = { key: 'originals/a.bin', etag, size };
    const options = { contentType: 'application/octet-stream', maxSingleBytes: 8 * MEBIBYTE, partBytes: 6 * MEBIBYTE };
    await copyObject(current.bucket, source, 'originals/b.bin', options);
    expect((await read(store(), 'b.bin')).equals(bytes)).toBe(true);
    const stale = copyObject(current.bucket, { ...source, etag: '0'.repeat(32) }, 'originals/c.bin', options);
    await expect(stale).rejects.toThrow();
    expect(await store().stat(path('c.bin'))).toBeUndefined();
  });

  test('sees the files that others put there, in folders that nobody made', async () => {
    for (const key of ['a/b/c.txt', 'd.txt', 'a//empty-name.txt', 'back\\slash.txt']) {
      await putObject(current.bucket, `originals/${key}`);
    }
    expect(await store().list(ROOT)).toMatchObject({ folders: ['a'], files: [{ path: 'd.txt' }] });
    expect(await store().folders()).toEqual(['a', 'a/b']);
    expect(await walked(store(), '')).toEqual(['a/b/c.txt', 'd.txt']);
    expect(await store().removeFolder(path('a'))).toBe(true);
    expect(await store().folderExists(path('a'))).toBe(false);
  });

  test('names the keys of others that no path leads to', async () => {
    const odd = ['a//empty-name.txt', 'back\\slash.txt', 'Cafe\u0301/decomposed.txt'];
    for (const key of [...odd, 'Caf\u00e9/composed.txt']) await putObject(current.bucket, `originals/${key}`);
    await store().createFolder(path('made'));
    const found = await Array.fromAsync(unreachableNames(current.bucket, createKeys('originals/')));
    expect(found.map(({ name }) => name).sort()).toEqual(odd.sort());
  });

  test('a folder stays when the only file in it is moved away', async () => {
    await put(store(), 'a/b/file', 'bytes');
    await store().move(path('a/b/file'), path('file'));
    expect(await store().folders()).toEqual(['a', 'a/b']);
  });

  test('lists more than one page, and looks into a folder no further than it has to', async () => {
    const files = Array.from({ length: 1100 }, (_, n) => `many/${String(n).padStart(4, '0')}`);
    for (let start = 0; start < files.length; start += 50) {
      await Promise.all(files.slice(start, start + 50).map((file) => putObject(current.bucket, `originals/${file}`)));
    }
    expect(names((await store().list(path('many'))).files)).toEqual(files);
    expect(await walked(store(), '')).toEqual(files);
    const { length } = (await store().list(path('many'), { limit: 100 })).files;
    expect(length).toBeGreaterThanOrEqual(100);
    expect(length).toBeLessThan(200);
    await store().removeFolder(path('many'));
    expect(await walked(store(), '')).toEqual([]);
  });

  test.each(['line\nbreak', 'tab\there', 'bell\u0007', 'carriage\rreturn'])('a name may hold %j', async (name) => {
    await put(store(), `folder/${name}`, name);
    expect(await walked(store(), '')).toEqual([`folder/${name}`]);
    await store().moveFolder(path('folder'), path('other'));
    expect(await text(store(), `other/${name}`)).toBe(name);
    expect(await store().removeFolder(path('other'))).toBe(true);
    expect(await walked(store(), '')).toEqual([]);
  });

  test('two stores with prefixes of their own share a bucket and nothing else', async () => {
    const settings = await newBucket();
    const one = await newS3Store({ ...settings, prefix: 'one/' });
    const two = await newS3Store({ ...settings, prefix: 'one/two/' });
    await putAll(one.store, ['a', 'x/b']);
    await putAll(two.store, ['a', 'c']);
    expect(await walked(one.store, '')).toEqual(['a', 'x/b']);
    expect(await walked(two.store, '')).toEqual(['a', 'c']);
    await Promise.all([one.close(), two.close()]);
  });

  test('a path that is too long for a key is the mistake of whoever asks', async () => {
    const long = path(Array(5).fill('x'.repeat(203)).join('/'));
    await expect(store().stat(long)).rejects.toMatchObject({ status: 400 });
  });
});
