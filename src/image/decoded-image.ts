import { readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/**
 * A picture in memory, before colour management: interleaved samples of 8 bits, alpha (if any) last and not premultiplied.
 * In `cmyk` 255 is full ink, and alpha is apart because no CMYK container that is used here can carry it.
 * 16 bits would gain nothing: all outputs have 8, and sharp turns 16 bit RGB with a profile into Display P3 and does not apply the
 * profile of 16 bit grey.
 */
export interface DecodedImage {
  samples: Uint8Array;
  width: number;
  height: number;
  /** Samples for each pixel: b-w 1 or 2, srgb 3 or 4, cmyk 4. */
  channels: 1 | 2 | 3 | 4;
  space: 'b-w' | 'srgb' | 'cmyk';
  /** Alpha of a `cmyk` picture, one byte a pixel. */
  alpha?: Uint8Array;
  /** ICC profile of the samples. Without one they are sRGB or, in `cmyk`, in the `pressProfile`. */
  icc?: Buffer;
}

/** Limits on what is decoded, in millions of declared pixels. */
export interface DecodeLimits {
  megapixels: number;
  /** Called with the number of pixels before they are decoded. An error that it throws ends the decoding. */
  admit?(pixels: number): void;
}

/** The file is damaged, or needs something that this decoder does not do. The caller serves its documented fallback. */
export class UnsupportedImage extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'UnsupportedImage';
  }
}

/** The declared size is over the limit; nothing was decoded. */
export class ImageTooLarge extends Error {
  readonly width: number;
  readonly height: number;

  constructor(width: number, height: number) {
    super(`${width} x ${height} pixels are over the limit`);
    this.name = 'ImageTooLarge';
    this.width = width;
    this.height = height;
  }
}

/** Throws ImageTooLarge when the size is over the limit, UnsupportedImage when it is empty, and the error of `admit`. */
export function checkSize(width: number, height: number, limits: DecodeLimits): void {
  if (width < 1 || height < 1) throw new UnsupportedImage(`a size of ${width} x ${height} is no picture`);
  if (width * height > limits.megapixels * 1e6) throw new ImageTooLarge(width, height);
  limits.admit?.(width * height);
}

/**
 * The picture as a sharp instance like any other. Grey and RGB keep alpha and profile: they become an uncompressed PNG in memory,
 * because sharp's raw input takes no profile. CMYK becomes sRGB through its profile, because no loader that is open to untrusted
 * files reads CMYK with alpha. Needs the loaders VipsForeignLoadPngBuffer and VipsForeignLoadJpegBuffer.
 */
export async function toSharp(image: DecodedImage): Promise<Sharp> {
  const shown = image.space === 'cmyk' ? await cmykToSrgb(image) : image;
  return sharp(encodePng(shown), { limitInputPixels: image.width * image.height });
}

/** Converts through a CMYK JPEG (quality 100, full chroma), the only container for CMYK with a profile that sharp may open here. */
async function cmykToSrgb(image: DecodedImage): Promise<DecodedImage> {
  const { width, height } = image;
  if (width > 65_500 || height > 65_500) throw new UnsupportedImage('a CMYK picture over 65500 pixels a side');
  const plane = (channel: number) => sharp(planeOf(image, channel), { raw: { width, height, channels: 1 } });
  const others = [1, 2, 3].map((channel) => planeOf(image, channel));
  // Joined channels get the name of a colour space without a conversion. Raw input cannot be told its colour space.
  const jpeg = await plane(0)
    .joinChannel(others, { raw: { width, height, channels: 1 } })
    .toColourspace('cmyk')
    .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
    .toBuffer();
  const profiled = withJpegProfile(jpeg, image.icc ?? (await pressProfile()));
  const rgb = await sharp(profiled, { limitInputPixels: width * height })
    .toColourspace('srgb')
    .raw()
    .toBuffer();
  if (rgb.length !== width * height * 3) throw new UnsupportedImage('the CMYK picture could not be converted');
  return image.alpha
    ? { samples: joinAlpha(rgb, image.alpha), width, height, channels: 4, space: 'srgb' }
    : { samples: rgb, width, height, channels: 3, space: 'srgb' };
}

function planeOf(image: DecodedImage, channel: number): Buffer {
  const plane = Buffer.alloc(image.width * image.height);
  for (let i = 0, from = channel; i < plane.length; i++, from += 4) plane[i] = image.samples[from] ?? 0;
  return plane;
}

function joinAlpha(rgb: Uint8Array, alpha: Uint8Array): Uint8Array {
  const samples = new Uint8Array(alpha.length * 4);
  for (let i = 0; i < alpha.length; i++) {
    samples.set(rgb.subarray(i * 3, i * 3 + 3), i * 4);
    samples[i * 4 + 3] = alpha[i] ?? 0;
  }
  return samples;
}

