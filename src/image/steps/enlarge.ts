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
      'With `false` nothing becomes larger than it is: `fill`, `crop` and `scale` give the largest picture of the ratio that was asked for, `pad` the exact size with a smaller picture in it. `fit` never enlarges.',
    examples: ['w_1200,h_600,el_false', 'rg_300:80:150:150,w_300,h_200,c_pad,el_false,b_dddddd'],
  },
});
