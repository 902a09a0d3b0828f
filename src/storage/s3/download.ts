import type { IncomingMessage } from 'node:http';
import { addAbortSignal, Readable } from 'node:stream';
import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { LATE, within } from '../../concurrency.ts';
import { type ByteRange, StorageUnavailable } from '../blob-store.ts';
import type { Bucket } from './bucket.ts';
import { isMissing, isRefused } from './errors.ts';
import { readEtag } from './list.ts';

export interface DownloadOptions {
  range?: ByteRange;
  signal?: AbortSignal;
  /** The required version. */
  etag?: string;
  /** True if this node reads at its own rate, rather than at that of a client who may be slow. */
  isForUs?: boolean;
}

/** A response whose head has been received. */
interface Opened {
  body: IncomingMessage;
  length: number;
  etag: string;
  metadata: Record<string, string>;
}

/** Maximum number of consecutive broken connections without a byte in between. */
const MAX_RESUMPTIONS = 4;

/**
 * Opens an object, or a part of it. When its connection breaks or stalls, the rest of the same version is requested
 * over another. An abort, and the destruction of the stream, close the connection immediately.
 * @returns undefined when there is no such object, or not in this version
 */
export async function download(bucket: Bucket, key: string, options: DownloadOptions = {}) {
  const { range = { start: 0, end: Number.POSITIVE_INFINITY }, signal, etag, isForUs = false } = options;
  const open = (part: ByteRange, version: string | undefined) => {
    const command = getCommand(bucket.name, key, part, version);
    return openBody((isForUs ? bucket.request : bucket.download)(command, { signal }));
  };
  // Checked here because a store responds to such a range with the whole object.
  if (range.start > range.end) throw new RangeError('A range ends before it starts.');
  const opened = await open(range, etag);
  if (!opened) return undefined;
  const again = (position: number) => open({ start: position, end: range.start + opened.length - 1 }, opened.etag);
  const stream = new ResumableDownload(opened, { start: range.start, stallMs: bucket.timeoutMs, again });
  if (signal) addAbortSignal(signal, stream);
  return { stream, length: opened.length, metadata: opened.metadata };
}

function getCommand(Bucket: string, Key: string, { start, end }: ByteRange, etag: string | undefined) {
  const isWhole = start === 0 && end === Number.POSITIVE_INFINITY;
  return new GetObjectCommand({
    Bucket,
    Key,
    ...(!isWhole && { Range: `bytes=${start}-${Number.isFinite(end) ? end : ''}` }),
    ...(etag !== undefined && { IfMatch: `"${etag}"` }),
  });
}

async function openBody(asking: Promise<GetObjectCommandOutput>): Promise<Opened | undefined> {
  try {
    const { Body, ContentLength, ETag, Metadata } = await asking;
    const body = Body as unknown as IncomingMessage;
    // It may break before it is read. The reader gets the error then.
    body.on('error', () => undefined);
    return { body, length: ContentLength ?? 0, etag: readEtag(ETag), metadata: Metadata ?? {} };
  } catch (error) {
    if (isMissing(error) || isRefused(error)) return undefined;
    throw error;
  }
}

interface ResumableOptions {
  /** Position of the first byte in the object. */
  start: number;
  /** Time after which a connection without a byte counts as stalled, in ms. */
  stallMs: number;
  /** Requests the rest of the same version over another connection. */
  again(position: number): Promise<Opened | undefined>;
}

/** Streams the bytes of a response. Replaces a broken connection by another one. */
class ResumableDownload extends Readable {
  readonly #options: ResumableOptions;
  readonly #end: number;
  #position: number;
  #resumptions = 0;
  #body: IncomingMessage;
  #chunks: AsyncIterator<Buffer>;

  constructor({ body, length }: Opened, options: ResumableOptions) {
    super();
    this.#options = options;
    this.#position = options.start;
    this.#end = options.start + length;
    this.#body = body;
    this.#chunks = body[Symbol.asyncIterator]();
  }

  override _read(): void {
    this.#next().then(
      (chunk) => this.push(chunk),
      (error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // Otherwise the connection of a response that was not read completely would stay in use.
    if (!this.#body.readableEnded) this.#body.destroy();
    done(error);
  }

  async #next(): Promise<Buffer | null> {
    const { stallMs } = this.#options;
    while (this.#position < this.#end) {
      try {
        const chunk = await within(this.#chunks.next(), stallMs);
        if (chunk === LATE) throw new Error(`No byte came for ${stallMs} ms.`);
        if (chunk.done) throw new Error('The connection ended before the object did.');
        this.#position += chunk.value.length;
        this.#resumptions = 0;
        return chunk.value;
      } catch (cause) {
        this.#body.destroy();
        if (this.destroyed) return null;
        await this.#resume(cause);
      }
    }
    // The connection is released only when the response is read completely.
    const end = await within(this.#chunks.next(), stallMs).catch(() => LATE);
    if (end === LATE) this.#body.destroy();
    return null;
  }

  async #resume(cause: unknown): Promise<void> {
    if (++this.#resumptions > MAX_RESUMPTIONS) {
      throw new StorageUnavailable('A download from the storage broke off again and again.', { cause });
    }
    const resumed = await this.#options.again(this.#position);
    if (!resumed) throw new StorageUnavailable('An object was replaced while it was downloaded.', { cause });
    this.#body = resumed.body;
    this.#chunks = resumed.body[Symbol.asyncIterator]();
    if (this.destroyed) this.#body.destroy();
  }
}
