import { integer } from '../../../transformation/syntax.ts';
import type { HeldImage } from '../../step.ts';
import { defineEffect } from './define.ts';

/** Pixels of a square. */
export const squareSides = integer(2, 200);

export const pixelate = defineEffect({
  name: 'pixelate',
  key: 'e_pixelate',
  syntax: squareSides,
  alone: 16,
  scale: (value, factor) => Math.round(value * factor),
  reference: {
    summary:
      'Divides the image into squares of one colour, from the top left. The value is their width in pixels (default 16).',
    examples: ['w_300,e_pixelate', 'w_300,e_pixelate:6'],
  },
  contentRate: () => 14,
  effect: (value) => (value ? { redraw: (image) => pixelated(image, value) } : undefined),
});

/** Gives each square the mean of its pixels, in place. Transparent pixels do not count. */
export function pixelated(image: HeldImage, side: number): HeldImage {
  const { width, height } = image;
  for (let top = 0; top < height; top += side) {
    for (let left = 0; left < width; left += side) {
      const square = { left, top, right: Math.min(width, left + side), bottom: Math.min(height, top + side) };
      fill(image, square, meanOf(image, square));
    }
  }
  return image;
}

interface Square {
  left: number;
  top: number;
  /** These are outside. */
  right: number;
  bottom: number;
}

function meanOf({ data, width, channels }: HeldImage, { left, top, right, bottom }: Square): number[] {
  const hasAlpha = channels % 2 === 0;
  const colours = hasAlpha ? channels - 1 : channels;
  const sums = new Array<number>(channels).fill(0);
  let weights = 0;
  for (let y = top; y < bottom; y++) {
    const end = (y * width + right) * channels;
    for (let at = (y * width + left) * channels; at < end; at += channels) {
      const weight = hasAlpha ? (data[at + colours] as number) : 1;
      weights += weight;
      for (let channel = 0; channel < colours; channel++) {
        sums[channel] = (sums[channel] as number) + weight * (data[at + channel] as number);
      }
    }
  }
  const count = (right - left) * (bottom - top);
  const mean = sums.map((sum) => (weights === 0 ? 0 : Math.round(sum / weights)));
  if (hasAlpha) mean[colours] = Math.round(weights / count);
  return mean;
}

function fill({ data, width, channels }: HeldImage, { left, top, right, bottom }: Square, colour: number[]): void {
  const row = (top * width + left) * channels;
  const length = (right - left) * channels;
  data.fill(Buffer.from(colour), row, row + length);
  for (let y = top + 1; y < bottom; y++) data.copyWithin((y * width + left) * channels, row, row + length);
}
