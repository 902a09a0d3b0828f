import { type FileHandle, open } from 'node:fs/promises';

/** The demuxers that may be used, by ffmpeg's names for them. */
export type Container = 'mov' | 'matroska';

const EBML_MAGIC = 0x1a45dfa3;
const SEGMENT_ID = 0x18538067;
const FIRST_BOXES: readonly string[] = ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip'];
/** The boxes without which something of the film is missing. */
const VITAL_BOXES: readonly string[] = ['moov', 'mdat', 'moof'];
/** Far more than a long recording in fragments has: reading each of millions would take minutes. */
const MAX_BOXES = 20_000;

export interface ContainerFacts {
  /** Undefined for what is neither MP4, MOV, WebM nor Matroska. */
  container: Container | undefined;
  isEmpty: boolean;
  /** The file says of itself that it is longer than it is. */
  isCutShort: boolean;
}

/** Tells the container by its first bytes, and whether all of it is there. */
export async function inspectContainer(file: string): Promise<ContainerFacts> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const head = await read(handle, 0, 64);
    const isEmpty = size === 0;
    if (head.readUInt32BE(0) === EBML_MAGIC) {
      return { container: 'matroska', isEmpty, isCutShort: endOfSegment(head) > size };
    }
    if (FIRST_BOXES.includes(head.toString('latin1', 4, 8))) {
      return { container: 'mov', isEmpty, isCutShort: await lacksBoxes(handle, size) };
    }
    return { container: undefined, isEmpty, isCutShort: false };
  } finally {
    await handle.close();
  }
}

/** The demuxer for a file of sound, by its first bytes. What is neither RIFF nor Ogg is read as MP3, whose frames may begin anywhere. */
export async function soundContainerOf(file: string): Promise<'wav' | 'mp3' | 'ogg'> {
  const handle = await open(file);
  try {
    const start = (await read(handle, 0, 4)).toString('latin1');
    if (start === 'OggS') return 'ogg';
    return start === 'RIFF' || start === 'RF64' ? 'wav' : 'mp3';
  } finally {
    await handle.close();
  }
}

export async function isGif(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    return /^GIF8[79]a$/.test((await read(handle, 0, 6)).toString('latin1'));
  } finally {
    await handle.close();
  }
}

/** Walks the first boxes of the top level (ISO 14496-12, 4.2): size, type, and a long size where the short one is 1. */
async function lacksBoxes(handle: FileHandle, size: number): Promise<boolean> {
  for (let [start, boxes] = [0, 0]; start + 8 <= size && boxes < MAX_BOXES; boxes++) {
    const head = await read(handle, start, 16);
    const short = head.readUInt32BE(0);
    // 0 means up to the end of the file.
    const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? size - start : short;
    if (start + length > size) return VITAL_BOXES.includes(head.toString('latin1', 4, 8));
    if (length < 8) return false;
    start += length;
  }
  return false;
}

/** Where the one segment of a Matroska file ends (RFC 8794); 0 where it does not say, as in a live recording. */
function endOfSegment(head: Buffer): number {
  const header = readVariableInteger(head, 4);
  const segment = header.end + header.value;
  if (segment + 12 > head.length || head.readUInt32BE(segment) !== SEGMENT_ID) return 0;
  const length = readVariableInteger(head, segment + 4);
  return length.isUnknown ? 0 : length.end + length.value;
}

/** The position of the first set bit says how many bytes the integer takes; all ones mean unknown. */
function readVariableInteger(bytes: Buffer, start: number) {
  const first = bytes[start] ?? 0;
  const width = Math.min(8, Math.max(1, Math.clz32(first) - 23));
  const digits = [first & (0xff >> width), ...bytes.subarray(start + 1, start + width)];
  const value = digits.reduce((number, byte) => number * 256 + byte, 0);
  return { value, end: start + width, isUnknown: value >= 2 ** (7 * width) - 1 };
}

async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer;
}
