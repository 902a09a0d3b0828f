import { randomUUID } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { BlobExists, StorageUnavailable } from '../blob-store.ts';
import { type Bucket, type Conditions, PROBED } from './bucket.ts';
import { deleteBatch, deleteObject } from './delete.ts';
import { describeFailure, isRefused } from './errors.ts';
import { readEtag } from './list.ts';
import { abortMultipart, beginMultipart, completeMultipart, sendPart } from './upload.ts';

/** An ETag that no version of an object has. */
const NO_ETAG = '0'.repeat(32);

/** Age in ms from which an upload in parts counts as orphaned: its process has died. */
const ORPHAN_AGE_MS = 24 * 60 * 60 * 1000;

/**
 * Checks at the start that the bucket exists and can be read and written.
 * @throws StorageUnavailable with a help text for the operator
 */
export async function checkBucket(bucket: Bucket): Promise<Conditions> {
  try {
    await requireStore(bucket);
    // A store that supports the condition refuses every start but the first.
    const hasConditions = (await probeWrites(bucket)) || (await probeWrites(bucket));
    const hasPartConditions = hasConditions && (await probeParts(bucket));
    return { hasConditions, hasPartConditions, hasDeleteConditions: await probeDeletes(bucket) };
  } catch (cause) {
    if (cause instanceof StorageUnavailable) throw cause;
    throw notAStore(bucket, describeFailure(cause), cause);
  }
}

/** Detects a response from something that is no store: the console of a store, or a proxy in front of it. */
async function requireStore(bucket: Bucket): Promise<void> {
  const command = new ListObjectsV2Command({ Bucket: bucket.name, Prefix: bucket.prefix, MaxKeys: 1 });
  const { Name, KeyCount, IsTruncated } = await bucket.request(command);
  if ([Name, KeyCount, IsTruncated].every((field) => field === undefined)) throw notAStore(bucket, 'no listing');
}

function notAStore({ name }: Bucket, reason: string, cause?: unknown): StorageUnavailable {
  const message = `The storage of "${name}" does not answer as S3 does (${reason}): is STORAGE_ENDPOINT its address?`;
  return new StorageUnavailable(message, { cause });
}

async function probeWrites(bucket: Bucket): Promise<boolean> {
  const object = { Bucket: bucket.name, Key: bucket.prefix + PROBED, Body: '', ContentLength: 0 };
  const put = (condition: { IfNoneMatch?: string }) =>
    bucket.request(new PutObjectCommand({ ...object, ...condition }));
  try {
    await put({ IfNoneMatch: '*' });
    return false;
  } catch (error) {
    if (isRefused(error)) return true;
    // Some stores refuse conditions that they do not support.
    await put({});
    return false;
  }
}

/** True if an upload in parts leaves an existing object alone when requested to. */
async function probeParts(bucket: Bucket): Promise<boolean> {
  const upload = await beginMultipart(bucket, { key: bucket.prefix + PROBED });
  try {
    const part = await sendPart(bucket, upload, 1, Buffer.from('x'));
    await completeMultipart(bucket, upload, [part], true);
    return false;
  } catch (error) {
    await abortMultipart(bucket, upload);
    return error instanceof BlobExists;
  }
}

/** True if a delete of another version leaves an object alone, and a delete of its own version does not. */
async function probeDeletes(bucket: Bucket): Promise<boolean> {
  // A separate key, because other nodes that start in the same moment check the usual one.
  const key = `${bucket.prefix}${PROBED}-${randomUUID()}`;
  const put = new PutObjectCommand({ Bucket: bucket.name, Key: key, Body: '', ContentLength: 0 });
  const { ETag } = await bucket.request(put);
  // A store that does not support conditions may refuse the whole request.
  const countDeleted = (etag: string) =>
    deleteBatch(bucket, [{ key, etag }], true).then(
      ({ length }) => length,
      () => undefined,
    );
  if ((await countDeleted(NO_ETAG)) === 0 && (await countDeleted(readEtag(ETag))) === 1) return true;
  await deleteObject(bucket, key);
  return false;
}

/** Aborts orphaned uploads in parts: their parts cost money and are listed nowhere else. Returns their number. */
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
