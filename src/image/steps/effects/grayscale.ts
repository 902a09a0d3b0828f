import { flag } from '../../../transformation/syntax.ts';
import { byMatrix, LUMA } from '../../drawing/colour-map.ts';
import { defineEffect } from './define.ts';

export const grayscale = defineEffect({
  name: 'grayscale',
  key: 'e_grayscale',
  syntax: flag(),
  alone: true,
  default: false,
  reference: { summary: 'Removes all colour: `grayscale(1)` of CSS.', examples: ['w_300,e_grayscale'] },
  colours: () => byMatrix(LUMA, LUMA, LUMA),
});
