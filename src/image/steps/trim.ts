import { integer } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';

export const trim = defineStep({
  name: 'trim',
  key: 'tr',
  syntax: integer(1, 100),
  alone: 10,
  isLate: () => true,
  needs: (tolerance) => ({ kind: 'edges', tolerance }),
  reference: {
    summary:
      'Cuts off a border that has the colour of the upper left corner, or that is transparent. The value says how far its pixels may be from that, in percent of each channel. Everything that follows takes what is left for the picture. Without a border, or where there is nothing else, the picture stays as it is.',
    examples: [],
  },
});
