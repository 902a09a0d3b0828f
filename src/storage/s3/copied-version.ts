import { HeadObjectCommand, type HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import type { BlobStat } from '../blob-store.ts';
import type { Bucket } from './bucket.ts';
import { toStat } from './stat.ts';

/**
 * Metadata of a copy in the retention store or from it: ETag and time of the object that was copied. The ETag of a copy
 * differs from its source's when one of them was assembled from parts or is encrypted with a key of KMS, and the time
 * tells a file from the same bytes uploaded anew.
 */
const SOURCE = 'darkroom-source';

/** An object, with the metadata of its copy. */
export interface FoundObject {
  stat: BlobStat;
  /** Undefined for an object with headers of another program, which a copy keeps as they are. */
  copyMetadata: Record<string, string> | undefined;
  /** The version that it was copied from; undefined if it is unknown. */
  source: string | undefined;
}

export async function findObject(bucket: Bucket, key: string): Promise<FoundObject | undefined> {
  const found = await bucket.find(new HeadObjectCommand({ Bucket: bucket.name, Key: key }));
  if (!found) return undefined;
  const stat = toStat(found);
  return {
    stat,
    copyMetadata: hasForeignHeaders(found) ? undefined : { [SOURCE]: versionOf(stat) },
    source: found.Metadata?.[SOURCE],
  };
}

/** True if an object is a copy of another one as that is now. */
export function isCopyOf(copy: FoundObject, { stat }: FoundObject): boolean {
  return copy.source === undefined ? copy.stat.etag === stat.etag : copy.source === versionOf(stat);
}

const versionOf = ({ etag, modifiedAt }: BlobStat) => `${etag} ${modifiedAt.toISOString()}`;

function hasForeignHeaders(found: HeadObjectCommandOutput): boolean {
  const headers = [
    found.CacheControl,
    found.ContentDisposition,
    found.ContentEncoding,
    found.ContentLanguage,
    found.ExpiresString,
    found.WebsiteRedirectLocation,
  ];
  return headers.some(Boolean) || Object.keys(found.Metadata ?? {}).some((name) => name !== SOURCE);
}
