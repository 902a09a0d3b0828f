import { flag, seconds } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';

export const thumbnail = defineStep({
  name: 'thumbnail',
  key: 't',
  syntax: flag(),
  default: false,
  reference: {
    summary:
      'Returns a single frame as an image instead of a video: the frame at `tt`, in the image format `f` or one that the request accepts.',
    examples: ['t_true,tt_2,w_320', 't_true,f_webp'],
  },
});

export const thumbnailTime = defineStep({
  name: 'thumbnailTime',
  key: 'tt',
  aliases: ['thumbnail_time'],
  syntax: seconds(),
  // With `so`, an explicit 0 means the first frame instead of the one at `so`.
  idle: (options) => !hasThumbnailTime(options) || (options.thumbnailTime === 0 && !options.startOffset),
  reference: {
    summary: 'Time of the frame in seconds, with `t_true` or `f_json`. Past the end it is the last frame. Default 0.',
    examples: ['t_true,tt_1.5', 'f_json,tt_1.5'],
  },
});

/** True if `tt` has an effect: for a single frame, and for the facts of a video. */
export function hasThumbnailTime({ thumbnail, format }: { thumbnail?: boolean; format?: string }): boolean {
  return thumbnail === true || format === 'json';
}
