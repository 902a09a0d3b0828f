import type { OptionsOf } from '../../transformation/param.ts';
import { pixelRatio } from '../../transformation/pixel-ratio.ts';
import { audio, loudness } from './audio.ts';
import { background } from './background.ts';
import { codec } from './codec.ts';
import { crop } from './crop.ts';
import { format } from './format.ts';
import { preview } from './preview.ts';
import { quality } from './quality.ts';
import { height, width } from './size.ts';
import { storyboard } from './storyboard.ts';
import { thumbnail, thumbnailTime } from './thumbnail.ts';
import { endOffset, frameRate, startOffset } from './time.ts';
import { waveform, waveformColour } from './waveform.ts';

export { type GifOptions, gifSteps } from './gif.ts';

/** Every video parameter, in the order of its effect and of the canonical text. */
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
