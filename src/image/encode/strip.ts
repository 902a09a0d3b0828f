import { crc32 } from 'node:zlib';
import { type Rights, writeRights } from '../rights.ts';
import type { ImageFormat } from '../step.ts';

export interface Kept {
  /** Written anew, as all that is left of the EXIF data. */
  rights: Partial<Rights> | undefined;
  /** Whether the ICC profile stays; only PNG can. */
  profile?: boolean;
}

/**
 * A picture file without its metadata and with its coded pixels as they are: what a re-encode that changes nothing should
 * give when encoding again would only make it larger. Undefined for formats and files that this cannot be done to.
 */
export function stripMetadata(file: Buffer, format: ImageFormat, kept: Kept): Buffer | undefined {
  const exif = kept.rights && writeRights(kept.rights);
  switch (format) {
    case 'jpeg':
      return stripJpeg(file, exif);
    case 'png':
      return stripPng(file, exif, kept.profile ?? false);
    case 'webp':
      return stripWebp(file, exif);
    case 'gif':
      return stripGif(file);
    case 'avif':
      return exif ? undefined : stripAvif(file);
  }
}

/** The marker and the JFIF segment. */
const JFIF_BYTES = 18;

/** Keeps what the pixels need: tables, frames, scans and Adobe's colour transform; drops other APPn, comments and what follows the end. */
function stripJpeg(file: Buffer, exif: Buffer | undefined): Buffer | undefined {
  if (file.readUInt16BE(0) !== 0xffd8) return undefined;
  const kept = [file.subarray(0, 2), ...(exif ? [segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif]))] : [])];
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

function segment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** Chunks that decide what the pixels look like. */
const PNG_CHUNKS = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];

function stripPng(file: Buffer, exif: Buffer | undefined, keepProfile: boolean): Buffer | undefined {
  const names = keepProfile ? [...PNG_CHUNKS, 'iCCP'] : PNG_CHUNKS;
  const kept = [file.subarray(0, 8)];
  let hasPixels = false;
  let at = 8;
  while (at + 12 <= file.length) {
    const end = at + 12 + file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    // Behind the pixels it would be overlooked.
    if (type === 'IDAT' && exif && !hasPixels) kept.push(pngChunk('eXIf', exif));
    hasPixels ||= type === 'IDAT';
    if (names.includes(type)) kept.push(file.subarray(at, end));
    if (type === 'IEND') return Buffer.concat(kept);
    at = end;
  }
  return undefined;
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const chunk = Buffer.concat([Buffer.alloc(4), body, Buffer.alloc(4)]);
  chunk.writeUInt32BE(data.length, 0);
  chunk.writeUInt32BE(crc32(body), chunk.length - 4);
  return chunk;
}

const WEBP_METADATA = ['EXIF', 'XMP ', 'ICCP'];
/** Bits of the VP8X chunk that announce profile, EXIF and XMP. */
const WEBP_METADATA_FLAGS = 0b0010_1100;
const WEBP_EXIF_FLAG = 0b0000_1000;

function stripWebp(file: Buffer, exif: Buffer | undefined): Buffer | undefined {
  const kept: Buffer[] = [];
  let isExtended = false;
  let at = 12;
  while (at + 8 <= file.length) {
    const type = file.toString('latin1', at, at + 4);
    const size = file.readUInt32LE(at + 4);
    const chunk = file.subarray(at, at + 8 + size + (size % 2));
    if (type === 'ANIM') return undefined;
    isExtended ||= type === 'VP8X';
    if (!WEBP_METADATA.includes(type)) kept.push(type === 'VP8X' ? withFlags(chunk, exif !== undefined) : chunk);
    at += chunk.length;
  }
  if (exif && !isExtended) return undefined;
  const body = Buffer.concat([Buffer.from('WEBP'), ...kept, ...(exif ? [riffChunk('EXIF', exif)] : [])]);
  return riffChunk('RIFF', body);
}

function riffChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

function withFlags(chunk: Buffer, hasExif: boolean): Buffer {
  const copy = Buffer.from(chunk);
  copy[8] = ((copy[8] ?? 0) & ~WEBP_METADATA_FLAGS) | (hasExif ? WEBP_EXIF_FLAG : 0);
  return copy;
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

/** A still picture that has no metadata is left as it is; to take an item out would move all others. Source: ISO/IEC 14496-12. */
function stripAvif(file: Buffer): Buffer | undefined {
  if (file.toString('latin1', 4, 12) !== 'ftypavif') return undefined;
  const start = file.readUInt32BE(0);
  if (file.toString('latin1', start + 4, start + 8) !== 'meta') return undefined;
  const meta = file.subarray(start, start + file.readUInt32BE(start));
  return meta.includes('Exif') || meta.includes('mime') ? undefined : file;
}
