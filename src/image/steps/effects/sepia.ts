import { integer } from '../../../transformation/syntax.ts';
import { byMatrix, mixMap } from '../../drawing/colour-map.ts';
import { defineEffect } from './define.ts';

/** Source of the numbers: Filter Effects Module Level 1, 9.1. */
const SEPIA = byMatrix([0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]);

export const sepia = defineEffect({
  name: 'sepia',
  key: 'e_sepia',
  syntax: integer(1, 100),
  alone: 100,
  reference: {
    summary: 'Sepia tone, as of old photographs, in percent: `sepia()` of CSS.',
    examples: ['w_300,e_sepia', 'w_300,e_sepia:50'],
  },
  colours: (value) => mixMap(SEPIA, value / 100),
});
