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
      'Zoom factor: the part that a crop keeps is smaller by this factor, at the position that `g` selects. `auto` with `g_face` is as close as all faces allow, with a margin around them; without a face it is 1.',
    examples: ['w_300,h_300,z_2', 'w_300,h_300,z_3,g_face', 'w_300,h_300,z_auto,g_face'],
  },
});
