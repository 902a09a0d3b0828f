import { type Box, readBoxes } from './boxes.ts';
import { readSampleEntry, type SampleEntry } from './sample-entry.ts';

/** A part of a file that can be played when its beginning has been read. */
export interface Segment {
  /** Of the first byte in the file. */
  start: number;
  bytes: number;
  seconds: number;
}

/** What is known of a file in fragments from its head. */
export interface Fragments extends SampleEntry {
  /** Of what comes before the index: all that a player needs to decode a segment. */
  headBytes: number;
  /** Of the first byte of the index, and behind its end. */
  index: { start: number; end: number };
  /** Ticks a second, in which the index counts. */
  timescale: number;
  segments: readonly Segment[];
  /** Of all segments together. */
  seconds: number;
  /** Of the whole file. */
  bytes: number;
}

/** Reads bytes of a file, as many as there are. */
export type ReadStart = (bytes: number) => Promise<Buffer>;

/** Enough for the index of an hour. */
const USUAL_HEAD = 32 * 1024;

/** Above it a file has more segments than its index can count. */
const MAX_HEAD = 2 * 1024 * 1024;

/**
 * Reads the head of a file that `PICTURE_FRAGMENTS` or `SOUND_FRAGMENTS` have written.
 * @throws RangeError when it is none
 */
export async function readFragments(read: ReadStart): Promise<Fragments> {
  let head = await read(USUAL_HEAD);
  const index = readBoxes(head).find(({ type }) => type === 'sidx');
  if (!index || index.end > MAX_HEAD) throw new RangeError('Expected a file with an index before its fragments.');
  if (index.end > head.length) head = await read(index.end);
  return { ...readSampleEntry(head), headBytes: index.start, ...readIndex(head, index) };
}

/** ISO 14496-12, 8.16.3. */
function readIndex(bytes: Buffer, box: Box) {
  const isLong = bytes.readUInt8(box.content) > 0;
  const timescale = bytes.readUInt32BE(box.content + 8);
  const offsetAt = box.content + (isLong ? 20 : 16);
  const offset = isLong ? Number(bytes.readBigUInt64BE(offsetAt)) : bytes.readUInt32BE(offsetAt);
  const countAt = offsetAt + (isLong ? 8 : 4) + 2;
  const segments: Segment[] = [];
  let [start, ticks] = [box.end + offset, 0];
  for (let n = 0, at = countAt + 2; n < bytes.readUInt16BE(countAt); n++, at += 12) {
    const length = bytes.readUInt32BE(at) & 0x7fffffff;
    const duration = bytes.readUInt32BE(at + 4);
    segments.push({ start, bytes: length, seconds: duration / timescale });
    start += length;
    ticks += duration;
  }
  if (segments.length === 0 || timescale === 0) throw new RangeError('Expected an index with a segment.');
  const index = { start: box.start, end: box.end };
  return { index, timescale, segments, seconds: ticks / timescale, bytes: start };
}
