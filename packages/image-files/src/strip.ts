import { type Box, boxes, findBox, hasShortSize } from './boxes.ts';
import { extentsOf } from './colour/item-location.ts';
import { blocksOf, headerBytes } from './gif-blocks.ts';
import { ALPHA_TYPES } from './heif/faults.ts';
import { chunksOf, pngChunk } from './png.ts';

type StrippedFormat = 'avif' | 'webp' | 'jpeg' | 'png' | 'gif';

export interface StripOptions {
  /** XMP packet for the result. A GIF has no slot for it. */
  xmp?: string | undefined;
  /** Keeps the ICC profile of a PNG, or the chunks that describe its colours instead. */
  keepsProfile?: boolean;
}

/**
 * Removes the metadata of a file and keeps its coded pixels, for images that would grow if they were encoded again.
 * Undefined for formats and files where that takes more than leaving parts out.
 */
export function stripMetadata(file: Buffer, format: StrippedFormat, options: StripOptions = {}): Buffer | undefined {
  const { xmp, keepsProfile = false } = options;
  if (format === 'jpeg') return addJpegXmp(stripJpeg(file), xmp);
  if (format === 'png') return stripPng(file, xmp, keepsProfile);
  if (format === 'gif') return stripGif(file);
  if (xmp !== undefined) return undefined;
  return (format === 'webp' ? isPlainWebp(file) : isPlainAvif(file)) ? file : undefined;
}

/** Does the same for an animation, with all of its frames. */
export function stripMovingMetadata(file: Buffer, format: 'webp' | 'gif', xmp?: string): Buffer | undefined {
  if (format === 'gif') return stripGif(file, true);
  if (xmp !== undefined) return undefined;
  return hasOnlyChunks(file.subarray(12), MOVING_WEBP_CHUNKS) ? file : undefined;
}

/** The marker and the JFIF segment. */
const JFIF_BYTES = 18;
/** A JFIF segment that says nothing of the resolution. Source: ITU-T T.871, 10.1. */
const PLAIN_JFIF = Buffer.from([0xff, 0xe0, 0, 16, ...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0]);
/** The marker and Adobe's segment, which names the colour transform. */
const ADOBE_BYTES = 16;

/** Keeps tables, frames, scans and Adobe's colour transform. Drops all other segments and everything after the end. */
function stripJpeg(file: Buffer): Buffer | undefined {
  if (file.readUInt16BE(0) !== 0xffd8) return undefined;
  const remaining = [file.subarray(0, 2)];
  let at = 2;
  while (at + 4 <= file.length) {
    const marker = file[at + 1] as number;
    if (file[at] !== 0xff) return undefined;
    const end = at + 2 + file.readUInt16BE(at + 2);
    // Only a thumbnail makes it longer, in JFIF itself or in its extension.
    if (marker === 0xe0 && end - at > JFIF_BYTES) return undefined;
    const next = marker === 0xda ? endOfScan(file, end) : end;
    const name = file.toString('latin1', at + 4, at + 9);
    if (marker === 0xe0 && name === 'JFIF\0') remaining.push(PLAIN_JFIF);
    if (marker === 0xee && name === 'Adobe' && end - at === ADOBE_BYTES) remaining.push(file.subarray(at, end));
    // Frames, tables and scans, but no segments of applications, comments or reserved ones. Source: ITU-T T.81, table
    // B.1.
    if (marker >= 0xc0 && marker <= 0xdf) remaining.push(file.subarray(at, next));
    at = next;
    if (isEnd(file, at)) return Buffer.concat([...remaining, file.subarray(at, at + 2)]);
  }
  return undefined;
}

/** Adds an APP1 segment, behind a JFIF segment, which has to be the first. Source: XMP Specification Part 3, 1.1.3. */
function addJpegXmp(jpeg: Buffer | undefined, xmp: string | undefined): Buffer | undefined {
  if (!jpeg || xmp === undefined) return jpeg;
  const segment = Buffer.from(`\0\0\0\0http://ns.adobe.com/xap/1.0/\0${xmp}`);
  segment.writeUInt16BE(0xffe1, 0);
  segment.writeUInt16BE(segment.length - 2, 2);
  const at = jpeg.readUInt16BE(2) === 0xffe0 ? 2 + JFIF_BYTES : 2;
  return Buffer.concat([jpeg.subarray(0, at), segment, jpeg.subarray(at)]);
}

function isEnd(file: Buffer, at: number): boolean {
  return file[at] === 0xff && file[at + 1] === 0xd9;
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

/** Chunks that decide what the pixels look like. */
const PNG_CHUNKS = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];
/** Chunks that define the colour space of the pixels. */
const PNG_COLOUR_CHUNKS = ['cICP', 'iCCP', 'gAMA', 'cHRM'];

function stripPng(file: Buffer, xmp: string | undefined, keepsProfile: boolean): Buffer | undefined {
  const names = keepsProfile ? [...PNG_CHUNKS, ...PNG_COLOUR_CHUNKS] : PNG_CHUNKS;
  const remaining = [file.subarray(0, 8)];
  for (const { type, start, end } of chunksOf(file)) {
    if (names.includes(type)) remaining.push(file.subarray(start, end));
    if (type !== 'IEND') continue;
    // After the signature and the header: readers skip what follows the pixels.
    if (xmp !== undefined) remaining.splice(2, 0, xmpChunk(xmp));
    return Buffer.concat(remaining);
  }
  return undefined;
}

