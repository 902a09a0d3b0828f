import type { Size } from './geometry.ts';

// How much ffmpeg does at once. Every thread and every frame that is looked at ahead costs memory by the size of a frame, and
// threads gain nothing on small frames: both follow the pixels.

/** An encoder's thread has at least so many pixels to do. */
const PIXELS_PER_ENCODER_THREAD = 500_000;

/** A decoder holds a frame for each of its threads: not more than these pixels all together. */
const DECODED_PIXELS_AT_ONCE = 20_000_000;

/** From here on, a little below 1080p, frames are too large to look many of them ahead. */
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

export function isLarge(size: Size): boolean {
  return pixelsOf(size) >= LARGE_PIXELS;
}

const pixelsOf = ({ width, height }: Size) => width * height;
