import { HeadObjectCommand, type HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import type { BlobStat } from '../blob-store.ts';
import type { Bucket } from './bucket.ts';
import { readDate, readEtag, toBlobStat } from './list.ts';

/** Returns the state of an object; undefined for a missing one. */
export async function statObject(bucket: Bucket, key: string): Promise<BlobStat | undefined> {
  const found = await bucket.find(new HeadObjectCommand({ Bucket: bucket.name, Key: key }));
  return found && toStat(found);
}

export function toStat({ ContentLength: size = 0, ETag, LastModified }: HeadObjectCommandOutput): BlobStat {
  return toBlobStat({ size, etag: readEtag(ETag), modifiedAt: readDate(LastModified) });
}

/** True if the object exists in this version. */
export async function hasEtag(bucket: Bucket, key: string, etag: string): Promise<boolean> {
  return (await statObject(bucket, key))?.etag === etag;
}
