import type { Parameter } from './param.ts';
import { flag } from './syntax.ts';

/** Formats with animation. AVIF is excluded: sharp would write one tall image of all frames. */
const MOVING_FORMATS = ['webp', 'gif'] as const;

export type MovingFormat = (typeof MOVING_FORMATS)[number];

export function isMoving(format: string): format is MovingFormat {
  return MOVING_FORMATS.some((candidate) => candidate === format);
}

/** Keeps the frames of an animation in the result. */
export const animated: Parameter<'animated', boolean> = {
  name: 'animated',
  key: 'an',
  aliases: ['anim'],
  syntax: flag(),
  default: false,
  isLate: () => true,
  reference: {
    summary:
      'With `true` a GIF or WebP keeps its frames: all go through the same parameters, and their delays and the number of repetitions stay. The result is WebP when the request accepts it, else GIF, or what `f` says of the two; `f_mp4` and `f_webm` make a video of a GIF ([more](animation.md)). Pictures of other types have no frames that could move.',
    examples: ['w_160,an_true,f_webp', 'w_160,h_120,c_pad,b_336699,r_20,an_true,f_webp'],
  },
};
