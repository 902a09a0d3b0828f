import { flag } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';

export const enlarge = defineStep({
  name: 'enlarge',
  key: 'el',
  syntax: flag(),
  default: true,
  isLate: () => true,
  idle: ({ width, height, crop }) => (width === undefined && height === undefined) || crop === 'fit',
  reference: {
    summary:
      'With `false`, nothing is enlarged: `fill`, `crop` and `scale` return the largest image of the requested ratio, `pad` the exact size with a smaller image in it. `fit` never enlarges.',
    examples: ['w_1200,h_600,el_false', 'rg_300:80:150:150,w_300,h_200,c_pad,el_false,b_dddddd'],
  },
});
