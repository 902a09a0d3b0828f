import { crc32, deflateSync } from 'node:zlib';

/** Columns and rows of the seven passes: start and step. Source: PNG 3rd edition, 8.1. */
const ADAM7 = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const;
const PLAIN = [[0, 1, 0, 1]] as const;

export interface PngPicture {
  width: number;
  height: number;
  /** 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA. */
  type: 0 | 2 | 3 | 4 | 6;
  depth: 1 | 2 | 4 | 8 | 16;
  /** Returns integers of `depth` bits. */
  samples(x: number, y: number): readonly number[];
  interlaced?: boolean;
  /** Between the header and the pixels. */
  chunks?: readonly Buffer[];
  /** After the pixels. */
  trailer?: readonly Buffer[];
}

/** Writes any kind of PNG, which no tool does. Source: PNG 3rd edition. */
export function writePng(picture: PngPicture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(picture.width, 0);
  header.writeUInt32BE(picture.height, 4);
  header.set([picture.depth, picture.type, 0, 0, picture.interlaced ? 1 : 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    ...(picture.chunks ?? []),
    pngChunk('IDAT', pngData(picture)),
    ...(picture.trailer ?? []),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns the rows of an image, filtered and compressed. */
export function pngData(picture: PngPicture): Buffer {
  const passes = picture.interlaced ? ADAM7 : PLAIN;
  return deflateSync(Buffer.concat(passes.flatMap((pass) => passRows(picture, pass))), { level: 9 });
}

function passRows(picture: PngPicture, [left, stepX, top, stepY]: readonly [number, number, number, number]): Buffer[] {
  const { width, height, depth, samples } = picture;
  const rows: Buffer[] = [];
  const channels = samples(0, 0).length;
  const pixelBytes = Math.max(1, (channels * depth) / 8);
  let above: Buffer | undefined;
  for (let y = top; y < height && left < width; y += stepY) {
    const values: number[] = [];
    for (let x = left; x < width; x += stepX) values.push(...samples(x, y));
    const row = packed(values, depth);
    rows.push(filtered(row, above, depth < 8 ? 0 : 4, pixelBytes));
    above = row;
  }
  return rows;
}

function packed(values: readonly number[], depth: number): Buffer {
  if (depth === 16) {
    const wide = Buffer.alloc(values.length * 2);
    values.forEach((value, index) => void wide.writeUInt16BE(value, index * 2));
    return wide;
  }
  const row = Buffer.alloc(Math.ceil((values.length * depth) / 8));
  values.forEach((value, index) => {
    const bit = index * depth;
    row[bit >> 3] = (row[bit >> 3] ?? 0) | (value << (8 - depth - (bit & 7)));
  });
  return row;
}

/** Applies filter 4 (Paeth) or 0 (none); the type precedes the row. */
function filtered(row: Buffer, above: Buffer | undefined, filter: 0 | 4, pixelBytes: number): Buffer {
  const out = Buffer.alloc(row.length + 1);
  out[0] = filter;
  for (let at = 0; at < row.length; at++) {
    const left = at < pixelBytes ? 0 : (row[at - pixelBytes] ?? 0);
    const corner = at < pixelBytes ? 0 : (above?.[at - pixelBytes] ?? 0);
    out[at + 1] = ((row[at] ?? 0) - (filter === 4 ? paeth(left, above?.[at] ?? 0, corner) : 0)) & 0xff;
  }
  return out;
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const a = Math.abs(guess - left);
  const b = Math.abs(guess - above);
  const c = Math.abs(guess - corner);
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  const sum = Buffer.alloc(4);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Encodes 32-bit numbers. */
export function words(...values: number[]): Buffer {
  const out = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => void out.writeUInt32BE(value, index * 4));
  return out;
}

/** Encodes 16-bit numbers. */
export function halves(...values: number[]): Buffer {
  const out = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => void out.writeUInt16BE(value, index * 2));
  return out;
}

/** Encodes an ICC profile as a chunk. */
export function profileChunk(icc: Buffer): Buffer {
  return pngChunk('iCCP', Buffer.concat([Buffer.from('icc\0\0', 'latin1'), deflateSync(icc)]));
}

/** Returns EXIF data with an orientation only, starting at the TIFF header. */
export function orientationExif(orientation: number): Buffer {
  const tag = Buffer.concat([halves(1, 0x0112, 3), words(1), halves(orientation, 0), words(0)]);
  return Buffer.concat([Buffer.from('MM\0*', 'latin1'), words(8), tag]);
}
