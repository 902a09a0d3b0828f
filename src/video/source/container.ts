import { type FileHandle, open } from 'node:fs/promises';
import type { Box } from './boxes.ts';
import { readElement } from './ebml.ts';
import { contradictedEndOfMatroska } from './matroska-end.ts';
import { type Mp4Heads, readMp4Heads } from './mp4-heads.ts';

/** Accepted video demuxers, by ffmpeg's names. */
export type Container = 'mov' | 'matroska';

type AudioContainer = 'wav' | 'mp3' | 'ogg' | 'aac';

/** Demuxers for uploaded files. */
export type AnyContainer = Container | AudioContainer | 'gif';

const EBML_MAGIC = 0x1a45dfa3;
const SEGMENT_ID = 0x18538067;
const FIRST_BOXES: readonly string[] = ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip'];
/** Boxes without which part of the movie is missing. */
const VITAL_BOXES: readonly string[] = ['moov', 'mdat', 'moof'];
/** Far more than a long fragmented recording has: reading millions would take minutes. */
const MAX_BOXES = 20_000;

export interface ContainerFacts extends Mp4Heads {
  /** Undefined unless MP4, MOV, WebM or Matroska. */
  container: Container | undefined;
  isEmpty: boolean;
  /** True if the file is shorter than it claims. */
  isCutShort: boolean;
}

/** Detects the container by its first bytes, and reads whether the file is complete. */
export async function inspectContainer(file: string): Promise<ContainerFacts> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  const head = await read(handle, 0, 64);
  const unknown: ContainerFacts = {
    container: undefined,
    isEmpty: size === 0,
    isCutShort: false,
    contradictedEnd: undefined,
    hiddenTracks: [],
  };
  if (head.readUInt32BE(0) === EBML_MAGIC) {
    const contradictedEnd = await contradictedEndOfMatroska(handle, size);
    return { ...unknown, container: 'matroska', isCutShort: endOfSegment(head) > size, contradictedEnd };
  }
  if (FIRST_BOXES.includes(head.toString('latin1', 4, 8))) {
    const boxes = await readTopLevel(handle, size);
    const isCutShort = boxes.some(({ type, end }) => end > size && VITAL_BOXES.includes(type));
    const heads = isCutShort ? undefined : await readMp4Heads(handle, boxes);
    return { ...unknown, ...heads, container: 'mov', isCutShort };
  }
  return unknown;
}

/**
 * Detects the demuxer of an audio file by its first bytes. Anything but RIFF, Ogg and ADTS is read as MP3, whose frames
 * may begin anywhere.
 */
export async function audioContainerOf(file: string): Promise<AudioContainer> {
  await using handle = await open(file);
  const start = (await read(handle, 0, 4)).toString('latin1');
  if (start === 'OggS') return 'ogg';
  if (['RIFF', 'RF64', 'BW64'].includes(start)) return 'wav';
  return startsAdts(await read(handle, await endOfTag(handle), 2)) ? 'aac' : 'mp3';
}

/** Returns the end of an ID3v2 tag with its footer; 0 without one. Each byte of its size has seven bits. */
async function endOfTag(handle: FileHandle): Promise<number> {
  const head = await read(handle, 0, 10);
  if (head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const size = head.subarray(6).reduce((number, byte) => number * 128 + (byte & 0x7f), 0);
  return 10 + size + ((head[5] ?? 0) & 0x10 ? 10 : 0);
}

/** True for the first bytes of an ADTS frame (ISO 13818-7, 6.2.1): twelve sync bits, and layer 0. */
function startsAdts(head: Buffer): boolean {
  return head[0] === 0xff && ((head[1] ?? 0) & 0xf6) === 0xf0;
}

export async function isGif(file: string): Promise<boolean> {
  await using handle = await open(file);
  return /^GIF8[79]a$/.test((await read(handle, 0, 6)).toString('latin1'));
}

/**
 * Reads the boxes of the top level (ISO 14496-12, 4.2): size, type, and a long size if the short one is 1. The last one
 * may end after the file.
 */
async function readTopLevel(handle: FileHandle, size: number): Promise<Box[]> {
  const boxes: Box[] = [];
  for (let start = 0; start + 8 <= size && boxes.length < MAX_BOXES; ) {
    const head = await read(handle, start, 16);
    const short = head.readUInt32BE(0);
    // 0 means up to the end of the file.
    const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? size - start : short;
    const end = start + length;
    boxes.push({ type: head.toString('latin1', 4, 8), start, content: start + (short === 1 ? 16 : 8), end });
    if (length < 8 || end > size) break;
    start = end;
  }
  return boxes;
}

/** Returns the end of the only segment of a Matroska file (RFC 8794); 0 if it is unknown, as in a live recording. */
function endOfSegment(head: Buffer): number {
  const header = readElement(head, 0);
  const segment = header && readElement(head, header.end);
  return segment?.id === SEGMENT_ID && Number.isFinite(segment.end) ? segment.end : 0;
}

/** Returns that many bytes, with zeros after the end of the file. */
async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer;
}
