import { type FileHandle, open } from 'node:fs/promises';

/** Reads bytes of a file; fewer at its end. */
export type ReadBytes = (at: number, length: number) => Promise<Buffer>;

/** A box of the ISO base media file format, used by AVIF and HEIC. Source: ISO/IEC 14496-12, 4.2. */
export interface Box {
  type: string;
  /** Offset of its size field. */
  start: number;
  end: number;
  /** Content after size and type: a view of the bytes that it was found in. */
  data: Buffer;
}

/** Larger metadata boxes are not read. */
const META_BYTES = 2 ** 24;

/** Boxes at the top of a file; it has a handful. */
const TOP_BOXES = 100;

/** Read together, because most headers are within them. */
const HEAD_BYTES = 4096;

export const readerOf =
  (bytes: Buffer): ReadBytes =>
  async (at, length) =>
    bytes.subarray(at, at + length);

/** Calls `use` with a reader of a file, or of the bytes of one. */
export async function readFrom<T>(file: string | Buffer, use: (read: ReadBytes) => Promise<T>): Promise<T> {
  if (typeof file !== 'string') return await use(readerOf(file));
  await using handle = await open(file, 'r');
  const head = await readAt(handle, 0, HEAD_BYTES);
  const { size } = await handle.stat();
  // A damaged file may claim far more than it has; the memory would be taken before that shows.
  return await use(async (at, length) =>
    at + length <= head.length
      ? head.subarray(at, at + length)
      : readAt(handle, at, Math.max(0, Math.min(length, size - at))),
  );
}

async function readAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(at)) return Buffer.alloc(0);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

/** Finds a box at the top of a file. */
export async function topBox(read: ReadBytes, type: string): Promise<Box | undefined> {
  let at = 0;
  for (let count = 0; count < TOP_BOXES; count++) {
    const head = headOf(await read(at, 16));
    if (!head) return undefined;
    if (head.type === type) {
      const length = head.size - head.bytes;
      const data = length <= META_BYTES ? await read(at + head.bytes, length) : undefined;
      return data?.length === length ? { type, start: at, end: at + head.size, data } : undefined;
    }
    if (head.size === Number.POSITIVE_INFINITY) return undefined;
    at += head.size;
  }
  return undefined;
}

/** Yields the boxes from an offset to the end of some bytes, up to the first truncated one. There may be millions. */
export function* boxes(bytes: Buffer, start = 0): Generator<Box> {
  for (let at = start; at < bytes.length; ) {
    const head = headOf(bytes.subarray(at, at + 16));
    if (!head) return;
    const end = head.size === Number.POSITIVE_INFINITY ? bytes.length : at + head.size;
    if (end > bytes.length) return;
    yield { type: head.type, start: at, end, data: bytes.subarray(at + head.bytes, end) };
    at = end;
  }
}

export const findBox = (bytes: Buffer, type: string) => boxes(bytes).find((box) => box.type === type)?.data;

/** True if 32 bits hold the size of a box. All other boxes are rare. */
export function hasShortSize(bytes: Buffer, { start, end }: Box): boolean {
  return bytes.readUInt32BE(start) === end - start;
}

export function makeBox(type: string, ...content: readonly Buffer[]): Buffer {
  const box = Buffer.concat([Buffer.alloc(8), ...content]);
  box.writeUInt32BE(box.length);
  box.write(type, 4, 'latin1');
  return box;
}

/** Size 1 means that 64 bits follow, size 0 that the box ends with the file. */
function headOf(bytes: Buffer): { type: string; bytes: number; size: number } | undefined {
  if (bytes.length < 8) return undefined;
  const size = bytes.readUInt32BE();
  const isWide = size === 1 && bytes.length >= 16;
  const head = { type: bytes.toString('latin1', 4, 8), bytes: isWide ? 16 : 8 };
  const whole = isWide ? Number(bytes.readBigUInt64BE(8)) : size || Number.POSITIVE_INFINITY;
  return whole < head.bytes ? undefined : { ...head, size: whole };
}
