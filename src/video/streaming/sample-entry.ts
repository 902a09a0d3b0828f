import { type Box, findBox, readBoxes } from './boxes.ts';

/** How a track is coded. */
export interface SampleEntry {
  /** As RFC 6381 writes it: `avc1.64001f`, `mp4a.40.2`. */
  codec: string;
  /** Of pictures, in pixels. */
  size: { width: number; height: number } | undefined;
  /** Of sound. */
  channels: number | undefined;
}

/** Bytes before the boxes of an entry: those that every entry has, and those of pictures and of sound (ISO 14496-12, 12.1.3, 12.2.3). */
const PICTURE_FIELDS = 78;
const SOUND_FIELDS = 28;

const ES_DESCRIPTOR = 3;
const DECODER_CONFIG = 4;
const DECODER_SPECIFIC = 5;

/** Reads the entry of the only track of a file. @throws RangeError for a coding that streams do not have */
export function readSampleEntry(bytes: Buffer): SampleEntry {
  const list = findBox(bytes, ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd']);
  // A version, flags and a count come first.
  const [entry] = readBoxes(bytes, list.content + 8, list.end);
  if (entry?.type === 'avc1') return readPicture(bytes, entry);
  if (entry?.type === 'mp4a') return readSound(bytes, entry);
  throw new RangeError(`Expected avc1 or mp4a, received "${entry?.type}".`);
}

function readPicture(bytes: Buffer, entry: Box): SampleEntry {
  const { content } = findBox(bytes, ['avcC'], { content: entry.content + PICTURE_FIELDS, end: entry.end });
  const size = { width: bytes.readUInt16BE(entry.content + 24), height: bytes.readUInt16BE(entry.content + 26) };
  // Profile, constraints and level (ISO 14496-15, 5.3.3.1).
  return { codec: `avc1.${bytes.toString('hex', content + 1, content + 4)}`, size, channels: undefined };
}

function readSound(bytes: Buffer, entry: Box): SampleEntry {
  const box = findBox(bytes, ['esds'], { content: entry.content + SOUND_FIELDS, end: entry.end });
  const descriptor = readDescriptor(bytes, box.content + 4, ES_DESCRIPTOR);
  const config = readDescriptor(bytes, descriptor + 3, DECODER_CONFIG);
  const specific = readDescriptor(bytes, config + 13, DECODER_SPECIFIC);
  // Five bits for the kind of AAC, four for the rate, four for the channels (ISO 14496-3, 1.6.2.1). The entry always says two.
  const bits = bytes.readUInt16BE(specific);
  const objectType = bits >> 11;
  const channels = (bits >> 3) & 0xf;
  return { codec: `mp4a.${bytes.toString('hex', config, config + 1)}.${objectType}`, size: undefined, channels };
}

/** Where the content of a descriptor begins: behind its tag and a length of one to four bytes (ISO 14496-1, 8.3.3). */
function readDescriptor(bytes: Buffer, at: number, tag: number): number {
  if (bytes.readUInt8(at) !== tag) throw new RangeError(`Expected the descriptor ${tag}, received ${bytes[at]}.`);
  let content = at + 1;
  while (bytes.readUInt8(content) >= 0x80) content++;
  return content + 1;
}
