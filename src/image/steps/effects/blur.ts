import { decimal } from '../../../transformation/syntax.ts';
import { defineEffect } from './define.ts';

export const MIN_SIGMA = 0.3;
export const MAX_SIGMA = 100;

export const blur = defineEffect({
  name: 'blur',
  key: 'e_blur',
  syntax: decimal(MIN_SIGMA, MAX_SIGMA, 2, 'pixels'),
  alone: 10,
  scale: (value, factor) => value * factor,
  reference: {
    summary: 'Gaussian blur. The value is the sigma in pixels of the result (default 10).',
    examples: ['w_300,e_blur:3', 'w_300,e_blur'],
  },
  // A Gaussian goes over each pixel once, and once more for each pixel of its sigma.
  contentRate: (value) => 8 + 1.2 * value,
  effect: (value) => (value ? { place: 'blur', apply: (image) => image.blur(value) } : undefined),
});
