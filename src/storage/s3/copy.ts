import { CopyObjectCommand, UploadPartCopyCommand } from '@aws-sdk/client-s3';
import { StorageUnavailable } from '../blob-store.ts';
import { inParallel } from '../in-parallel.ts';
import type { Bucket } from './bucket.ts';
import { readEtag } from './list.ts';
import { hasEtag } from './stat.ts';
import { abortMultipart, beginMultipart, completeMultipart, type SentPart } from './upload.ts';

const GIBIBYTE = 1024 ** 3;

/** The maximum that one request can copy. */
const MAX_SINGLE_BYTES = 5 * GIBIBYTE;
const PART_BYTES = GIBIBYTE;
const PART_CONCURRENCY = 4;

/** Timeout factor: a copy moves the bytes of a large object from disk to disk before it responds. */
const TIMEOUT_FACTOR = 30;

export interface CopySource {
  key: string;
  size: number;
  /** The required version. */
  etag: string;
}

export interface CopyOptions {
  contentType: string;
  /** Metadata of the copy; by default that of the source, without parts. */
  metadata?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
  maxSingleBytes?: number;
  partBytes?: number;
}

/**
 * Copies an object inside its bucket; its bytes do not pass through this node. The copy appears whole.
 * @returns the copy's ETag, which differs from the source's when the source was assembled from parts
 * @throws the store's 404 or 412, or StorageUnavailable, when there is no such object in this version
 */
export async function copyObject(bucket: Bucket, from: CopySource, to: string, options: CopyOptions): Promise<string> {
  const { maxSingleBytes = MAX_SINGLE_BYTES, contentType, metadata, signal } = options;
  if (from.size > maxSingleBytes) return copyInParts(bucket, from, to, options);
  const command = new CopyObjectCommand({
    Bucket: bucket.name,
    Key: to,
    ...sourceOf(bucket, from),
    ...(metadata && { MetadataDirective: 'REPLACE', Metadata: metadata, ContentType: contentType }),
  });
  const copied = await bucket.request(command, { signal, timeoutFactor: TIMEOUT_FACTOR });
  return readEtag(copied.CopyObjectResult?.ETag);
}

async function copyInParts(bucket: Bucket, from: CopySource, to: string, options: CopyOptions): Promise<string> {
  const { contentType, metadata = {}, signal, partBytes = PART_BYTES } = options;
  const upload = await beginMultipart(bucket, { key: to, contentType, metadata, signal });
  try {
    const parts: SentPart[] = [];
    const numbers = Array.from({ length: Math.ceil(from.size / partBytes) }, (_, index) => index + 1);
    await inParallel(numbers, PART_CONCURRENCY, async (PartNumber) => {
      const start = (PartNumber - 1) * partBytes;
      const end = Math.min(from.size, start + partBytes) - 1;
      const command = new UploadPartCopyCommand({
        ...upload,
        ...sourceOf(bucket, from),
        PartNumber,
        CopySourceRange: `bytes=${start}-${end}`,
      });
      const copied = await bucket.request(command, { signal, timeoutFactor: TIMEOUT_FACTOR });
      parts.push({ PartNumber, ETag: copied.CopyPartResult?.ETag });
    });
    // Some stores support the condition for whole objects only.
    if (!(await hasEtag(bucket, from.key, from.etag))) {
      throw new StorageUnavailable('A file was replaced while it was copied.');
    }
    parts.sort((one, other) => one.PartNumber - other.PartNumber);
    return await completeMultipart(bucket, upload, parts, false);
  } catch (error) {
    await abortMultipart(bucket, upload);
    throw error;
  }
}

function sourceOf(bucket: Bucket, { key, etag }: CopySource) {
  const path = key.split('/').map(encodeURIComponent).join('/');
  return { CopySource: `${bucket.name}/${path}`, CopySourceIfMatch: `"${etag}"` };
}
