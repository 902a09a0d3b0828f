import { orAuto } from '../../../transformation/syntax.ts';
import { defineEffect } from './define.ts';
import { hideFaces } from './hide-faces.ts';
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
      'Squares of one colour over the faces that are found, within ovals somewhat larger than they are: so many pixels wide, or alone as wide as each needs. A face that is [not found](face-detection.md) stays visible, and in an [animation](animation.md) one that moves, so look at what you publish.',
    examples: ['w_300,e_pixelate_faces'],
  },
  effect: (value, plan) =>
    value === undefined
      ? undefined
      : hideFaces(plan, (window, side) =>
          pixelated(window, value === 'auto' ? Math.max(2, Math.round(side / AUTO_COUNT)) : value),
        ),
});
