import type { Size } from '../geometry.ts';

// Parallelism of ffmpeg. Each thread and each frame of lookahead costs memory by frame size, and threads gain nothing
// on small frames, so both depend on the pixels.

/** Minimum pixels of a frame per encoder thread. */
const PIXELS_PER_ENCODER_THREAD = 500_000;

/** A decoder holds one frame per thread; this limits the pixels of all of them. */
const MAX_DECODED_PIXELS = 20_000_000;

/** A little below 1080p: encoders use a shorter lookahead from here on. */
const LARGE_PIXELS = 2_000_000;

/** @param available thread limit; undefined for none */
export function encoderThreads(output: Size, available: number | undefined): number | undefined {
  if (available === undefined) return undefined;
  return Math.min(available, Math.max(1, Math.ceil(pixelsOf(output) / PIXELS_PER_ENCODER_THREAD)));
}

/** @param available thread limit; undefined for none */
export function decoderThreads(input: Size, available: number | undefined): number | undefined {
  if (available === undefined) return undefined;
  return Math.min(available, Math.max(1, Math.floor(MAX_DECODED_PIXELS / pixelsOf(input))));
}

/** Near 4K: some encoders need every measure that saves memory. */
const HUGE_PIXELS = 6_000_000;

export function isLarge(size: Size): boolean {
  return pixelsOf(size) >= LARGE_PIXELS;
}

export function isHuge(size: Size): boolean {
  return pixelsOf(size) >= HUGE_PIXELS;
}

const pixelsOf = ({ width, height }: Size) => width * height;
