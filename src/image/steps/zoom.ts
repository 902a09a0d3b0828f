import { decimal } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';

export const zoom = defineStep({
  name: 'zoom',
  key: 'z',
  syntax: decimal(1, 10, 2),
  default: 1,
  isLate: () => true,
  reference: {
    summary: 'How much closer: the part that is kept is so many times smaller, and lies where `g` says.',
    examples: ['w_300,h_300,z_2', 'w_300,h_300,z_3,g_face'],
  },
});
