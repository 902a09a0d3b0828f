import type { FileHandle } from 'node:fs/promises';
import { type Element, readElement } from './ebml.ts';

/** IDs of RFC 9559, section 5. */
const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const TIMESTAMP_SCALE = 0x2ad7b1;
const DURATION = 0x4489;
const CLUSTER = 0x1f43b675;
const TIMESTAMP = 0xe7;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const SIMPLE_BLOCK = 0xa3;

/** Per walk. Longer files are measured instead. */
const MAX_ELEMENTS = 4000;
const MAX_INFO_BYTES = 64 * 1024;
/** Bytes of an ID, a size, a track number and a block time. */
const HEAD_BYTES = 16;
/** Tolerated seconds of the last block after the stated end, and before it: frames are shown for a while. */
const TOLERANCE = 0.1;
const LONGEST_FRAME = 1;
const NANOSECONDS = 1e9;
const USUAL_SCALE = 1_000_000;

/** State of a walk through a file. Times are in ticks of `scale` nanoseconds. */
interface Walk {
  scale: number;
  claimed: number | undefined;
  /** Time of the current cluster. */
  cluster: number;
  /** Time of the latest block. */
  latest: number | undefined;
  /** Last skipped cluster. */
  passed: Element | undefined;
}

/**
 * Returns the beginning of the last block in seconds if it contradicts the stated duration. Undefined if they agree, or
 * if the file states none.
 */
export async function contradictedEndOfMatroska(handle: FileHandle, size: number): Promise<number | undefined> {
  const header = await elementAt(handle, 0);
  const segment = header && header.end < size ? await elementAt(handle, header.end) : undefined;
  if (segment?.id !== SEGMENT) return undefined;
  const walk: Walk = { scale: USUAL_SCALE, claimed: undefined, cluster: 0, latest: undefined, passed: undefined };
  const isWhole = await pass(handle, walk, segment.content, Math.min(segment.end, size));
  if (walk.claimed === undefined) return undefined;
  const { passed } = walk;
  if (passed) await pass(handle, walk, passed.content, Math.min(passed.end, size));
  if (walk.latest === undefined) return undefined;
  const latest = (walk.latest * walk.scale) / NANOSECONDS;
  const claimed = (walk.claimed * walk.scale) / NANOSECONDS;
  // More may follow the last visited element, so only a stated end that is too early is wrong.
  const isTooLong = isWhole && claimed > latest + LONGEST_FRAME;
  return claimed < latest - TOLERANCE || isTooLong ? latest : undefined;
}

/**
 * Walks over elements. Skips clusters of known size, enters those of a live recording.
 * @returns false if there were too many to visit all
 */
async function pass(handle: FileHandle, walk: Walk, start: number, end: number): Promise<boolean> {
  let at = start;
  for (let count = 0; at + 2 <= end; count++) {
    const element = count < MAX_ELEMENTS ? await elementAt(handle, at) : undefined;
    if (!element) return count < MAX_ELEMENTS;
    at = await take(handle, walk, element);
  }
  return true;
}

/** @returns the offset of the next element */
async function take(handle: FileHandle, walk: Walk, element: Element): Promise<number> {
  const { id, content, end } = element;
  if (id === BLOCK_GROUP || (id === CLUSTER && end === Number.POSITIVE_INFINITY)) return content;
  if (id === CLUSTER) walk.passed = element;
  if (id === INFO) await readInfo(handle, walk, element);
  if (id === TIMESTAMP) walk.cluster = (await read(handle, content, Math.min(8, end - content))).reduce(shift, 0);
  if (id === BLOCK || id === SIMPLE_BLOCK) {
    const head = await read(handle, content, 4);
    // The track number takes one byte, or two with more than 126 tracks.
    const at = (head[0] ?? 0) & 0x80 ? 1 : 2;
    if (head.length >= at + 2) walk.latest = Math.max(walk.latest ?? 0, walk.cluster + head.readInt16BE(at));
  }
  return end;
}

async function readInfo(handle: FileHandle, walk: Walk, { content, end }: Element): Promise<void> {
  const bytes = await read(handle, content, Math.min(MAX_INFO_BYTES, end - content));
  for (let at = 0; at < bytes.length; ) {
    const element = readElement(bytes, at);
    if (!element) return;
    const value = bytes.subarray(element.content, element.end);
    if (element.id === TIMESTAMP_SCALE) walk.scale = value.reduce(shift, 0);
    if (element.id === DURATION && value.length === 4) walk.claimed = value.readFloatBE();
    if (element.id === DURATION && value.length === 8) walk.claimed = value.readDoubleBE();
    at = element.end;
  }
}

const shift = (number: number, byte: number) => number * 256 + byte;

async function elementAt(handle: FileHandle, at: number): Promise<Element | undefined> {
  const element = readElement(await read(handle, at, HEAD_BYTES), 0);
  return element && { ...element, content: at + element.content, end: at + element.end };
}

async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
