import { animated } from '../../transformation/animated.ts';
import type { OptionsOf } from '../../transformation/param.ts';
import { pixelRatio } from '../../transformation/pixel-ratio.ts';
import { oneOf } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';
import { background, opaqueColour, WHITE } from './background.ts';
import { crop } from './crop.ts';
import { quality } from './quality.ts';
import { height, width } from './size.ts';

/** Never idle: it also lies under transparency. */
const gifBackground = defineStep({
  name: 'background',
  key: background.key,
  aliases: ['bg'],
  syntax: opaqueColour,
  default: WHITE,
  reference: { summary: 'Colour behind transparency, and of bars. Default white.', examples: [] },
});

/** No default: without it the result is an image. */
const format = defineStep({
  name: 'format',
  key: 'f',
  syntax: oneOf(['mp4', 'webm']),
  reference: { summary: 'Format of the video.', examples: [] },
});

/** Parameters of a video made of a GIF, in the order of the canonical text. */
export const gifSteps = [width, height, pixelRatio, crop, gifBackground, animated, quality, format] as const;

export type GifOptions = OptionsOf<typeof gifSteps>;
