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
      'Cuts off a border that is transparent or has the colour of the upper left corner. The value is the tolerance, in percent of each channel. All later steps apply to the remaining image. An image without a border, or with nothing else, stays unchanged.',
    examples: [],
  },
});
