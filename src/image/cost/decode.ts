import type { Metadata } from 'sharp';
import { megapixelsOf } from '../layout/geometry.ts';

/**
 * Milliseconds of CPU time for each megapixel of an original, as it is decoded and scaled down. All costs were measured
 * on one host; on others their ratios count.
 */
const DECODED: Readonly<Record<string, number>> = { jpeg: 2, png: 9, webp: 9, gif: 8, tiff: 9, avif: 43 };
const OTHER = 10;
const PROGRESSIVE_JPEG = 8;
const INTERLACED_PNG = 19;
/** Of more than 8 bits. */
const DEEP = 1.4;
/** A profile is applied to each pixel, and is read first. */
const PROFILED = 4;
const CMYK_MS = 35;
/** For each megapixel of a frame that has to be decoded before the requested one. */
const PASSED: Readonly<Record<string, number>> = { gif: 7, webp: 14 };
/** Decoders of their own; of TIFF for what libvips does not read. */
const OWN = { heic: 86, psd: 40, tiff: 200 } as const;

export type OwnDecoder = keyof typeof OWN;

/** For each frame of an animation, and for each megapixel of it. */
const FRAME_MS = 1;

/**
 * CPU time to decode one page, in ms. Decoders of documents are slow: see `openDrawing`.
 * @param page 1 for the first one
 */
export function decodeMs(header: Metadata, page = 1): number {
  const { format, isProgressive, bitsPerSample = 8, space, icc } = header;
  const name = format === 'heif' ? 'avif' : format;
  const plain = DECODED[name] ?? OTHER;
  const coding = !isProgressive ? plain : name === 'jpeg' ? PROGRESSIVE_JPEG : INTERLACED_PNG;
  const each = coding * (bitsPerSample > 8 ? DEEP : 1) + (icc ? PROFILED : 0);
  const megapixels = megapixelsOf(header);
  const passed = (page - 1) * (megapixels * (PASSED[name] ?? 0) + FRAME_MS);
  return megapixels * each + passed + (space === 'cmyk' ? CMYK_MS : 0);
}

/** CPU time of a decoder of our own, in ms. */
export function ownDecoderMs(kind: OwnDecoder, pixels: number): number {
  return (pixels / 1e6) * OWN[kind];
}

/** CPU time to decode all frames of an animation, in ms. */
export function decodeFramesMs(format: string | undefined, count: number, frame: { width: number; height: number }) {
  return count * (FRAME_MS + megapixelsOf(frame) * (PASSED[format ?? ''] ?? OTHER));
}
