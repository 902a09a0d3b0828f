import type { Metadata } from 'sharp';
import { LARGE_MEGAPIXELS } from './encode/encoder-settings.ts';
import type { Size } from './geometry.ts';
import type { ImageFormat } from './step.ts';

/** Told how much memory a task will hold, in megabytes, before it does. Throws NeedsRoom when there is not so much yet. */
export type Room = (megabytes: number) => void;

/** A task that holds much memory has not begun: it waits until there is room, and is done then. */
export class NeedsRoom extends Error {
  override name = 'NeedsRoom';
  readonly megabytes: number;

  constructor(megabytes: number) {
    super(`${megabytes} MB are needed`);
    this.megabytes = megabytes;
  }
}

/** For what runs by itself. */
export const ALL_ROOM: Room = () => undefined;

/** Bytes for each pixel of the original, where its decoder holds the picture as a whole; measured, see docs/deployment.md. */
const DECODED = { avif: 18, heic: 11, psd: 10, gif: 6, webp: 5, interlaced: 4 } as const;

/** What turning adds: by quarters, and by any other angle. */
const TURNED = { quarter: 4, freely: 10 } as const;

/** Bytes for each pixel of the result. PNG and GIF hold less, but take long: what is small has not to wait for them. */
const ENCODED: Readonly<Record<ImageFormat, { small: number; large: number }>> = {
  avif: { small: 34, large: 21 },
  webp: { small: 16, large: 6 },
  jpeg: { small: 6, large: 6 },
  png: { small: 8, large: 8 },
  gif: { small: 32, large: 32 },
};

/** Raw pixels, and the search for their quality. */
const SEARCH_BYTES = 8;

/** Megabytes that libvips holds to decode a picture and to turn it upright; none for what is read row by row. */
export function decodeMegabytes({ format, isProgressive, orientation = 1, width, height }: Metadata): number {
  const whole: Readonly<Record<string, number>> = { heif: DECODED.avif, webp: DECODED.webp, gif: DECODED.gif };
  const decoding = whole[format] ?? (isProgressive ? DECODED.interlaced : 0);
  return (width * height * (decoding + (orientation > 1 ? TURNED.quarter : 0))) / 1e6;
}

/** Megabytes for a picture that has a decoder of its own. */
export function ownDecoderMegabytes(kind: 'heic' | 'psd', pixels: number): number {
  return (pixels * DECODED[kind]) / 1e6;
}

/** Megabytes that turning a picture by an angle in degrees holds. */
export function turnMegabytes({ width, height }: Size, angle: number): number {
  const bytes = angle % 90 !== 0 ? TURNED.freely : angle % 360 !== 0 ? TURNED.quarter : 0;
  return (width * height * bytes) / 1e6;
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
