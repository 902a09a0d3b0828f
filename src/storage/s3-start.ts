import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { StorageUnavailable } from './blob-store.ts';
import type { Bucket } from './s3-bucket.ts';
import { describeFailure, isRefused } from './s3-errors.ts';

/** An object that a start writes to see that it may, and whether the store heeds `If-None-Match`. */
const PROBE = '.darkroom';

/** An upload in parts that is older than this has lost its process. */
const ORPHAN_AGE_MS = 24 * 60 * 60 * 1000;

/**
 * Asks the bucket at the start whether it is there and whether we may read and write.
 * @returns whether the store refuses to replace an object when it is asked to
 * @throws StorageUnavailable with what a person can do about it
 */
export async function checkBucket(bucket: Bucket): Promise<{ hasConditions: boolean }> {
  try {
    await requireStore(bucket);
    // A store that knows the condition refuses from the second time on.
    const hasConditions = (await isKept(bucket)) || (await isKept(bucket));
    return { hasConditions };
  } catch (cause) {
    if (cause instanceof StorageUnavailable) throw cause;
    throw notAStore(bucket, describeFailure(cause), cause);
  }
}

/** What is no store may answer as well: the console of one, or a proxy in front of it. */
async function requireStore(bucket: Bucket): Promise<void> {
  const command = new ListObjectsV2Command({ Bucket: bucket.name, Prefix: bucket.prefix, MaxKeys: 1 });
  const { Name, KeyCount, IsTruncated } = await bucket.request((s3, options) => s3.send(command, options));
  if ([Name, KeyCount, IsTruncated].every((field) => field === undefined)) throw notAStore(bucket, 'no listing');
}

function notAStore({ name }: Bucket, reason: string, cause?: unknown): StorageUnavailable {
  const message = `The storage of "${name}" does not answer as S3 does (${reason}): is STORAGE_ENDPOINT its address?`;
  return new StorageUnavailable(message, { cause });
}

async function isKept(bucket: Bucket): Promise<boolean> {
  const object = { Bucket: bucket.name, Key: bucket.prefix + PROBE, Body: '', ContentLength: 0 };
  const put = (condition: { IfNoneMatch?: string }) =>
    bucket.request((s3, options) => s3.send(new PutObjectCommand({ ...object, ...condition }), options));
  try {
    await put({ IfNoneMatch: '*' });
    return false;
  } catch (error) {
    if (isRefused(error)) return true;
    // Some stores do not ignore what they do not know.
    await put({});
    return false;
  }
}

/** Gives up the uploads in parts that nobody will end: their parts cost money and are shown nowhere. How many there were. */
export async function abortOrphans(bucket: Bucket, now: number = Date.now()): Promise<number> {
  let aborted = 0;
  let position: { KeyMarker?: string; UploadIdMarker?: string } = {};
  for (;;) {
    const command = new ListMultipartUploadsCommand({ Bucket: bucket.name, Prefix: bucket.prefix, ...position });
    const page = await bucket.request((s3, options) => s3.send(command, options));
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (now - (Initiated?.getTime() ?? now) < ORPHAN_AGE_MS) continue;
      const abort = new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId });
      await bucket.find((s3, options) => s3.send(abort, options));
      aborted++;
    }
    const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page;
    if (!IsTruncated || NextKeyMarker === undefined) return aborted;
    position = { KeyMarker: NextKeyMarker, ...(NextUploadIdMarker && { UploadIdMarker: NextUploadIdMarker }) };
  }
}
