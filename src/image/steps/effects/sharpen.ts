import { decimal } from '../../../transformation/syntax.ts';
import { defineEffect } from './define.ts';

/** A Gaussian over the neighbours of a pixel; the sum is 16. */
const BLURRED = [1, 2, 1, 2, 4, 2, 1, 2, 1];
const MIDDLE = 4;

export const sharpen = defineEffect({
  name: 'sharpen',
  key: 'e_sharpen',
  syntax: decimal(0.3, 10, 2),
  alone: 1,
  reference: {
    summary:
      'Unsharp mask over adjacent pixels. The value multiplies the difference between a pixel and its neighbours that is added to it (default 1).',
    examples: ['w_300,e_sharpen', 'w_300,e_sharpen:4'],
  },
  contentRate: () => 32,
  effect(value) {
    if (!value) return undefined;
    const kernel = BLURRED.map((weight, index) => (index === MIDDLE ? 16 + value * (16 - weight) : -value * weight));
    return { place: 'convolve', apply: (image) => image.convolve({ width: 3, height: 3, kernel, scale: 16 }) };
  },
});
