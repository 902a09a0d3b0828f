import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CopyObjectCommand, DeleteObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { openPostgres } from '../../src/db/postgres/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { type Bucket, type BucketSettings, createBucket } from '../../src/storage/s3/bucket.ts';
import { S3Store } from '../../src/storage/s3/store.ts';
import type { Change } from './model.ts';
import { apply, type World } from './rig.ts';

const CONDITIONS = { hasConditions: true, hasPartConditions: false, hasDeleteConditions: false };

/** Makes worlds in one bucket and one PostgreSQL database, one after another. */
export function bucketWorlds(settings: BucketSettings, databaseUrl: string) {
  return async (): Promise<World & { close(): Promise<void> }> => {
    const staging = { directory: await mkdtemp(join(tmpdir(), 'catalog-')), maxBytes: 1e6 };
    const bucket = createBucket({ ...settings, prefix: `${randomUUID()}/` });
    const database = await openPostgres({ url: databaseUrl });
    await empty(database);
    const open = async () => new S3Store({ bucket, staging, ...CONDITIONS });
    return {
      open,
      database,
      foreign: async (change, bytes) => changeBucket(bucket, await open(), change, bytes),
      hasIdentity: false,
      async close() {
        bucket.close();
        await database.close();
        await rm(staging.directory, { recursive: true });
      },
    };
  };
}

async function empty({ db }: OpenDatabase): Promise<void> {
  await db.deleteFrom('asset').execute();
  await db.deleteFrom('folder').where('path', '<>', '').execute();
  await db.deleteFrom('asset_change').execute();
  await db.deleteFrom('setting').where('name', '=', 'catalog').execute();
}

/** As a program that knows nothing of folders. */
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
