import { signed } from '../../../transformation/syntax.ts';
import { byChannel } from '../../drawing/colour-map.ts';
import { defineEffect } from './define.ts';

export const brightness = defineEffect({
  name: 'brightness',
  key: 'e_brightness',
  syntax: signed(-100, 100),
  default: 0,
  reference: {
    summary: 'Darker or brighter, in percent: `brightness()` of CSS with 1 + value / 100.',
    examples: ['w_300,e_brightness:30', 'w_300,e_brightness:-40'],
  },
  colours: (value) => byChannel(1 + value / 100),
});
