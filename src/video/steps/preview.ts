import { animated } from '../../transformation/animated.ts';
import { pixelRatio } from '../../transformation/pixel-ratio.ts';
import { integer, oneOf } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';
import { background } from './background.ts';
import { crop } from './crop.ts';
import { quality } from './quality.ts';
import { height, width } from './size.ts';
import { endOffset, frameRate, startOffset } from './time.ts';

export const MAX_PREVIEW_SECONDS = 10;
export const MAX_PREVIEW_SIDE = 640;

/** Frames per second, unless the video has fewer. */
export const MAX_PREVIEW_RATE = 15;

/** Requests a preview of a video. On a transcode it has no effect. */
export const preview = defineStep({
  ...animated,
  idle: () => true,
  reference: {
    summary:
      'With `true`, returns an animation instead of a video: at most 10 seconds from `so` on (up to `eo`), at most 15 frames per second, at most 640 pixels wide and high, repeated forever. WebP if the request accepts it, else GIF, or the one of the two that `f` names. With `f_mp4`, `f_webm` and `f_mov` it has no effect ([more](previews-and-storyboards.md#previews)).',
    examples: ['an_true,w_240', 'so_2,eo_5,w_320,an_true,f_gif'],
  },
});

const side = integer(1, MAX_PREVIEW_SIDE);
const format = defineStep({
  name: 'format',
  key: 'f',
  syntax: oneOf(['webp', 'gif', 'auto'], { best: 'auto' }),
  default: 'auto',
  reference: { summary: 'Format of the animation.', examples: [] },
});

/** Parameters of a preview, in the order of the canonical text. */
export const previewSteps = [
  startOffset,
  // An end after the longest preview has no effect.
  defineStep({
    ...endOffset,
    idle: ({ startOffset = 0, endOffset }) => Number(endOffset) - Number(startOffset) >= MAX_PREVIEW_SECONDS,
  }),
  defineStep({ ...frameRate, syntax: integer(1, MAX_PREVIEW_RATE), default: MAX_PREVIEW_RATE }),
  defineStep({ ...width, syntax: side }),
  defineStep({ ...height, syntax: side }),
  pixelRatio,
  crop,
  background,
  defineStep({ ...preview, idle: () => false }),
  // GIF has no quality.
  defineStep({ ...quality, idle: ({ format }) => format === 'gif' }),
  format,
] as const;
