import { oneOf } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';

export const format = defineStep({
  name: 'format',
  key: 'f',
  syntax: oneOf(['avif', 'webp', 'jpeg', 'png', 'gif', 'auto', 'best', 'json'], { jpg: 'jpeg' }),
  default: 'auto',
  isLate: (value) => value === 'best' || value === 'json',
  reference: {
    summary:
      'The format of the result. Without it, or with `auto`, the request decides: AVIF or WebP when its `Accept` header names them, else PNG when the result has transparency, else JPEG. What is too large for AVIF or WebP (`GET /limits`) gets the next of these; with an explicit `f` it is 400. `best` decides as `auto` does, and takes the fewest bytes: where a picture has few colours, an exact WebP or PNG is tried beside the format that was chosen. `json` is no picture but [what is known of the original](facts.md); with it no parameter counts but `g_face`, which adds the faces.',
    examples: ['w_300,f_webp'],
  },
});
