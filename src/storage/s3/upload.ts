import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { Slots } from '../../concurrency.ts';
import { BlobExists } from '../blob-store.ts';
import { inParallel } from '../in-parallel.ts';
import type { Bucket } from './bucket.ts';
import { attemptsOf, isMissing, isRefused } from './errors.ts';
import { readEtag } from './list.ts';
import type { Part } from './parts.ts';
import { hasEtag } from './stat.ts';

/** An object that is invisible until it is committed. Its bytes may be in the bucket already. */
export interface StagedUpload {
  /** True if the store itself refuses, with `keep`, to replace an object. */
  readonly isConditional: boolean;
  /** Makes the whole object visible. `keep`: only if the store reports none. @throws BlobExists */
  commit(options: { keep: boolean }): Promise<void>;
  /** Removes uncommitted bytes. */
  discard(): Promise<void>;
}

export interface UploadOptions {
  key: string;
  contentType: string;
  metadata?: Record<string, string>;
  parts: AsyncIterable<Part> | Iterable<Part>;
  /** Bounds the parts in memory, for any number of uploads. */
  slots: Slots;
  /** True if the store honours `If-None-Match`. Another store may refuse a request with this condition. */
  hasConditions: boolean;
  signal?: AbortSignal | undefined;
}

/** Number of parts of one upload that are sent concurrently. */
const PART_CONCURRENCY = 2;

/** Timeout of a part as a multiple of that of a small request. */
export const TIMEOUT_FACTOR = 6;

/** Sends the parts when there are several. A single part is sent by the commit. */
export async function stageUpload(bucket: Bucket, options: UploadOptions): Promise<StagedUpload> {
  const { slots, signal } = options;
  const parts = iterate(options.parts);
  const head = await takeTwo(parts);
  if (head.length < 2) return stageWhole(bucket, options, head[0] ?? (async () => Buffer.alloc(0)));

  const upload = await beginMultipart(bucket, options);
  try {
    const sent: SentPart[] = [];
    let number = 0;
    await inParallel(joinParts(head, parts), PART_CONCURRENCY, async (part) => {
      const PartNumber = ++number;
      await slots.use(signal, async () => {
        sent.push(await sendPart(bucket, upload, PartNumber, await part(), signal));
      });
    });
    sent.sort((one, other) => one.PartNumber - other.PartNumber);
    return {
      // Some stores support the condition for whole objects only.
      isConditional: false,
      async commit({ keep }) {
        await completeMultipart(bucket, upload, sent, keep && options.hasConditions);
      },
      discard: () => abortMultipart(bucket, upload),
    };
  } catch (error) {
    await abortMultipart(bucket, upload);
    throw error;
  }
}

interface MultipartUpload {
  Bucket: string;
  Key: string;
  UploadId: string | undefined;
}

export interface SentPart {
  PartNumber: number;
  ETag: string | undefined;
}

function stageWhole(bucket: Bucket, options: UploadOptions, part: Part): StagedUpload {
  const { key, contentType, metadata, slots, signal, hasConditions } = options;
  return {
    isConditional: hasConditions,
    commit: ({ keep }) =>
      slots.use(signal, async () => {
        const bytes = await part();
        const command = new PutObjectCommand({
          Bucket: bucket.name,
          Key: key,
          Body: bytes,
          ContentLength: bytes.length,
          ContentType: contentType,
          Metadata: metadata,
          ...(keep && hasConditions && { IfNoneMatch: '*' }),
        });
        try {
          await bucket.request(command, { signal, timeoutFactor: TIMEOUT_FACTOR });
        } catch (error) {
          if (!isRefused(error)) throw error;
          // When a response is lost, the second attempt finds the object that the first has stored.
          if (attemptsOf(error) > 1 && (await hasEtag(bucket, key, md5(bytes)))) return;
          throw new BlobExists('The object exists already.', { cause: error });
        }
      }),
    discard: async () => undefined,
  };
}

/** Begins an upload or a copy in parts. */
export async function beginMultipart(
  bucket: Bucket,
  { key, contentType, metadata, signal }: Pick<UploadOptions, 'key' | 'metadata' | 'signal'> & { contentType?: string },
): Promise<MultipartUpload> {
  const object = { Bucket: bucket.name, Key: key };
  const command = new CreateMultipartUploadCommand({ ...object, ContentType: contentType, Metadata: metadata });
  const { UploadId } = await bucket.request(command, { signal });
  return { ...object, UploadId };
}

export async function sendPart(
  bucket: Bucket,
  upload: MultipartUpload,
  PartNumber: number,
  Body: Buffer,
  signal?: AbortSignal,
): Promise<SentPart> {
  const command = new UploadPartCommand({ ...upload, PartNumber, Body, ContentLength: Body.length });
  const { ETag } = await bucket.request(command, { signal, timeoutFactor: TIMEOUT_FACTOR });
  return { PartNumber, ETag };
}

/** Completes an upload or a copy in parts. Returns the ETag of the new object. */
export async function completeMultipart(
  bucket: Bucket,
  upload: MultipartUpload,
  parts: SentPart[],
  keep: boolean,
): Promise<string> {
  const command = new CompleteMultipartUploadCommand({
    ...upload,
    MultipartUpload: { Parts: parts },
    ...(keep && { IfNoneMatch: '*' }),
  });
  try {
    const { ETag } = await bucket.request(command, { timeoutFactor: TIMEOUT_FACTOR });
    return readEtag(ETag);
  } catch (error) {
    const wasLost = (isMissing(error) || isRefused(error)) && attemptsOf(error) > 1;
    const etag = multipartEtag(parts);
    if (wasLost && (await hasEtag(bucket, upload.Key, etag))) return etag;
    if (isRefused(error)) throw new BlobExists('The object exists already.', { cause: error });
    throw error;
  }
}

/** Aborts it. A failure is ignored: a later start cleans up. */
export async function abortMultipart(bucket: Bucket, upload: MultipartUpload): Promise<void> {
  await bucket.request(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
}

/** Computes the ETag that every known store assigns to an object assembled from parts. */
function multipartEtag(parts: readonly SentPart[]): string {
  const digests = parts.map(({ ETag }) => Buffer.from(readEtag(ETag), 'hex'));
  return `${md5(Buffer.concat(digests))}-${parts.length}`;
}

function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}

async function* iterate<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

async function takeTwo(parts: AsyncIterator<Part>): Promise<Part[]> {
  const taken: Part[] = [];
  while (taken.length < 2) {
    const next = await parts.next();
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
}

/** Yields the parts without retaining a reference: a sent part must not stay in memory. */
async function* joinParts(head: Part[], rest: AsyncIterable<Part>): AsyncGenerator<Part> {
  for (let part = head.shift(); part; part = head.shift()) yield part;
  yield* rest;
}