/**
 * The profile for CMYK that has none. sharp would use the same one, except for its black: see profiles/README.md. To use it, it has
 * to be in the file.
 */
export function pressProfile(): Promise<Buffer> {
  return readFile(new URL('./profiles/press-cmyk.icc', import.meta.url));
}

/** Puts an ICC profile into a JPEG as APP2 segments, pixels untouched (ICC.1:2022, annex B.4). */
export function withJpegProfile(jpeg: Buffer, icc: Buffer): Buffer {
  const chunkSize = 65_519;
  const count = Math.ceil(icc.length / chunkSize);
  const segments = Array.from({ length: count }, (_, index) => {
    const chunk = icc.subarray(index * chunkSize, (index + 1) * chunkSize);
    const head = Buffer.from([0xff, 0xe2, 0, 0, ...Buffer.from('ICC_PROFILE\0'), index + 1, count]);
    head.writeUInt16BE(chunk.length + 16, 2);
    return Buffer.concat([head, chunk]);
  });
  return count > 255 ? jpeg : Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

/** A PNG with stored (uncompressed) rows, one IDAT for each row, in one allocation. Source: PNG 3rd edition, RFC 1950. */
function encodePng(image: DecodedImage): Buffer {
  const { width, height, samples } = image;
  const rowBytes = samples.length / height;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  header[9] = (image.space === 'b-w' ? 0 : 2) + (image.channels % 2 ? 0 : 4);
  const start = [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header)];
  if (image.icc) start.push(chunk('iCCP', Buffer.concat([Buffer.from('icc\0\0'), stored(image.icc)])));
  start.push(chunk('IDAT', Buffer.from([0x78, 0x01])));

  const blocks = Math.ceil((rowBytes + 1) / 65_535);
  const startBytes = start.reduce((sum, part) => sum + part.length, 0);
  const png = Buffer.allocUnsafe(startBytes + height * (12 + blocks * 5 + rowBytes + 1) + 21 + 12);
  let at = 0;
  for (const part of start) at += part.copy(png, at);
  const row = Buffer.alloc(rowBytes + 1);
  let adler = 1;
  for (let y = 0; y < height; y++) {
    row.set(samples.subarray(y * rowBytes, (y + 1) * rowBytes), 1);
    adler = adler32(row, adler);
    at = writeChunk(png, at, 'IDAT', (from) => writeStored(png, from, row));
  }
  const end = Buffer.from([1, 0, 0, 0xff, 0xff, 0, 0, 0, 0]);
  end.writeUInt32BE(adler, 5);
  at += chunk('IDAT', end).copy(png, at);
  chunk('IEND', Buffer.alloc(0)).copy(png, at);
  return png;
}

function chunk(type: string, data: Buffer): Buffer {
  const out = Buffer.allocUnsafe(12 + data.length);
  writeChunk(out, 0, type, (from) => from + data.copy(out, from));
  return out;
}

/** Writes length, type, the data that `fill` puts at the offset it is given, and the checksum. @returns the offset after it */
function writeChunk(out: Buffer, at: number, type: string, fill: (from: number) => number): number {
  out.write(type, at + 4, 'latin1');
  const end = fill(at + 8);
  out.writeUInt32BE(end - at - 8, at);
  return out.writeUInt32BE(crc32(out.subarray(at + 4, end)), end);
}

/** Stored deflate blocks, none of them the last. */
function writeStored(out: Buffer, at: number, data: Buffer): number {
  let to = at;
  for (let from = 0; from < data.length; from += 65_535) {
    const length = Math.min(65_535, data.length - from);
    to = out.writeUInt8(0, to);
    to = out.writeUInt16LE(length, to);
    to = out.writeUInt16LE(length ^ 0xffff, to);
    to += data.copy(out, to, from, from + length);
  }
  return to;
}

function stored(data: Buffer): Buffer {
  const out = Buffer.alloc(2 + Math.ceil(data.length / 65_535) * 5 + data.length + 9);
  out.writeUInt16BE(0x7801, 0);
  const end = writeStored(out, 2, data);
  out.set([1, 0, 0, 0xff, 0xff], end);
  out.writeUInt32BE(adler32(data, 1), end + 5);
  return out;
}

function adler32(data: Buffer, start: number): number {
  let a = start & 0xffff;
  let b = start >>> 16;
  for (let from = 0; from < data.length; from += 3800) {
    const end = Math.min(from + 3800, data.length);
    for (let i = from; i < end; i++) {
      a += data[i] as number;
      b += a;
    }
    a %= 65_521;
    b %= 65_521;
  }
  return ((b << 16) | a) >>> 0;
}
