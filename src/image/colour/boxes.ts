import { type FileHandle, open } from 'node:fs/promises';

/** Reads bytes of a file; fewer where it ends. */
export type ReadBytes = (at: number, length: number) => Promise<Buffer>;

/** A box of the ISO base media file format, which AVIF and HEIC are made of. */
export interface Box {
  type: string;
  /** What follows its type and size. */
  data: Buffer;
}

export interface TopBox {
  at: number;
  end: number;
  data: Buffer;
}

/** A larger box of metadata is not read. */
const META_BYTES = 2 ** 24;

/** Boxes at the top of a file; it has a handful. */
const TOP_BOXES = 100;

export const readerOf =
  (bytes: Buffer): ReadBytes =>
  async (at, length) =>
    bytes.subarray(at, at + length);

/** Lends a reader of a file, or of the bytes of one. */
export async function readFrom<T>(file: string | Buffer, use: (read: ReadBytes) => Promise<T>): Promise<T> {
  if (typeof file !== 'string') return await use(readerOf(file));
  await using handle = await open(file, 'r');
  return await use((at, length) => readAt(handle, at, length));
}

async function readAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

/** Finds a box at the top of a file, and where it begins and ends. Source: ISO/IEC 14496-12, 4.2. */
export async function topBox(read: ReadBytes, type: string): Promise<TopBox | undefined> {
  let at = 0;
  for (let count = 0; count < TOP_BOXES; count++) {
    const head = headOf(await read(at, 16));
    if (!head) return undefined;
    if (head.type === type) {
      const length = head.size - head.bytes;
      const data = length <= META_BYTES ? await read(at + head.bytes, length) : undefined;
      return data?.length === length ? { at, end: at + head.size, data } : undefined;
    }
    if (head.size === Number.POSITIVE_INFINITY) return undefined;
    at += head.size;
  }
  return undefined;
}

/** The boxes in a sequence, up to the first one that is cut off. */
export function boxes(bytes: Buffer): Box[] {
  const found: Box[] = [];
  for (let at = 0; at < bytes.length; ) {
    const rest = bytes.subarray(at);
    const head = headOf(rest);
    if (!head) break;
    const size = head.size === Number.POSITIVE_INFINITY ? rest.length : head.size;
    if (size > rest.length) break;
    found.push({ type: head.type, data: rest.subarray(head.bytes, size) });
    at += size;
  }
  return found;
}

export const findBox = (bytes: Buffer, type: string) => boxes(bytes).find((box) => box.type === type)?.data;

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
