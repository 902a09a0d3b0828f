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
      'With `true`, a GIF or WebP stays animated: the parameters apply to all frames, and delays and the number of repetitions stay. The result is WebP if the request accepts it, else GIF, or the one of the two that `f` names; `f_mp4` and `f_webm` convert a GIF to a video ([more](animation.md)). Other types of images ignore the parameter.',
    examples: ['w_160,an_true,f_webp', 'w_160,h_120,c_pad,b_336699,r_20,an_true,f_webp'],
  },
};
