import { crc32 } from 'node:zlib';
import type { ImageFormat } from '../step.ts';

export interface Kept {
  /** All that is left of the EXIF data, as a JPEG holds it. */
  exif: Buffer | undefined;
  /** Whether the ICC profile stays, or what describes the colours instead. Only PNG can keep it. */
  profile?: boolean;
}

/** `Exif` and two zeros, which only a JPEG puts before the data. */
const EXIF_MARK_BYTES = 6;

/**
 * A picture file without its metadata and with its coded pixels as they are, for pictures that would grow if they were encoded again.
 * Undefined for formats and files where that takes more than leaving parts out.
 */
export function stripMetadata(file: Buffer, format: ImageFormat, { exif, profile = false }: Kept): Buffer | undefined {
  if (format === 'jpeg') return stripJpeg(file, exif);
  if (format === 'png') return stripPng(file, exif?.subarray(EXIF_MARK_BYTES), profile);
  if (format === 'gif') return stripGif(file);
  return exif || METADATA[format].some((name) => file.includes(name)) ? undefined : file;
}

/** Names in a file that has metadata, a profile or several frames. A file with none of them is left as it is. */
const METADATA = { webp: ['EXIF', 'XMP ', 'ICCP', 'ANIM'], avif: ['Exif', 'mime', 'avis'] } as const;

/** The marker and the JFIF segment. */
const JFIF_BYTES = 18;

/** Keeps tables, frames, scans and Adobe's colour transform. Drops other APPn segments, comments and everything after the end. */
function stripJpeg(file: Buffer, exif: Buffer | undefined): Buffer | undefined {
  if (file.readUInt16BE(0) !== 0xffd8) return undefined;
  const kept = [file.subarray(0, 2), ...(exif ? [exifSegment(exif)] : [])];
  let at = 2;
  while (at + 4 <= file.length) {
    const marker = file[at + 1] as number;
    if (file[at] !== 0xff) return undefined;
    const end = at + 2 + file.readUInt16BE(at + 2);
    // Only a thumbnail makes it longer, in JFIF itself or in its extension.
    if (marker === 0xe0 && end - at > JFIF_BYTES) return undefined;
    const next = marker === 0xda ? endOfScan(file, end) : end;
    const isMetadata = (marker >= 0xe1 && marker <= 0xef && marker !== 0xee) || marker === 0xfe;
    if (!isMetadata) kept.push(file.subarray(at, next));
    at = next;
    if (file[at] === 0xff && file[at + 1] === 0xd9) return Buffer.concat([...kept, file.subarray(at, at + 2)]);
  }
  return undefined;
}

/** In coded pixels 0xff is followed by 0 or belongs to a restart marker. */
function endOfScan(file: Buffer, start: number): number {
  let at = file.indexOf(0xff, start);
  for (; at >= 0; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return file.length;
}

function exifSegment(exif: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(exif.length + 2, 2);
  return Buffer.concat([head, exif]);
}

/** Chunks that decide what the pixels look like. */
const PNG_CHUNKS = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];
/** Chunks that decide how their numbers are meant. */
const PNG_COLOUR_CHUNKS = ['cICP', 'iCCP', 'gAMA', 'cHRM'];

function stripPng(file: Buffer, exif: Buffer | undefined, keepProfile: boolean): Buffer | undefined {
  const names = keepProfile ? [...PNG_CHUNKS, ...PNG_COLOUR_CHUNKS] : PNG_CHUNKS;
  const kept = [file.subarray(0, 8)];
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 12 + file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    if (names.includes(type)) kept.push(file.subarray(at, end));
    // Readers overlook EXIF data after the pixels.
    if (type === 'IHDR' && exif) kept.push(exifChunk(exif));
    if (type === 'IEND') return Buffer.concat(kept);
    at = end;
  }
  return undefined;
}

function exifChunk(exif: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('eXIf'), exif]);
  const chunk = Buffer.concat([Buffer.alloc(4), body, Buffer.alloc(4)]);
  chunk.writeUInt32BE(exif.length, 0);
  chunk.writeUInt32BE(crc32(body), chunk.length - 4);
  return chunk;
}

/** The first frame, with its palette and its transparency; comments and other extensions are dropped. Source: GIF89a. */
function stripGif(file: Buffer): Buffer | undefined {
  const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + tableBytes(file[10] ?? 0);
  const kept = [file.subarray(0, at)];
  let control: Buffer | undefined;
  while (at < file.length) {
    const isImage = file[at] === 0x2c;
    if (!isImage && file[at] !== 0x21) return undefined;
    const end = endOfBlocks(file, isImage ? at + 11 + tableBytes(file[at + 9] ?? 0) : at + 2);
    if (end === undefined) return undefined;
    const block = file.subarray(at, end);
    if (isImage) return Buffer.concat([...kept, ...(control ? [control] : []), block, Buffer.from([0x3b])]);
    if (file[at + 1] === 0xf9) control = block;
    at = end;
  }
  return undefined;
}

/** Blocks of at most 255 bytes, each after its length; one of length 0 ends them. */
function endOfBlocks(file: Buffer, start: number): number | undefined {
  for (let at = start; at < file.length; at += (file[at] as number) + 1) if (file[at] === 0) return at + 1;
  return undefined;
}
