import { randomUUID } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { BlobExists, StorageUnavailable } from '../blob-store.ts';
import type { Bucket, Conditions } from './bucket.ts';
import { deleteBatch, deleteObject } from './delete.ts';
import { describeFailure, isRefused } from './errors.ts';
import { readEtag } from './list.ts';
import { abortMultipart, beginMultipart, completeMultipart, sendPart } from './upload.ts';

/** An object that a start writes, to see whether it may and whether the store honours `If-None-Match`. */
const PROBE = '.darkroom';

/** An ETag that no version of an object has. */
const NO_ETAG = '0'.repeat(32);

/** An upload in parts that is older than this has lost its process. */
const ORPHAN_AGE_MS = 24 * 60 * 60 * 1000;

/**
 * Asks the bucket at the start whether it is there and whether we may read and write.
 * @throws StorageUnavailable with what a person can do about it
 */
export async function checkBucket(bucket: Bucket): Promise<Conditions> {
  try {
    await requireStore(bucket);
    // A store that knows the condition refuses from the second time on.
    const hasConditions = (await isKept(bucket)) || (await isKept(bucket));
    const hasPartConditions = hasConditions && (await isKeptFromParts(bucket));
    return { hasConditions, hasPartConditions, hasDeleteConditions: await isKeptFromDeletes(bucket) };
  } catch (cause) {
    if (cause instanceof StorageUnavailable) throw cause;
    throw notAStore(bucket, describeFailure(cause), cause);
  }
}

/** Something that is no store may answer as well: the console of a store, or a proxy in front of it. */
async function requireStore(bucket: Bucket): Promise<void> {
  const command = new ListObjectsV2Command({ Bucket: bucket.name, Prefix: bucket.prefix, MaxKeys: 1 });
  const { Name, KeyCount, IsTruncated } = await bucket.request(command);
  if ([Name, KeyCount, IsTruncated].every((field) => field === undefined)) throw notAStore(bucket, 'no listing');
}

function notAStore({ name }: Bucket, reason: string, cause?: unknown): StorageUnavailable {
  const message = `The storage of "${name}" does not answer as S3 does (${reason}): is STORAGE_ENDPOINT its address?`;
  return new StorageUnavailable(message, { cause });
}

async function isKept(bucket: Bucket): Promise<boolean> {
  const object = { Bucket: bucket.name, Key: bucket.prefix + PROBE, Body: '', ContentLength: 0 };
  const put = (condition: { IfNoneMatch?: string }) =>
    bucket.request(new PutObjectCommand({ ...object, ...condition }));
  try {
    await put({ IfNoneMatch: '*' });
    return false;
  } catch (error) {
    if (isRefused(error)) return true;
    // Some stores refuse conditions that they do not know.
    await put({});
    return false;
  }
}

/** Whether an upload in parts leaves the existing object alone when it is asked to. */
async function isKeptFromParts(bucket: Bucket): Promise<boolean> {
  const upload = await beginMultipart(bucket, { key: bucket.prefix + PROBE });
  try {
    const part = await sendPart(bucket, upload, 1, Buffer.from('x'));
    await completeMultipart(bucket, upload, [part], true);
    return false;
  } catch (error) {
    await abortMultipart(bucket, upload);
    return error instanceof BlobExists;
  }
}

/** Whether a delete of another version leaves an object alone, and a delete of its own version does not. */
async function isKeptFromDeletes(bucket: Bucket): Promise<boolean> {
  // A key of its own, because other machines that start at the same moment look for the usual one.
  const key = `${bucket.prefix}${PROBE}-${randomUUID()}`;
  const put = new PutObjectCommand({ Bucket: bucket.name, Key: key, Body: '', ContentLength: 0 });
  const { ETag } = await bucket.request(put);
  // A store that does not know conditions may refuse the whole request.
  const countDeleted = (etag: string) =>
    deleteBatch(bucket, [{ key, etag }], true).then(
      ({ length }) => length,
      () => undefined,
    );
  if ((await countDeleted(NO_ETAG)) === 0 && (await countDeleted(readEtag(ETag))) === 1) return true;
  await deleteObject(bucket, key);
  return false;
}

/** Aborts the uploads in parts that nobody will end: their parts cost money and appear nowhere. Returns how many there were. */
export async function abortOrphans(bucket: Bucket, now: number = Date.now()): Promise<number> {
  let aborted = 0;
  let position: { KeyMarker?: string; UploadIdMarker?: string } = {};
  for (;;) {
    const command = new ListMultipartUploadsCommand({ Bucket: bucket.name, Prefix: bucket.prefix, ...position });
    const page = await bucket.request(command);
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (now - (Initiated?.getTime() ?? now) < ORPHAN_AGE_MS) continue;
      await bucket.find(new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId }));
      aborted++;
    }
    const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page;
    if (!IsTruncated || NextKeyMarker === undefined) return aborted;
    position = { KeyMarker: NextKeyMarker, ...(NextUploadIdMarker && { UploadIdMarker: NextUploadIdMarker }) };
  }
}
