import type { Syntax } from '../../transformation/param.ts';
import type { Padding } from '../layout/geometry.ts';
import { defineStep } from '../step.ts';

const MAX_PADDING = 2000;

export const paddings: Syntax<Padding> = {
  parse(text) {
    if (!/^\d{1,6}(:\d{1,6}){0,3}$/.test(text)) return undefined;
    const [top = 0, right = top, bottom = top, left = right] = text.split(':').map(Number);
    if (Math.max(top, right, bottom, left) > MAX_PADDING) {
      return { expected: `one to four whole numbers of pixels from 0 to ${MAX_PADDING}` };
    }
    return { value: { top, right, bottom, left } };
  },
  format({ top, right, bottom, left }) {
    if (right !== left) return [top, right, bottom, left].join(':');
    if (top !== bottom) return [top, right, bottom].join(':');
    return top === right ? String(top) : `${top}:${right}`;
  },
  forms: `one to four whole numbers of pixels from 0 to ${MAX_PADDING} joined by \`:\`, as in CSS`,
  shape: () => ({ kind: 'text' }),
};

export const padding = defineStep({
  name: 'padding',
  key: 'pd',
  syntax: paddings,
  default: { top: 0, right: 0, bottom: 0, left: 0 },
  isLate: () => true,
  scale({ top, right, bottom, left }, factor) {
    const scaled = (side: number) => Math.round(side * factor);
    return { top: scaled(top), right: scaled(right), bottom: scaled(bottom), left: scaled(left) };
  },
  reference: {
    summary:
      'Space around the image in the colour of `b`: `pd_20` on all sides, `pd_10:20` above and below and at the sides, `pd_1:2:3:4` clockwise from the top. `w` and `h` include it and stay the size of the result; without them the result grows.',
    examples: ['w_300,pd_20,b_dddddd', 'w_300,h_200,pd_10:60,b_336699'],
  },
});
