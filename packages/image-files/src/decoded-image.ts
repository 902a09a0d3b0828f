import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { encodePng } from './png.ts';

/**
 * An image in memory, before colour management: interleaved samples, alpha (if any) last and not premultiplied. In
 * `cmyk` 255 is full ink, and alpha is separate because no CMYK container used here can hold it.
 */
export interface DecodedImage {
  /** Bytes; 16-bit samples are big-endian. */
  samples: Uint8Array;
  /**
   * Bits per sample, 8 by default. 16 are for HDR only: outputs have 8, sharp converts 16-bit RGB with a profile to
   * Display P3, and ignores the profile of 16-bit grey.
   */
  depth?: 8 | 16;
  width: number;
  height: number;
  /** Samples per pixel: b-w 1 or 2, srgb 3 or 4, cmyk 4. */
  channels: 1 | 2 | 3 | 4;
  space: 'b-w' | 'srgb' | 'cmyk';
  /** Alpha of a `cmyk` image, one byte per pixel. */
  alpha?: Uint8Array;
  /** ICC profile of the samples. Without one they are sRGB or, in `cmyk`, in the `pressProfile`. */
  icc?: Buffer;
}

export interface Size {
  width: number;
  height: number;
}

/** Limits of decoding, in millions of declared pixels. */
export interface DecodeLimits {
  megapixels: number;
  /**
   * Called with the number of pixels before they are decoded; an error stops the decoding.
   * @param sampleBytes of each channel of a decoded pixel, 1 by default
   */
  admit?(pixels: number, sampleBytes?: number): void;
}

/** The file is damaged, or needs an unsupported feature. The caller uses its documented fallback. */
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

/** @throws ImageTooLarge if the size is over the limit, UnsupportedImage if it is empty, and the error of `admit` */
export function checkSize(width: number, height: number, limits: DecodeLimits): void {
  if (width < 1 || height < 1) throw new UnsupportedImage(`a size of ${width} x ${height} is no picture`);
  if (width * height > limits.megapixels * 1e6) throw new ImageTooLarge(width, height);
  limits.admit?.(width * height);
}

/**
 * Converts to a sharp instance. Grey and RGB keep alpha and profile as an uncompressed PNG, because sharp's raw input
 * takes no profile. CMYK becomes sRGB, because no permitted loader reads CMYK with alpha. Needs
 * VipsForeignLoadPngBuffer and VipsForeignLoadJpegBuffer.
 */
export async function toSharp(image: DecodedImage): Promise<Sharp> {
  const shown = image.space === 'cmyk' ? await cmykToSrgb(image) : image;
  return sharp(encodePng(shown), { limitInputPixels: image.width * image.height });
}

/**
 * Converts through a CMYK JPEG (quality 100, full chroma), the only CMYK container with a profile that sharp may open
 * here.
 */
async function cmykToSrgb(image: DecodedImage): Promise<DecodedImage> {
  const { width, height } = image;
  if (width > 65_500 || height > 65_500) throw new UnsupportedImage('a CMYK picture over 65500 pixels a side');
  const plane = (channel: number) => sharp(planeOf(image, channel), { raw: { width, height, channels: 1 } });
  const others = [1, 2, 3].map((channel) => planeOf(image, channel));
  // Joined channels get the name of a colour space without a conversion; raw input has no colour space.
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
 * Returns the profile of CMYK without one. sharp would use the same, except for its black: see profiles/README.md. To
 * apply it, it has to be embedded.
 */
export function pressProfile(): Promise<Buffer> {
  return readFile(new URL('./profiles/press-cmyk.icc', import.meta.url));
}

/** Embeds an ICC profile into a JPEG as APP2 segments, pixels unchanged (ICC.1:2022, annex B.4). */
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
