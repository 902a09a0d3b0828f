import { megapixelsOf, type Size } from '../layout/geometry.ts';
import type { ImageFormat } from '../step.ts';

/** Milliseconds of CPU time for each megapixel of the result. */
const ENCODED: Readonly<Record<ImageFormat, number>> = { jpeg: 20, png: 115, webp: 180, avif: 150, gif: 430 };
const TRANSPARENT_PNG = 180;
/** For any result, for an AVIF, and for a GIF with its palette. */
const FIXED: Readonly<Record<ImageFormat, number>> = { jpeg: 5, png: 5, webp: 8, avif: 15, gif: 25 };

/**
 * A search for a quality encodes and compares a sample several times: for each megapixel of the sample, up to its
 * limit.
 */
const SEARCHED: Readonly<Record<ImageFormat, number>> = { jpeg: 1400, png: 0, webp: 2000, avif: 1900, gif: 0 };
const SAMPLE_MEGAPIXELS = 0.147;
/** A format without loss that is tried as well, where the image has few colours. */
const TRIED = 60;
/** A result that is larger than the same image in the original is encoded up to six times more. Most are not. */
const AGAIN = 1.3;

/** For each frame of an animation, and for each megapixel of it. */
const FRAME_MS = { gif: 22, webp: 5 } as const;
const FRAME = { gif: 550, webp: 80 } as const;

export interface EncodeCost {
  format: ImageFormat;
  hasAlpha: boolean;
  /** True for `q_auto`. */
  isSearched: boolean;
  /** True for `f_best`. */
  isExactTried: boolean;
  /** True for a result that may turn out larger than the same image in the original. */
  isSame: boolean;
}

/** CPU time to encode a still image, in ms. */
export function encodeMs(size: Size, { format, hasAlpha, isSearched, isExactTried, isSame }: EncodeCost): number {
  const megapixels = megapixelsOf(size);
  const each = format === 'png' && hasAlpha ? TRANSPARENT_PNG : ENCODED[format];
  const once = FIXED[format] + each * megapixels;
  const search = isSearched ? SEARCHED[format] * Math.min(SAMPLE_MEGAPIXELS, megapixels) : 0;
  return once * (isSame ? AGAIN : 1) + search + (isExactTried ? TRIED * megapixels : 0);
}

/** CPU time to encode an animation, in ms. @param frame its size */
export function encodeFramesMs(count: number, frame: Size, { format, isSearched, isSame }: EncodeCost): number {
  const moving = format === 'gif' ? 'gif' : 'webp';
  const once = count * (FRAME_MS[moving] + FRAME[moving] * megapixelsOf(frame));
  const sample = Math.min(SAMPLE_MEGAPIXELS, count * megapixelsOf(frame));
  return once * (isSame ? AGAIN : 1) + (isSearched ? SEARCHED[moving] * sample : 0);
}
