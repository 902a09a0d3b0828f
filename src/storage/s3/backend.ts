import { rm } from 'node:fs/promises';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Log } from '../../log.ts';
import type { Backend, BackendContext, OpenBackend, SharedText } from '../backend.ts';
import { createTempFolder } from '../temp.ts';
import { type Bucket, type BucketSettings, createBucket } from './bucket.ts';
import { createBucketVariants } from './bucket-variants.ts';
import { abortOrphans, checkBucket } from './check-bucket.ts';
import { unreachableNames } from './list.ts';
import { S3RetentionStore } from './retention-store.ts';
import { S3Store } from './store.ts';

export interface S3Settings extends BucketSettings {
  /** Folder of local copies, and the maximum of their bytes. */
  staged: string;
  localCacheBytes: number;
}

/** Stores originals and variants in a bucket. */
export function s3Backend(settings: S3Settings): Backend {
  return { name: 'bucket', check: () => check(settings), open: (context) => open(settings, context) };
}

async function check(settings: S3Settings): Promise<string> {
  const bucket = createBucket(settings);
  try {
    const { hasConditions } = await checkBucket(bucket);
    const note = hasConditions ? '' : ', but knows no If-None-Match: only one service may write to it';
    return `"${bucket.name}" can be read and written${note}`;
  } finally {
    bucket.close();
  }
}

async function open(settings: S3Settings, { log, usageCounter }: BackendContext): Promise<OpenBackend> {
  const bucket = createBucket(settings);
  const conditions = await checkBucket(bucket);
  if (!conditions.hasConditions)
    log.warn('the storage knows no If-None-Match: only one service may write to this bucket');
  const staging = { directory: await createTempFolder(settings.staged), maxBytes: settings.localCacheBytes };
  const store = new S3Store({ bucket, staging, ...conditions });
  const sharedVariants = usageCounter && createBucketVariants({ bucket, ...conditions, usageCounter });
  if (usageCounter) void cleanUp(bucket, log);
  return {
    store,
    retention: new S3RetentionStore(bucket, store.area, conditions),
    sharedVariants,
    sharedText: (textName) => createSharedText(bucket, textName),
    availability: bucket.availability,
    unreachable: () => unreachableNames(bucket, store.area.keys),
    async close() {
      bucket.close();
      await rm(staging.directory, { recursive: true, force: true });
    },
  };
}

function createSharedText(bucket: Bucket, name: string): SharedText {
  const object = { Bucket: bucket.name, Key: bucket.prefix + name };
  return {
    async read() {
      const found = await bucket.find(new GetObjectCommand(object));
      return found?.Body?.transformToString();
    },
    async write(text) {
      const Body = Buffer.from(text);
      const ContentType = 'application/json';
      await bucket.request(new PutObjectCommand({ ...object, Body, ContentLength: Body.length, ContentType }));
    },
  };
}

/** Runs in the background: nothing waits for it, and the next start retries it. */
async function cleanUp(bucket: Bucket, log: Log): Promise<void> {
  try {
    const aborted = await abortOrphans(bucket);
    if (aborted > 0) log.info(`aborted ${aborted} unfinished uploads in parts`);
  } catch (err) {
    log.warn({ err }, 'unfinished uploads in parts could not be aborted');
  }
}
