import { signed } from '../../../transformation/syntax.ts';
import { byMatrix } from '../../drawing/colour-map.ts';
import { defineEffect } from './define.ts';

export const saturation = defineEffect({
  name: 'saturation',
  key: 'e_saturation',
  syntax: signed(-100, 100),
  default: 0,
  reference: {
    summary: 'Less or more saturated colours, in percent: `saturate()` of CSS with 1 + value / 100.',
    examples: ['w_300,e_saturation:80', 'w_300,e_saturation:-60'],
  },
  // Source of the numbers: Filter Effects Module Level 1, 9.1.
  colours(value) {
    const s = 1 + value / 100;
    const red = 0.213 * (1 - s);
    const green = 0.715 * (1 - s);
    const blue = 0.072 * (1 - s);
    return byMatrix([red + s, green, blue], [red, green + s, blue], [red, green, blue + s]);
  },
});
