import type { FileHandle } from 'node:fs/promises';
import { addAbortSignal, Readable } from 'node:stream';
import type { ByteRange, ByteStream } from './blob-store.ts';

const CHUNK_BYTES = 64 * 1024;

export interface StreamOptions {
  signal?: AbortSignal | undefined;
  /** Waits until a file that is still being written has a byte at the position. */
  reach?(position: number): Promise<void>;
}

/**
 * Streams an open file, or a part of it, and closes it. Refills buffers that the reader returns: garbage of that size
 * would accumulate by tens of megabytes before it is collected.
 */
export function streamFile(
  handle: FileHandle,
  { start, end }: ByteRange = { start: 0, end: Infinity },
  { signal, reach }: StreamOptions = {},
): ByteStream {
  const free: Buffer[] = [];
  let position = start;

  async function readChunk(): Promise<Buffer | null> {
    const length = Math.min(CHUNK_BYTES, end + 1 - position);
    if (length <= 0) return null;
    await reach?.(position);
    if (stream.destroyed) return null;
    const buffer = free.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, length, position);
    position += bytesRead;
    return bytesRead === 0 ? null : buffer.subarray(0, bytesRead);
  }

  const stream: Readable = new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      readChunk().then(
        (chunk) => stream.push(chunk),
        (error) => stream.destroy(error),
      );
    },
    destroy(error, done) {
      handle.close().then(() => done(error), done);
    },
  });
  if (signal) addAbortSignal(signal, stream);
  return Object.assign(stream, { recycle: (chunk: Buffer) => void free.push(Buffer.from(chunk.buffer)) });
}
