import { signed } from '../../../transformation/syntax.ts';
import { byChannel } from '../../drawing/colour-map.ts';
import { defineEffect } from './define.ts';

export const contrast = defineEffect({
  name: 'contrast',
  key: 'e_contrast',
  syntax: signed(-100, 100),
  default: 0,
  reference: {
    summary: 'Less or more contrast, in percent: `contrast()` of CSS with 1 + value / 100.',
    examples: ['w_300,e_contrast:40', 'w_300,e_contrast:-50'],
  },
  colours: (value) => byChannel(1 + value / 100, (-127.5 * value) / 100),
});
