import type { ImageFormat } from './step.ts';

/**
 * A picture file without its metadata and with its coded pixels as they are: what a re-encode that changes nothing should
 * give when encoding again would only make it larger. Undefined for formats and files that this cannot be done to.
 */
export function stripMetadata(file: Buffer, format: ImageFormat): Buffer | undefined {
  if (format === 'jpeg') return stripJpeg(file);
  if (format === 'png') return stripPng(file);
  if (format === 'webp') return stripWebp(file);
  return undefined;
}

/** Keeps what the pixels need: tables, frame, scan and Adobe's colour transform; drops the APPn segments and comments. */
function stripJpeg(file: Buffer): Buffer | undefined {
  if (file.readUInt16BE(0) !== 0xffd8) return undefined;
  const kept = [file.subarray(0, 2)];
  let at = 2;
  while (at + 4 <= file.length) {
    if (file[at] !== 0xff) return undefined;
    const marker = file[at + 1] as number;
    // The scan and all that follows belong to the pixels.
    if (marker === 0xda) return Buffer.concat([...kept, file.subarray(at)]);
    const end = at + 2 + file.readUInt16BE(at + 2);
    const isMetadata = (marker >= 0xe1 && marker <= 0xef && marker !== 0xee) || marker === 0xfe;
    if (!isMetadata) kept.push(file.subarray(at, end));
    at = end;
  }
  return undefined;
}

/** Chunks that decide what the pixels look like; profiles are not among them: such a file is encoded anew. */
const PNG_CHUNKS = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];

function stripPng(file: Buffer): Buffer | undefined {
  const kept = [file.subarray(0, 8)];
  let at = 8;
  while (at + 12 <= file.length) {
    const end = at + 12 + file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    if (PNG_CHUNKS.includes(type)) kept.push(file.subarray(at, end));
    if (type === 'IEND') return Buffer.concat(kept);
    at = end;
  }
  return undefined;
}

const WEBP_METADATA = ['EXIF', 'XMP ', 'ICCP'];
/** Bits of the VP8X chunk that announce profile, EXIF and XMP. */
const WEBP_METADATA_FLAGS = 0b0010_1100;

function stripWebp(file: Buffer): Buffer | undefined {
  const kept: Buffer[] = [];
  let at = 12;
  while (at + 8 <= file.length) {
    const type = file.toString('latin1', at, at + 4);
    const size = file.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    if (type === 'ANIM') return undefined;
    if (!WEBP_METADATA.includes(type))
      kept.push(type === 'VP8X' ? withoutFlags(file.subarray(at, end)) : file.subarray(at, end));
    at = end;
  }
  const body = Buffer.concat([Buffer.from('WEBP'), ...kept]);
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

function withoutFlags(chunk: Buffer): Buffer {
  const copy = Buffer.from(chunk);
  copy[8] = (copy[8] ?? 0) & ~WEBP_METADATA_FLAGS;
  return copy;
}