/** An `iTXt` chunk, not compressed. Source: XMP Specification Part 3, 1.1.5. */
function xmpChunk(xmp: string): Buffer {
  return pngChunk('iTXt', Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${xmp}`));
}

const GIF_END = Buffer.from([0x3b]);

/**
 * Extracts the first frame with palette and transparency, or all with their times; drops comments and other extensions.
 * Undefined for a damaged file. Source: GIF89a.
 * @param keepsFrames true to keep all frames
 */
function stripGif(file: Buffer, keepsFrames = false): Buffer | undefined {
  const remaining = [file.subarray(0, headerBytes(file))];
  let control: Buffer | undefined;
  for (const { kind, start, end } of blocksOf(file)) {
    const block = file.subarray(start, end);
    if (kind === 'end') return keepsFrames ? Buffer.concat([...remaining, GIF_END]) : undefined;
    if (kind === 'control') control = block;
    if (keepsFrames && kind === 'loop') remaining.push(block);
    if (kind !== 'image') continue;
    remaining.push(...(control ? [control] : []), block);
    control = undefined;
    if (!keepsFrames) return Buffer.concat([...remaining, GIF_END]);
  }
  return undefined;
}

/** Chunks of a still image without a profile. Source: RFC 9649, 2.7. */
const WEBP_CHUNKS = ['VP8X', 'ALPH', 'VP8 ', 'VP8L'];
/** Chunks of an animation, whose frames contain chunks. */
const MOVING_WEBP_CHUNKS = ['VP8X', 'ANIM', 'ANMF'];
/** Bytes of the fields of a frame, before its chunks. */
const FRAME_FIELDS = 16;

function isPlainWebp(file: Buffer): boolean {
  return hasOnlyChunks(file.subarray(12), WEBP_CHUNKS);
}

/** True if there are only chunks of known kinds, up to the end. */
function hasOnlyChunks(chunks: Buffer, known: readonly string[]): boolean {
  let at = 0;
  while (at + 8 <= chunks.length && known.includes(chunks.toString('latin1', at, at + 4))) {
    const end = at + 8 + chunks.readUInt32LE(at + 4);
    const isFrame = chunks.toString('latin1', at, at + 4) === 'ANMF';
    if (isFrame && !hasOnlyChunks(chunks.subarray(at + 8 + FRAME_FIELDS, end), WEBP_CHUNKS)) return false;
    at = end + (end % 2);
  }
  return at === chunks.length;
}

/** Boxes that a still image needs to be shown, by their parent. */
const AVIF_BOXES: Readonly<Record<string, readonly string[]>> = {
  '': ['ftyp', 'meta', 'mdat'],
  meta: ['hdlr', 'pitm', 'iloc', 'iinf', 'iref', 'iprp'],
  iinf: ['infe'],
  iprp: ['ipco', 'ipma'],
  ipco: ['ispe', 'pixi', 'av1C', 'auxC', 'colr', 'pasp', 'clap', 'irot', 'imir', 'a1op', 'a1lx', 'lsel'],
};
/** Bytes of the fields before the inner boxes. */
const FIELD_BYTES: Readonly<Record<string, number>> = { meta: 4, iinf: 6, iprp: 0, ipco: 0 };

function isPlainAvif(file: Buffer): boolean {
  // Metadata items, thumbnails, and sequences.
  const isImageItem = !['Exif', 'mime', 'uri ', 'thmb', 'avis'].some((name) => file.includes(name));
  return isImageItem && hasOnly(file, '') && isUsedUp(file);
}

/** True if the listed items contain all data of a file. A program that removes an item may leave its bytes. */
function isUsedUp(file: Buffer): boolean {
  const meta = findBox(file, 'meta')?.subarray(FIELD_BYTES.meta);
  const iinf = meta && findBox(meta, 'iinf');
  const iloc = meta && findBox(meta, 'iloc');
  if (!iinf || !iloc) return false;
  const listed = new Set(boxes(iinf.subarray(FIELD_BYTES.iinf)).map(itemNumber));
  const extents = extentsOf(iloc)
    .filter(({ item }) => listed.has(item))
    .toArray()
    .toSorted((a, b) => a.at - b.at);
  const usedFrom = ({ start }: Box) =>
    extents.reduce((used, { at, length }) => (at <= used ? Math.max(used, at + length) : used), start + 8);
  return boxes(file).every((box) => box.type !== 'mdat' || usedFrom(box) >= box.end);
}

/** Number of the item that an `infe` box describes. Source: ISO/IEC 14496-12, 8.11.6. */
function itemNumber({ data }: Box): number | undefined {
  if (data.length < 8) return undefined;
  return data.readUInt8(0) < 3 ? data.readUInt16BE(4) : data.readUInt32BE(4);
}

/**
 * True if there are only boxes of known kinds, at least one, up to the end. Sizes that are not written in 32 bits are
 * refused.
 */
function hasOnly(bytes: Buffer, parent: string): boolean {
  let end = 0;
  for (const box of boxes(bytes)) {
    if (!AVIF_BOXES[parent]?.includes(box.type) || !hasShortSize(bytes, box)) return false;
    // Other auxiliary images are depth maps and the like.
    const isAlpha = (name: string) => box.data.indexOf(`${name}\0`, 0, 'latin1') === 4;
    if (box.type === 'auxC' && !ALPHA_TYPES.some(isAlpha)) return false;
    const fields = FIELD_BYTES[box.type];
    if (fields !== undefined && !hasOnly(box.data.subarray(fields), box.type)) return false;
    end = box.end;
  }
  return end > 0 && end === bytes.length;
}
