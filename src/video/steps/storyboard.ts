import { pixelRatio } from '../../transformation/pixel-ratio.ts';
import { flag, integer, oneOf } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';
import { quality } from './quality.ts';
import { width } from './size.ts';

export const TILE_WIDTH = 160;
const NARROWEST_TILE = 16;
const WIDEST_TILE = 320;

/** Requests a storyboard. On a transcode it has no effect. */
export const storyboard = defineStep({
  name: 'storyboard',
  key: 'sb',
  syntax: flag(),
  default: false,
  isLate: () => true,
  idle: () => true,
  reference: {
    summary: `With \`true\`, returns a storyboard instead of a video: one image with up to 100 tiles, ten in a row, each \`w\` (${NARROWEST_TILE} to ${WIDEST_TILE}, default ${TILE_WIDTH}) pixels wide, from the whole length of the video. JPEG, unless \`f\` names \`webp\`, \`png\` or \`avif\`; \`f_vtt\` is the WebVTT that maps times to tiles ([more](previews-and-storyboards.md#storyboards)).`,
    examples: ['sb_true', 'sb_true,w_240,f_webp', 'sb_true,f_vtt'],
  },
});

const format = defineStep({
  name: 'format',
  key: 'f',
  syntax: oneOf(['jpeg', 'webp', 'png', 'avif', 'vtt'], { jpg: 'jpeg', auto: 'jpeg' }),
  default: 'jpeg',
  isLate: (value) => value === 'vtt',
  reference: { summary: 'Format of the sheet.', examples: [] },
});

/** Parameters of a storyboard, in the order of the canonical text. */
export const storyboardSteps = [
  defineStep({ ...width, syntax: integer(NARROWEST_TILE, WIDEST_TILE), default: TILE_WIDTH }),
  pixelRatio,
  defineStep({ ...storyboard, idle: () => false }),
  quality,
  format,
] as const;
