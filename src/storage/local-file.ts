import { close, fstat, open, read, type Stats } from 'node:fs';
import { open as openHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { hasCode } from '../errors.ts';
import { BlobNotFound, type ByteRange, type ByteStream } from './blob-store.ts';
import { streamFile } from './stream-file.ts';

// The callback calls cost a quarter less than `fs/promises`, which wraps every descriptor into an object.
const calls = {
  open: promisify(open),
  fstat: promisify(fstat),
  read: promisify(read),
  close: promisify(close),
};

export interface SmallFile {
  /** Number of bytes that were read, or the size of the file. */
  size: number;
  stats: Stats;
  /** Undefined when the file is larger than requested. */
  bytes: Buffer | undefined;
}

/** Reads a file in one go unless it is larger than `maxBytes`; undefined for a missing file. */
export function readSmallFile(file: string, maxBytes: number): Promise<SmallFile | undefined> {
  return withDescriptor(file, (descriptor) => readUpTo(descriptor, maxBytes));
}

async function withDescriptor<T>(file: string, use: (descriptor: number) => Promise<T>): Promise<T | undefined> {
  let descriptor: number;
  try {
    descriptor = await calls.open(file, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
  try {
    return await use(descriptor);
  } finally {
    await calls.close(descriptor);
  }
}

async function readUpTo(descriptor: number, maxBytes: number): Promise<SmallFile> {
  const stats = await calls.fstat(descriptor);
  const { size } = stats;
  if (size > maxBytes) return { size, stats, bytes: undefined };
  const bytes = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await calls.read(descriptor, bytes, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return { size: filled, stats, bytes: bytes.subarray(0, filled) };
}

/** Opens a file, or a part of it, as a stream. @throws BlobNotFound */
export async function openFile(file: string, range?: ByteRange, signal?: AbortSignal): Promise<ByteStream> {
  signal?.throwIfAborted();
  try {
    return streamFile(await openHandle(file, 'r'), range, { signal });
  } catch (cause) {
    if (hasCode(cause, 'ENOENT', 'ENOTDIR')) throw new BlobNotFound('The file is missing.', { cause });
    throw cause;
  }
}
