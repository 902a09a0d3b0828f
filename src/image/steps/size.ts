import { pixels } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';

export const width = defineStep({
  name: 'width',
  key: 'w',
  syntax: pixels(),
  scale: (value, factor) => Math.round(value * factor),
  reference: {
    summary: 'Width of the result. Without `h`, the height follows from the ratio.',
    examples: ['w_300'],
  },
});

export const height = defineStep({
  name: 'height',
  key: 'h',
  syntax: pixels(),
  scale: (value, factor) => Math.round(value * factor),
  reference: {
    summary: 'Height of the result. Without `w`, the width follows from the ratio.',
    examples: ['h_200'],
  },
});
