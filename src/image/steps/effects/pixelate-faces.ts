import { orAuto } from '../../../transformation/syntax.ts';
import { defineEffect } from './define.ts';
import { HIDING_RATE, hideFaces } from './hide-faces.ts';
import { pixelated, squareSides } from './pixelate.ts';

/** Number of squares across an oval. */
const AUTO_COUNT = 8;

export const pixelateFaces = defineEffect({
  name: 'pixelateFaces',
  key: 'e_pixelate_faces',
  syntax: orAuto(squareSides),
  alone: 'auto',
  needs: () => ({ kind: 'faces' }),
  scale: (value, factor) => (value === 'auto' ? value : Math.round(value * factor)),
  reference: {
    summary:
      'Covers detected faces with squares of one colour, within ovals somewhat larger than the faces. The value is the width of the squares in pixels; `auto` adapts it to the size of each face. A face that is [not detected](face-detection.md) stays visible, and so does one that moves in an [animation](animation.md): check results before you publish them.',
    examples: ['w_300,e_pixelate_faces'],
  },
  contentRate: () => HIDING_RATE,
  effect: (value, plan) =>
    value === undefined
      ? undefined
      : hideFaces(plan, (window, side) =>
          pixelated(window, value === 'auto' ? Math.max(2, Math.round(side / AUTO_COUNT)) : value),
        ),
});
