import { randomUUID } from 'node:crypto';
import { CopyObjectCommand, DeleteObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { type Bucket, type BucketSettings, createBucket } from '../../src/storage/s3/bucket.ts';
import { S3Store } from '../../src/storage/s3/store.ts';
import type { Change } from './model.ts';
import { apply, type WorldStorage } from './rig.ts';

const CONDITIONS = { hasConditions: true, hasPartConditions: false, hasDeleteConditions: false };

/** Opens a prefix of a bucket, with a local folder for incoming files. */
export function openBucketStorage(settings: BucketSettings, directory: string): WorldStorage {
  const bucket = createBucket({ ...settings, prefix: `${randomUUID()}/` });
  const open = async () => new S3Store({ bucket, staging: { directory, maxBytes: 1e6 }, ...CONDITIONS });
  return {
    open,
    foreign: async (change, bytes) => changeBucket(bucket, await open(), change, bytes),
    hasIdentity: false,
    close: () => bucket.close(),
  };
}

/** Changes the bucket like a program that knows nothing of folders. */
async function changeBucket(bucket: Bucket, store: S3Store, change: Change, bytes: Buffer): Promise<void> {
  const keyOf = (path: string) => `${bucket.prefix}originals/${path}`;
  const object = { Bucket: bucket.name, Key: keyOf(change.path) };
  switch (change.type) {
    case 'write':
      if (await store.folderExists(change.path as never)) throw new Error('a folder');
      await bucket.request(new PutObjectCommand({ ...object, Body: bytes, ContentLength: bytes.length }));
      return;
    case 'remove':
      await bucket.request(new HeadObjectCommand(object));
      await bucket.request(new DeleteObjectCommand(object));
      return;
    case 'move': {
      if (await store.folderExists(change.to as never)) throw new Error('a folder');
      const CopySource = `${bucket.name}/${encodeURIComponent(object.Key)}`;
      await bucket.request(new CopyObjectCommand({ Bucket: bucket.name, Key: keyOf(change.to), CopySource }));
      if (change.path !== change.to) await bucket.request(new DeleteObjectCommand(object));
      return;
    }
    default:
      await apply(store, change, bytes);
  }
}
