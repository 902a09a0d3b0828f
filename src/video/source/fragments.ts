import { type Box, findBox, readBoxes } from './boxes.ts';

/** A part of a file that can be played once its beginning has been read. */
export interface Segment {
  /** Offset of the first byte in the file. */
  start: number;
  bytes: number;
  seconds: number;
}

/** Properties of a fragmented file, from its head. */
export interface Fragments extends SampleEntry {
  /** Bytes before the index: everything that a player needs to decode a segment. */
  headBytes: number;
  /** Offsets of the index and of its end. */
  index: { start: number; end: number };
  /** Ticks per second of the index. */
  timescale: number;
  segments: readonly Segment[];
  /** Duration of all segments. */
  seconds: number;
  /** Of the entire file. */
  bytes: number;
}

/** Reads up to this many bytes from the beginning of a file. */
type ReadStart = (bytes: number) => Promise<Buffer>;

/** Enough for the index of an hour. */
const USUAL_HEAD = 32 * 1024;

/** A longer head has more segments than its index can count. */
const MAX_HEAD = 2 * 1024 * 1024;

/** Reads the head of a file written with `VIDEO_FRAGMENTS` or `AUDIO_FRAGMENTS`. @throws RangeError for other files */
export async function readFragments(read: ReadStart): Promise<Fragments> {
  let head = await read(USUAL_HEAD);
  const index = readBoxes(head).find(({ type }) => type === 'sidx');
  if (!index || index.end > MAX_HEAD) throw new RangeError('Expected a file with an index before its fragments.');
  if (index.end > head.length) head = await read(index.end);
  return { ...readSampleEntry(head), headBytes: index.start, ...readIndex(head, index) };
}

/** Reads the segment index (ISO 14496-12, 8.16.3). */
function readIndex(bytes: Buffer, box: Box) {
  const isLong = bytes.readUInt8(box.content) > 0;
  const timescale = bytes.readUInt32BE(box.content + 8);
  const offsetAt = box.content + (isLong ? 20 : 16);
  const offset = isLong ? Number(bytes.readBigUInt64BE(offsetAt)) : bytes.readUInt32BE(offsetAt);
  const countAt = offsetAt + (isLong ? 8 : 4) + 2;
  const segments: Segment[] = [];
  let start = box.end + offset;
  let ticks = 0;
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

/** Codec and properties of a track. */
interface SampleEntry {
  /** As in RFC 6381: `avc1.64001f`, `mp4a.40.2`. */
  codec: string;
  /** Of video, in pixels. */
  size: { width: number; height: number } | undefined;
  /** Of audio. */
  channels: number | undefined;
}

/** Bytes before the boxes of an entry: common fields, then those of video or audio (ISO 14496-12, 12.1.3, 12.2.3). */
const VIDEO_FIELDS = 78;
const AUDIO_FIELDS = 28;

const ES_DESCRIPTOR = 3;
const DECODER_CONFIG = 4;
const DECODER_SPECIFIC = 5;

/** Reads the entry of the only track of a file. @throws RangeError for a codec that streams do not use */
function readSampleEntry(bytes: Buffer): SampleEntry {
  const list = findBox(bytes, ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd']);
  // Skip version, flags and count.
  const [entry] = readBoxes(bytes, list.content + 8, list.end);
  if (entry?.type === 'avc1') return readVideo(bytes, entry);
  if (entry?.type === 'mp4a') return readAudio(bytes, entry);
  throw new RangeError(`Expected avc1 or mp4a, received "${entry?.type}".`);
}

function readVideo(bytes: Buffer, entry: Box): SampleEntry {
  const { content } = findBox(bytes, ['avcC'], { content: entry.content + VIDEO_FIELDS, end: entry.end });
  const size = { width: bytes.readUInt16BE(entry.content + 24), height: bytes.readUInt16BE(entry.content + 26) };
  // Profile, constraints and level (ISO 14496-15, 5.3.3.1).
  return { codec: `avc1.${bytes.toString('hex', content + 1, content + 4)}`, size, channels: undefined };
}

function readAudio(bytes: Buffer, entry: Box): SampleEntry {
  const box = findBox(bytes, ['esds'], { content: entry.content + AUDIO_FIELDS, end: entry.end });
  const descriptor = readDescriptor(bytes, box.content + 4, ES_DESCRIPTOR);
  const config = readDescriptor(bytes, descriptor + 3, DECODER_CONFIG);
  const specific = readDescriptor(bytes, config + 13, DECODER_SPECIFIC);
  // Five bits AAC type, four bits rate, four bits channels (ISO 14496-3, 1.6.2.1). The entry itself always says two.
  const bits = bytes.readUInt16BE(specific);
  const objectType = bits >> 11;
  const channels = (bits >> 3) & 0xf;
  return { codec: `mp4a.${bytes.toString('hex', config, config + 1)}.${objectType}`, size: undefined, channels };
}

/** Returns the offset of a descriptor's content, after a tag and a length of one to four bytes (ISO 14496-1, 8.3.3). */
function readDescriptor(bytes: Buffer, at: number, tag: number): number {
  if (bytes.readUInt8(at) !== tag) throw new RangeError(`Expected the descriptor ${tag}, received ${bytes[at]}.`);
  let content = at + 1;
  while (bytes.readUInt8(content) >= 0x80) content++;
  return content + 1;
}
