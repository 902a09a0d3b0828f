import { integer, orAuto } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';

export const DEFAULT_QUALITY = 85;

export const quality = defineStep({
  name: 'quality',
  key: 'q',
  syntax: orAuto(integer(1, 100)),
  default: DEFAULT_QUALITY,
  idle: ({ format }) => format === 'png' || format === 'gif',
  reference: {
    summary:
      'One scale for every format: what JPEG quality means to the eye. `auto` takes the fewest bytes that look like 85. PNG is always lossless, and GIF has no such scale.',
    examples: ['w_300,q_20', 'w_300,q_auto'],
  },
});
