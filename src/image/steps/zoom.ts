import { decimal, orAuto } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';

export const zoom = defineStep({
  name: 'zoom',
  key: 'z',
  syntax: orAuto(decimal(1, 10, 2)),
  default: 1,
  isLate: () => true,
  // Analyses are requested by the gravity.
  idle: ({ zoom, gravity }) => zoom === 'auto' && gravity !== 'face',
  reference: {
    summary:
      'How much closer: the part that is kept is so many times smaller, and lies where `g` says. `auto` with `g_face` is as close as all faces allow, with some room around them; without a face it is 1.',
    examples: ['w_300,h_300,z_2', 'w_300,h_300,z_3,g_face', 'w_300,h_300,z_auto,g_face'],
  },
});
