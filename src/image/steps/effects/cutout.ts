import { flag } from '../../../transformation/syntax.ts';
import { CUTOUT_BYTES, cutOut } from '../../cutout/cut-out.ts';
import { defineEffect } from './define.ts';

export const cutout = defineEffect({
  name: 'cutout',
  key: 'e_cutout',
  syntax: flag(),
  alone: true,
  default: false,
  needs: (value) => (value ? { kind: 'cutout' } : undefined),
  reference: {
    summary:
      'Removes the background of people. It becomes transparent or, in a format without transparency, `b` (default white). An image in which no people are detected stays unchanged.',
    examples: ['w_300,e_cutout,f_png', 'w_300,e_cutout,b_336699,f_jpeg'],
  },
  contentRate: (value) => (value ? 25 : 0),
  effect(value, { layout, analysis }) {
    const mask = value ? analysis.cutout?.mask : undefined;
    if (mask === undefined) return undefined;
    const { width, height } = layout.content;
    return {
      megabytes: (width * height * CUTOUT_BYTES) / 1e6,
      redraw: (image) => cutOut(image, { ...analysis.cutout, mask }, layout),
    };
  },
});
