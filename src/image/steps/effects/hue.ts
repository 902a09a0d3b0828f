import { signed } from '../../../transformation/syntax.ts';
import { byMatrix } from '../../drawing/colour-map.ts';
import { defineEffect } from './define.ts';

export const hue = defineEffect({
  name: 'hue',
  key: 'e_hue',
  syntax: signed(-180, 180),
  default: 0,
  reference: {
    summary: 'Rotates all colours around the colour wheel, in degrees: `hue-rotate()` of CSS.',
    examples: ['w_300,e_hue:60', 'w_300,e_hue:-90'],
  },
  // Source of the numbers: Filter Effects Module Level 1, 9.1.
  colours(value) {
    const cos = Math.cos((value * Math.PI) / 180);
    const sin = Math.sin((value * Math.PI) / 180);
    return byMatrix(
      [0.213 + 0.787 * cos - 0.213 * sin, 0.715 - 0.715 * cos - 0.715 * sin, 0.072 - 0.072 * cos + 0.928 * sin],
      [0.213 - 0.213 * cos + 0.143 * sin, 0.715 + 0.285 * cos + 0.14 * sin, 0.072 - 0.072 * cos - 0.283 * sin],
      [0.213 - 0.213 * cos - 0.787 * sin, 0.715 - 0.715 * cos + 0.715 * sin, 0.072 + 0.928 * cos + 0.072 * sin],
    );
  },
});
