import type { IncomingMessage } from 'node:http';
import { addAbortSignal, Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { type ByteRange, type ByteStream, StorageUnavailable } from '../blob-store.ts';
import type { Bucket } from './bucket.ts';
import { isMissing, isRefused } from './errors.ts';

export interface DownloadOptions {
  range?: ByteRange;
  signal?: AbortSignal;
  /** The version that it has to be. */
  etag?: string;
  /** Whether this machine reads it at its own pace, and not for a client who may be slow. */
  isForUs?: boolean;
}

export interface Download {
  stream: ByteStream;
  /** Bytes of this download. */
  length: number;
  metadata: Record<string, string>;
}

interface Opened {
  body: IncomingMessage;
  length: number;
  etag: string | undefined;
  metadata: Record<string, string>;
}

interface Source {
  /** Over which connections. */
  ask: Bucket['download'];
  name: string;
  key: string;
  signal: AbortSignal | undefined;
}

/** A connection that breaks is replaced so often, without a byte in between. */
const MAX_RESUMPTIONS = 4;

/**
 * Opens an object, or a part of it. When its connection breaks or falls silent, the rest of the same version is asked for over
 * another. An abort, and the destruction of the stream, close the connection at once.
 * @returns undefined when there is no such object, or not in this version
 */
export async function download(
  bucket: Bucket,
  key: string,
  options: DownloadOptions = {},
): Promise<Download | undefined> {
  const { range = { start: 0, end: Number.POSITIVE_INFINITY }, signal, etag, isForUs = false } = options;
  const source = { ask: isForUs ? bucket.request : bucket.download, name: bucket.name, key, signal };
  // Checked here because a store answers such a range with the whole object.
  if (range.start > range.end) throw new RangeError('A range ends before it starts.');
  const opened = await openBody(source, range, etag);
  if (!opened) return undefined;
  const again = (position: number) =>
    openBody(source, { start: position, end: range.start + opened.length - 1 }, opened.etag);
  const stream = resumable(opened, { start: range.start, stallMs: bucket.timeoutMs, again });
  if (signal) addAbortSignal(signal, stream);
  return { stream, length: opened.length, metadata: opened.metadata };
}

async function openBody(
  { ask, name, key, signal }: Source,
  { start, end }: ByteRange,
  etag: string | undefined,
): Promise<Opened | undefined> {
  const isWhole = start === 0 && end === Number.POSITIVE_INFINITY;
  const command = new GetObjectCommand({
    Bucket: name,
    Key: key,
    ...(!isWhole && { Range: `bytes=${start}-${Number.isFinite(end) ? end : ''}` }),
    ...(etag !== undefined && { IfMatch: quoted(etag) }),
  });
  try {
    const { Body, ContentLength, ETag, Metadata } = await ask((s3, options) => s3.send(command, options), {
      signal,
    });
    const body = Body as unknown as IncomingMessage;
    // It may break before somebody reads it; whoever reads it then is told.
    body.on('error', () => undefined);
    return { body, length: ContentLength ?? 0, etag: ETag, metadata: Metadata ?? {} };
  } catch (error) {
    if (isMissing(error) || isRefused(error)) return undefined;
    throw error;
  }
}

function resumable(
  opened: Opened,
  { start, stallMs, again }: { start: number; stallMs: number; again(position: number): Promise<Opened | undefined> },
): Readable {
  const end = start + opened.length;
  let position = start;
  let resumptions = 0;
  let { body } = opened;
  let chunks = body[Symbol.asyncIterator]();

  async function next(): Promise<Buffer | null> {
    while (position < end) {
      try {
        const chunk = await withinTime(chunks.next(), stallMs);
        if (chunk.done) throw new Error('The connection ended before the object did.');
        position += chunk.value.length;
        resumptions = 0;
        return chunk.value;
      } catch (cause) {
        body.destroy();
        if (stream.destroyed) return null;
        if (++resumptions > MAX_RESUMPTIONS) {
          throw new StorageUnavailable('A download from the storage broke off again and again.', { cause });
        }
        const resumed = await again(position);
        if (!resumed) throw new StorageUnavailable('An object was replaced while it was downloaded.', { cause });
        body = resumed.body;
        chunks = body[Symbol.asyncIterator]();
        if (stream.destroyed) body.destroy();
      }
    }
    // Reading up to the end of the answer is what gives its connection back.
    await withinTime(chunks.next(), stallMs).catch(() => body.destroy());
    return null;
  }

  const stream = new Readable({
    read() {
      next().then(
        (chunk) => stream.push(chunk),
        (error) => stream.destroy(error),
      );
    },
    destroy(error, done) {
      // The connection of an answer that was not read to its end would stay taken.
      if (!body.readableEnded) body.destroy();
      done(error);
    },
  });
  return stream;
}

function withinTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`No byte came for ${ms} ms.`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function quoted(etag: string): string {
  return etag.startsWith('"') ? etag : `"${etag}"`;
}
