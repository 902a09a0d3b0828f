import type { Metadata } from 'sharp';
import { LimitExceeded } from './failure.ts';
import type { InputLimits } from './input.ts';
import type { Size } from './layout/geometry.ts';

/** Checks what a header says of the size of a file. @throws LimitExceeded */
export function checkHeader(header: Metadata, limits: InputLimits): void {
  if (header.width * header.height > limits.inputMegapixels * 1e6) throw inputTooLarge(header, limits);
  if (['gif', 'webp'].includes(header.format) && (header.pages ?? 1) > limits.animationFrames) {
    throw new LimitExceeded(
      `The original has ${header.pages} frames; the limit is ${limits.animationFrames} (MAX_ANIMATION_FRAMES).`,
    );
  }
}

export function inputTooLarge({ width, height }: Size, limits: InputLimits): LimitExceeded {
  const megapixels = ((width * height) / 1e6).toFixed(1);
  return new LimitExceeded(
    `The original has ${megapixels} megapixels (${width}x${height}); the limit is ${limits.inputMegapixels} (MAX_INPUT_MEGAPIXELS).`,
  );
}
