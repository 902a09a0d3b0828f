import type { FileHandle } from 'node:fs/promises';

/** One part of an upload. Its bytes are only read when it is sent. */
export type Part = () => Promise<Buffer>;

const MEBIBYTE = 1024 * 1024;
export const PART_BYTES = 8 * MEBIBYTE;
const PARTS_OF_A_SIZE = 1000;
const MAX_PARTS = 10_000;
const FIRST_BUFFER = 64 * 1024;

/** Maximum size of a file that is sent whole, in bytes. */
export const WHOLE_BYTES = PART_BYTES;

/**
 * Returns the size of a part where the length is unknown: it doubles every thousand parts, so that the 10,000 possible
 * ones hold eight terabytes.
 */
function partBytes(index: number): number {
  return PART_BYTES * 2 ** Math.floor(index / PARTS_OF_A_SIZE);
}

/** Cuts chunks into parts; at least one, which may be empty. */
export async function* partsOfChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Part> {
  let index = 0;
  let buffer = new GrowingBuffer(partBytes(index));
  for await (const chunk of chunks) {
    for (let rest = chunk; rest.length > 0; ) {
      if (buffer.isFull) {
        const { bytes } = buffer;
        yield async () => bytes;
        buffer = new GrowingBuffer(partBytes(++index));
      }
      rest = rest.subarray(buffer.take(rest));
    }
  }
  const { bytes } = buffer;
  yield async () => bytes;
}

/** Cuts a file of a known size into parts; at least one, which may be empty. */
export function* partsOfFile(
  handle: FileHandle,
  size: number,
  // All parts have one size, as Cloudflare requires.
  bytes = Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS)),
): Generator<Part> {
  for (let start = 0; start === 0 || start < size; start += bytes) {
    yield () => readPart(handle, start, Math.min(bytes, size - start));
  }
}

async function readPart(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) throw new Error('The file became shorter while it was read.');
    filled += bytesRead;
  }
  return bytes;
}

/** Collects bytes up to a limit. Uses about as much memory as there are bytes. */
class GrowingBuffer {
  readonly #limit: number;
  #buffer = Buffer.alloc(0);
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#length === this.#limit;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Adds as many of the bytes as fit. Returns their number. */
  take(bytes: Uint8Array): number {
    const taken = Math.min(bytes.length, this.#limit - this.#length);
    const needed = this.#length + taken;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(this.#limit, Math.max(needed, 2 * this.#length, FIRST_BUFFER)));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    this.#buffer.set(bytes.subarray(0, taken), this.#length);
    this.#length = needed;
    return taken;
  }
}
