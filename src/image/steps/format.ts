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
      'Format of the result. Without it, or with `auto`, the request decides: AVIF or WebP if its `Accept` header names them, else PNG if the result has transparency, else JPEG. A result too large for AVIF or WebP (`GET /limits`) gets the next of these formats; with an explicit `f` it is 400. `best` decides as `auto` does and uses the fewest bytes: for an image with few colours, it also tries an exact WebP or PNG. `json` returns [the facts of the original](facts.md) instead of an image; of the other parameters only `g_face` has an effect, which adds the faces.',
    examples: ['w_300,f_webp'],
  },
});
