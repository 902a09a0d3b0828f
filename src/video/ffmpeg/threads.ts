import type { Size } from '../geometry.ts';

// How much ffmpeg does at once. Every thread and every frame that is looked at ahead costs memory by the size of a frame, and
// threads gain nothing on small frames: both follow the pixels.

/** The least pixels of a frame for each thread of an encoder. */
const PIXELS_PER_ENCODER_THREAD = 500_000;

/** A decoder holds a frame for each of its threads; all of them together have at most this many pixels. */
const DECODED_PIXELS_AT_ONCE = 20_000_000;

/** From this size on, a little below 1080p, an encoder looks fewer frames ahead. */
const LARGE_PIXELS = 2_000_000;

/** @param available threads that may be used; undefined where nothing bounds them */
export function encoderThreads(output: Size, available: number | undefined): number | undefined {
  if (available === undefined) return undefined;
  return Math.min(available, Math.max(1, Math.ceil(pixelsOf(output) / PIXELS_PER_ENCODER_THREAD)));
}

/** @param available threads that may be used; undefined where nothing bounds them */
export function decoderThreads(input: Size, available: number | undefined): number | undefined {
  if (available === undefined) return undefined;
  return Math.min(available, Math.max(1, Math.floor(DECODED_PIXELS_AT_ONCE / pixelsOf(input))));
}

/** From this size on, near 4K, some encoders need every measure that saves memory. */
const HUGE_PIXELS = 6_000_000;

export function isLarge(size: Size): boolean {
  return pixelsOf(size) >= LARGE_PIXELS;
}

export function isHuge(size: Size): boolean {
  return pixelsOf(size) >= HUGE_PIXELS;
}

const pixelsOf = ({ width, height }: Size) => width * height;
