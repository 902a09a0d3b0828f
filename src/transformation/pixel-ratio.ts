import type { Parameter } from './param.ts';
import { decimal } from './syntax.ts';

/**
 * Multiplies all lengths when a segment is read, and is dropped then: `w_200,dpr_2` is `w_400`. For images and videos.
 */
export const pixelRatio: Parameter<'pixelRatio', number> = {
  name: 'pixelRatio',
  key: 'dpr',
  syntax: decimal(0.5, 4, 2),
  default: 1,
  isFactor: true,
  isLate: () => true,
  reference: {
    summary:
      'Device pixel ratio: multiplies every length of the result (`w`, `h`, `r`, `pd` and those of effects). `w_200,dpr_2` is the same variant as `w_400`.',
    examples: ['w_150,dpr_2'],
  },
};
