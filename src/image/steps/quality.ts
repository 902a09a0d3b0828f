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
      'Quality on the scale of JPEG, for all formats: equal values look alike. `auto` uses the fewest bytes that look like 85. PNG is always lossless, and GIF has no quality scale.',
    examples: ['w_300,q_20', 'w_300,q_auto'],
  },
});
