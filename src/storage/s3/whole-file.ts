import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { BlobExists, StorageUnavailable } from '../blob-store.ts';
import type { Bucket, Conditions } from './bucket.ts';
import { isRefused } from './errors.ts';
import { PART_BYTES, partsOfFile, WHOLE_BYTES } from './parts.ts';
import { hasEtag } from './stat.ts';
import { type StagedUpload, stageUpload, TIMEOUT_FACTOR, type UploadOptions } from './upload.ts';

export interface FileUploadOptions extends Omit<UploadOptions, 'parts'>, Conditions {
  handle: FileHandle;
  size: number;
  /** Forbids replacing an object. */
  keep: boolean;
}

type WholeFileOptions = Omit<FileUploadOptions, keyof Conditions | 'slots' | 'keep'>;

/** A gibibyte, although stores accept five: an interrupted upload must be sent again from its beginning. */
const MAX_WHOLE_BYTES = 1024 ** 3;

const MAX_ATTEMPTS = 4;
const PAUSE_MS = 500;
const CHUNK_BYTES = 256 * 1024;

/**
 * Stages a local file in parts. But when it must not replace anything, and the store honours `If-None-Match` for whole
 * objects only, the commit sends it in one request.
 */
export async function stageFile(bucket: Bucket, options: FileUploadOptions): Promise<StagedUpload> {
  const { handle, size, keep, hasConditions, hasPartConditions } = options;
  const isWhole = keep && hasConditions && !hasPartConditions && size > WHOLE_BYTES && size <= MAX_WHOLE_BYTES;
  return isWhole ? stageWhole(bucket, options) : stageUpload(bucket, { ...options, parts: partsOfFile(handle, size) });
}

/** Stages a file that is never in memory. */
function stageWhole(bucket: Bucket, options: WholeFileOptions): StagedUpload {
  return {
    isConditional: true,
    async commit({ keep }) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await put(bucket, options, keep);
        } catch (error) {
          if (isRefused(error)) {
            // When a response is lost, the second attempt finds the object that the first has stored.
            if (attempt > 1 && (await hasEtag(bucket, options.key, await md5Of(options)))) return;
            throw new BlobExists('The object exists already.', { cause: error });
          }
          if (attempt === MAX_ATTEMPTS || !(error instanceof StorageUnavailable)) throw error;
          await pause(PAUSE_MS * 2 ** attempt * Math.random(), undefined, { signal: options.signal });
        }
      }
    },
    discard: async () => undefined,
  };
}

async function put(bucket: Bucket, options: WholeFileOptions, keep: boolean) {
  const { key, contentType, metadata, handle, size, signal } = options;
  const stalled = new AbortController();
  const stallMs = bucket.timeoutMs * TIMEOUT_FACTOR;
  const timer = setTimeout(() => stalled.abort(), stallMs);
  const Body = Readable.from(
    chunksOf(handle, size, () => timer.refresh()),
    { objectMode: false },
  );
  const command = new PutObjectCommand({
    Bucket: bucket.name,
    Key: key,
    Body,
    ContentLength: size,
    ContentType: contentType,
    Metadata: metadata,
    ...(keep && { IfNoneMatch: '*' }),
  });
  const aborting = signal ? AbortSignal.any([signal, stalled.signal]) : stalled.signal;
  // While bytes move, the upload may take as long as all of its parts would.
  const timeoutFactor = TIMEOUT_FACTOR * Math.ceil(size / PART_BYTES);
  try {
    await bucket.request(command, { signal: aborting, timeoutFactor });
  } catch (cause) {
    signal?.throwIfAborted();
    if (!stalled.signal.aborted) throw cause;
    throw new StorageUnavailable(`The storage took no byte of an upload for ${stallMs} ms.`, { cause });
  } finally {
    clearTimeout(timer);
    Body.destroy();
  }
}

async function* chunksOf(handle: FileHandle, size: number, onChunk: () => void): AsyncGenerator<Buffer> {
  for (const part of partsOfFile(handle, size, CHUNK_BYTES)) {
    onChunk();
    yield await part();
  }
}

async function md5Of({ handle, size }: WholeFileOptions): Promise<string> {
  const hash = createHash('md5');
  for await (const chunk of chunksOf(handle, size, () => undefined)) hash.update(chunk);
  return hash.digest('hex');
}
