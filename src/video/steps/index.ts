import type { OptionsOf } from '../../transformation/param.ts';
import { pixelRatio } from '../../transformation/pixel-ratio.ts';
import { preview } from '../preview/steps.ts';
import { storyboard } from '../storyboard/steps.ts';
import { waveform, waveformColour } from '../waveform/steps.ts';
import { audio } from './audio.ts';
import { background } from './background.ts';
import { codec } from './codec.ts';
import { crop } from './crop.ts';
import { format } from './format.ts';
import { frameRate } from './frame-rate.ts';
import { loudness } from './loudness.ts';
import { endOffset, startOffset } from './offset.ts';
import { quality } from './quality.ts';
import { height, width } from './size.ts';
import { thumbnail, thumbnailTime } from './thumbnail.ts';

export { type GifOptions, gifSteps } from './gif.ts';

/** Every video parameter, in the order of its effect. The order of a canonical transformation too. */
export const videoSteps = [
  startOffset,
  endOffset,
  frameRate,
  width,
  height,
  pixelRatio,
  crop,
  background,
  codec,
  quality,
  audio,
  loudness,
  format,
  thumbnail,
  thumbnailTime,
  preview,
  storyboard,
  waveform,
  waveformColour,
] as const;

export type VideoOptions = OptionsOf<typeof videoSteps>;
