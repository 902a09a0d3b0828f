import { FormatLimitExceeded, LimitExceeded } from './failure.ts';
import type { InputLimits } from './input.ts';
import { type Layout, megapixelsOf, type Size } from './layout/geometry.ts';
import type { ImageFormat } from './step.ts';

export interface RenderLimits extends InputLimits {
  outputSide: number;
  outputMegapixels: number;
  /** The most that all frames of an animation may have together, as they are decoded or as they become. */
  animationMegapixels?: number;
  /** The largest images for formats whose encoders hold the whole image. */
  formatMegapixels?: Readonly<Partial<Record<ImageFormat, number>>>;
}

/** @throws LimitExceeded when the result or the turned canvas would be too large */
export function checkOutput({ output, turned }: Layout, limits: RenderLimits): void {
  const side = Math.max(output.width, output.height);
  if (side > limits.outputSide) {
    throw new LimitExceeded(
      `The result would be ${output.width}x${output.height}; the limit for a side is ${limits.outputSide} (MAX_OUTPUT_SIDE).`,
    );
  }
  const megapixels = megapixelsOf(output);
  if (megapixels > limits.outputMegapixels) {
    throw new LimitExceeded(
      `The result would have ${megapixels.toFixed(1)} megapixels (${output.width}x${output.height}); the limit is ${limits.outputMegapixels} (MAX_OUTPUT_MEGAPIXELS).`,
    );
  }
  // A turned canvas holds up to twice the pixels of the image.
  const canvas = megapixelsOf(turned);
  if (canvas > 2 * limits.inputMegapixels) {
    throw new LimitExceeded(
      `The turned image would have ${canvas.toFixed(1)} megapixels; the limit is twice ${limits.inputMegapixels} (MAX_INPUT_MEGAPIXELS).`,
    );
  }
}

/**
 * @param what it is whose frames are so large, for the message
 * @throws LimitExceeded when the frames of an animation have too many pixels together
 */
export function checkFrames(count: number, what: string, { width, height }: Size, limits: RenderLimits): void {
  const { animationMegapixels: limit = Number.POSITIVE_INFINITY } = limits;
  const megapixels = (count * width * height) / 1e6;
  if (megapixels <= limit) return;
  throw new LimitExceeded(
    `The ${what} ${megapixels.toFixed(1)} megapixels (${count} frames of ${width}x${height}); the limit for animations is ${limit} (MAX_ANIMATION_MEGAPIXELS).`,
  );
}

/**
 * A transparent WebP needs as much memory as an opaque one of twice its size.
 * @throws FormatLimitExceeded
 */
export function checkFormat(format: ImageFormat, hasAlpha: boolean, { output }: Layout, limits: RenderLimits): void {
  const share = format === 'webp' && hasAlpha ? 0.5 : 1;
  const limit = limits.formatMegapixels?.[format] ?? Number.POSITIVE_INFINITY;
  const megapixels = megapixelsOf(output);
  if (megapixels <= limit * share) return;
  const [what, rule] = share < 1 ? [' with transparency', 'half of '] : ['', ''];
  const setting = `MAX_${format.toUpperCase()}_MEGAPIXELS`;
  throw new FormatLimitExceeded(
    `The result would have ${megapixels.toFixed(1)} megapixels (${output.width}x${output.height}); the limit for ${format.toUpperCase()}${what} is ${limit * share} (${rule}${setting}).`,
  );
}
