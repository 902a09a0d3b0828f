import { flag } from '../../../transformation/syntax.ts';
import { byChannel } from '../../drawing/colour-map.ts';
import { defineEffect } from './define.ts';

export const negate = defineEffect({
  name: 'negate',
  key: 'e_negate',
  syntax: flag(),
  alone: true,
  default: false,
  reference: { summary: 'Inverts all colours: `invert(1)` of CSS.', examples: ['w_300,e_negate'] },
  colours: () => byChannel(-1, 255),
});
