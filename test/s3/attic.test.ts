import { randomBytes, randomUUID } from 'node:crypto';
import { DeleteObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { rootedStore } from '../../src/spaces/rooted/blob-store.ts';
import { rootedRetentionStore } from '../../src/spaces/rooted/retention-store.ts';
import type { RetentionStore } from '../../src/storage/retention-store.ts';
import { findObject } from '../../src/storage/s3/copied-version.ts';
import { copyObject } from '../../src/storage/s3/copy.ts';
import { S3RetentionStore } from '../../src/storage/s3/retention-store.ts';
import { S3Store } from '../../src/storage/s3/store.ts';
import { MEBIBYTE, path, pieces, put, read } from '../contracts/blob-store/steps.ts';
import { atticContract } from '../contracts/retention-store.ts';
import { ROOT_OF_SPACE } from '../spaces/outside.ts';
import { describeOnS3, newS3Store, type TestStore } from './bucket.ts';

const CONDITIONS = { hasConditions: true, hasPartConditions: false, hasDeleteConditions: false };

function retentionOf({ store, bucket }: TestStore): RetentionStore {
  if (!(store instanceof S3Store)) throw new Error('Expected a store on a bucket.');
  return new S3RetentionStore(bucket, store.area, CONDITIONS);
}

describeOnS3('a bucket', () => {
  atticContract('a bucket', async () => {
    const opened = await newS3Store();
    return { store: opened.store, retention: retentionOf(opened), close: opened.close };
  });

  atticContract('a space in a bucket', async () => {
    const opened = await newS3Store();
    await opened.store.createFolder(ROOT_OF_SPACE.folder);
    return {
      store: rootedStore(opened.store, ROOT_OF_SPACE),
      retention: rootedRetentionStore(retentionOf(opened), ROOT_OF_SPACE, async () => true),
      close: opened.close,
    };
  });

  describe('the retained copy', () => {
    let current: TestStore;
    let retention: RetentionStore;
    let id: string;
    beforeEach(async () => {
      current = await newS3Store();
      retention = retentionOf(current);
      id = randomUUID();
    });
    afterEach(() => current.close());

    test('of a file is recognised when it was assembled from other parts', async () => {
      const { bucket, store } = current;
      await store.write(path('a.bin'), pieces(randomBytes(17 * MEBIBYTE)));
      const original = await findObject(bucket, 'originals/a.bin');
      if (!original) throw new Error('Expected a file.');
      const source = { key: 'originals/a.bin', ...original.stat };
      await copyObject(bucket, source, `attic/${id}`, {
        contentType: 'application/octet-stream',
        metadata: original.copyMetadata,
        maxSingleBytes: 8 * MEBIBYTE,
        partBytes: 6 * MEBIBYTE,
      });
      expect(await retention.stat(id)).not.toMatchObject({ etag: original.stat.etag });
      await retention.completeKeep(path('a.bin'), id);
      expect(await store.stat(path('a.bin'))).toBeUndefined();
    });

    test('is recognised as restored, also when the file was assembled from other parts', async () => {
      const { bucket, store } = current;
      await store.write(path('a.bin'), pieces(randomBytes(17 * MEBIBYTE)));
      await retention.keep(path('a.bin'), id);
      const retained = await findObject(bucket, `attic/${id}`);
      if (!retained) throw new Error('Expected an item.');
      const { request } = bucket;
      vi.spyOn(bucket, 'request').mockImplementation((command, options) => {
        if (command instanceof DeleteObjectCommand) throw new Error('The process ends here.');
        return request(command, options);
      });
      await expect(retention.giveBack(id, path('b.bin'))).rejects.toThrow('ends here');
      const restored = await findObject(bucket, 'originals/b.bin');
      expect(restored?.source).toBe(`${retained.stat.etag} ${retained.stat.modifiedAt.toISOString()}`);
      await copyObject(bucket, { key: `attic/${id}`, ...retained.stat }, 'originals/b.bin', {
        contentType: 'application/octet-stream',
        metadata: retained.copyMetadata,
        maxSingleBytes: 8 * MEBIBYTE,
        partBytes: 6 * MEBIBYTE,
      });
      expect((await store.stat(path('b.bin')))?.etag).not.toBe(retained.stat.etag);
      expect(await retention.isRestored(id, path('b.bin'))).toBe(true);
    });

    test('is not taken for the same bytes that were uploaded later', async () => {
      const { store } = current;
      await put(store, 'a.txt', 'bytes');
      const { modifiedAt } = await retention.keepCopy(path('a.txt'), id);
      // The times of objects are whole seconds.
      await vi.waitUntil(
        async () => {
          await put(store, 'a.txt', 'bytes');
          return ((await store.stat(path('a.txt')))?.modifiedAt ?? 0) > modifiedAt;
        },
        { timeout: 30_000 },
      );
      await retention.completeKeep(path('a.txt'), id);
      expect((await read(store, 'a.txt')).toString()).toBe('bytes');
    });

    test('has the headers that another program gave to the file', async () => {
      const { bucket, store } = current;
      const file = { Bucket: bucket.name, Key: 'originals/a.txt', Body: 'bytes' };
      const headers = { CacheControl: 'max-age=60', Metadata: { owner: 'Ada' } };
      await bucket.request(new PutObjectCommand({ ...file, ...headers }));
      await retention.keepCopy(path('a.txt'), id);
      const head = new HeadObjectCommand({ Bucket: bucket.name, Key: `attic/${id}` });
      expect(await bucket.request(head)).toMatchObject(headers);
      await retention.completeKeep(path('a.txt'), id);
      expect(await store.stat(path('a.txt'))).toBeUndefined();
    });
  });
});
