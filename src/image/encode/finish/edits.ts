import { chunksOf, pngChunk } from '@darkroom/image-files/png';
import type { ImageFormat } from '../../step.ts';
import { avifEdits } from './avif-edits.ts';
import type { Edit } from './file-edit.ts';

/** The most that `editsOf` adds to a file beyond the block itself. */
export const PLACE_BYTES: Readonly<Record<ImageFormat, number>> = { jpeg: 10, png: 12, webp: 27, avif: 77, gif: 0 };

/**
 * What has to change in a file of our encoders so that it says whose picture it is, and nothing else of its original.
 * @param head the beginning of the file: everything before its coded pixels
 * @param size of the file in bytes
 * @param block an EXIF block with the rights, if there are any
 * @returns in the order of their places; none where the format or the layout of the file has no place for the block
 */
export function editsOf(head: Buffer, size: number, format: ImageFormat, block: Buffer | undefined): Edit[] {
  if (format === 'png') return pngEdits(head, block);
  if (!block) return [];
  if (format === 'jpeg') return [{ at: 2, cut: 0, bytes: jpegSegment(block) }];
  if (format === 'webp') return webpEdits(head, size, block);
  return format === 'avif' ? avifEdits(head, size, block) : [];
}

/** An APP1 segment. Source: Exif 2.32, 4.7.2. */
function jpegSegment(block: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xe1, 0, 0, ...Buffer.from('Exif\0\0')]);
  head.writeUInt16BE(block.length + 8, 2);
  return Buffer.concat([head, block]);
}

const PNG_HEADER_END = 33;
/** 72 dots per inch, in dots per metre. */
const PLAIN_RESOLUTION = pngChunk('pHYs', Buffer.from([0, 0, 0x0b, 0x13, 0, 0, 0x0b, 0x13, 1]));

/** libvips writes the resolution of the original into every PNG. Source: PNG 3rd edition, 11.3.4.3 and 11.3.4.5. */
function pngEdits(head: Buffer, block: Buffer | undefined): Edit[] {
  // Right after the header, because readers overlook what follows the pixels.
  const edits = block ? [{ at: PNG_HEADER_END, cut: 0, bytes: pngChunk('eXIf', block) }] : [];
  for (const { type, start } of chunksOf(head)) {
    if (type === 'IDAT') break;
    if (type === 'pHYs') edits.push({ at: start, cut: PLAIN_RESOLUTION.length, bytes: PLAIN_RESOLUTION });
  }
  return edits;
}

const WEBP_ALPHA = 0x10;
const WEBP_EXIF = 0x08;

/** The chunk comes last. A file that is only its pixels gets a header that announces it. Source: RFC 9649, 2.7. */
function webpEdits(head: Buffer, size: number, block: Buffer): Edit[] {
  const chunk = riffChunk('EXIF', block);
  const isExtended = head.toString('latin1', 12, 16) === 'VP8X';
  const header = isExtended
    ? { at: 20, cut: 1, bytes: Buffer.of(head.readUInt8(20) | WEBP_EXIF) }
    : { at: 12, cut: 0, bytes: webpHeader(head) };
  const grown = Buffer.alloc(4);
  grown.writeUInt32LE(size - 8 + chunk.length + (isExtended ? 0 : header.bytes.length));
  return [{ at: 4, cut: 4, bytes: grown }, header, { at: size, cut: 0, bytes: chunk }];
}

/** Size and alpha are in the coded pixels as well: RFC 6386, 9.1, and RFC 9649, 3.4. */
function webpHeader(head: Buffer): Buffer {
  const isLossless = head.toString('latin1', 12, 16) === 'VP8L';
  const bits = isLossless ? head.readUInt32LE(21) : 0;
  const width = isLossless ? bits & 0x3fff : (head.readUInt16LE(26) & 0x3fff) - 1;
  const height = isLossless ? (bits >>> 14) & 0x3fff : (head.readUInt16LE(28) & 0x3fff) - 1;
  const body = Buffer.alloc(10);
  body.writeUInt8(WEBP_EXIF | ((bits >>> 28) & 1 ? WEBP_ALPHA : 0), 0);
  body.writeUIntLE(width, 4, 3);
  body.writeUIntLE(height, 7, 3);
  return riffChunk('VP8X', body);
}

function riffChunk(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from(type), length, body, Buffer.alloc(body.length % 2)]);
}
