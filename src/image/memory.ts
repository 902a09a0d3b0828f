import type { Metadata } from 'sharp';
import { LARGE_MEGAPIXELS } from './encode/encoder-settings.ts';
import type { Size } from './layout/geometry.ts';
import type { ImageFormat } from './step.ts';

/**
 * Called before a task takes memory or time.
 * @param megabytes those that it will hold
 * @param cpuMs an estimate of its CPU time in all, as far as it is known
 * @throws NeedsMemory when that much is not free yet, LimitExceeded when it never will be
 */
export type MemoryCheck = (megabytes: number, cpuMs?: number) => void;

/** A task needs more memory or time than a light one may. It has not begun and is queued again. */
export class NeedsMemory extends Error {
  override name = 'NeedsMemory';
  readonly megabytes: number;

  constructor(megabytes: number) {
    super(`${megabytes} MB are needed`);
    this.megabytes = megabytes;
  }
}

/** For tasks that run alone. */
export const UNLIMITED: MemoryCheck = () => undefined;

/** Bytes for each pixel of the original, where its decoder holds the whole image; measured, see docs/deployment.md. */
const DECODED = { avif: 18, deepAvif: 25, heic: 11, psd: 10, gif: 6, webp: 5, interlaced: 4 } as const;

/** Bytes for each byte of the samples of a TIFF that libvips does not read. */
const OWN_TIFF = 4;

/** Bytes that turning adds: by quarters, and by any other angle. */
const TURNED = { quarter: 4, freely: 10 } as const;

/** Bytes for each pixel of the result. */
const ENCODED: Readonly<Record<ImageFormat, { small: number; large: number }>> = {
  avif: { small: 34, large: 21 },
  webp: { small: 16, large: 6 },
  jpeg: { small: 6, large: 6 },
  png: { small: 1, large: 1 },
  gif: { small: 13, large: 13 },
};

/** Raw pixels, and the search for their quality. */
const SEARCH_BYTES = 8;

/**
 * Megabytes that libvips holds to decode an image and to turn it upright. Images that are read row by row need none.
 */
export function decodeMegabytes(header: Metadata): number {
  const { format, isProgressive, orientation = 1, width, height, channels, bitsPerSample = 8 } = header;
  const avif = bitsPerSample > 8 ? DECODED.deepAvif : DECODED.avif;
  const whole: Readonly<Record<string, number>> = { heif: avif, webp: DECODED.webp, gif: DECODED.gif };
  // A strip of a TIFF may be all of it.
  const samples = format === 'tiff' ? (channels * bitsPerSample) / 8 : 0;
  const decoding = whole[format] ?? (isProgressive ? DECODED.interlaced : samples);
  return (width * height * (decoding + (orientation > 1 ? TURNED.quarter : 0))) / 1e6;
}

/** Megabytes that raw samples of 8 bits take while they become an image of 16 bits. */
export function widenMegabytes({ width, height, channels }: Metadata): number {
  return (width * height * channels * (1 + 2 + 2)) / 1e6;
}

/** Megabytes that raw samples of 16 bits take while they become an image of 8 bits. */
export function narrowMegabytes({ width, height, channels }: Metadata): number {
  return (width * height * channels * (2 + 1 + 1)) / 1e6;
}

/** Megabytes for an image that has a decoder of its own. @param pixels of a TIFF, the bytes of its samples */
export function ownDecoderMegabytes(kind: 'heic' | 'psd' | 'tiff', pixels: number): number {
  return (pixels * (kind === 'tiff' ? OWN_TIFF : DECODED[kind])) / 1e6;
}

/** Megabytes that turning an image by an angle in degrees holds. */
export function turnMegabytes({ width, height }: Size, angle: number): number {
  const bytes = angle % 90 !== 0 ? TURNED.freely : angle % 360 !== 0 ? TURNED.quarter : 0;
  return (width * height * bytes) / 1e6;
}

/** Bytes for each pixel of all frames of an animation, while they are decoded, and while they are held. */
const FRAMES = { webp: 8, gif: 5, held: 4, encoded: 2 } as const;
/** Of the bytes of a pixel with alpha. */
const OPAQUE_SHARE = 3 / 4;

/**
 * Megabytes of all frames of an animation, beyond those of one.
 * @param result of a frame of the result
 */
export function framesMegabytes(
  count: number,
  { upright, format }: { upright: Size; format: string | undefined },
  result: Size,
): number {
  const megapixels = ({ width, height }: Size) => (count * width * height) / 1e6;
  const before = megapixels(upright);
  const after = megapixels(result);
  // Smaller results replace their frames in memory, which may have no alpha.
  const grown = after > before * OPAQUE_SHARE ? after * FRAMES.held : 0;
  return Math.max(
    before * (format === 'gif' ? FRAMES.gif : FRAMES.webp),
    before * FRAMES.held + grown + after * FRAMES.encoded,
  );
}

/** Megabytes that encoding holds. */
export function encodeMegabytes(
  { width, height }: Size,
  { format, isSearched }: { format: ImageFormat; isSearched: boolean },
) {
  const limits: Partial<Record<ImageFormat, number>> = LARGE_MEGAPIXELS;
  const megapixels = (width * height) / 1e6;
  const isLarge = megapixels > (limits[format] ?? Number.POSITIVE_INFINITY);
  return megapixels * (ENCODED[format][isLarge ? 'large' : 'small'] + (isSearched ? SEARCH_BYTES : 0));
}
