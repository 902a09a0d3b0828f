import type { OptionsOf } from '../../transformation/param.ts';
import { pixelRatio } from '../../transformation/pixel-ratio.ts';
import type { Layered } from '../layers/layer.ts';
import { angle } from './angle.ts';
import { aspectRatio } from './aspect-ratio.ts';
import { background } from './background.ts';
import { border } from './border.ts';
import { crop } from './crop.ts';
import { effects } from './effects/index.ts';
import { enlarge } from './enlarge.ts';
import { format } from './format.ts';
import { gravity } from './gravity.ts';
import { opacity } from './opacity.ts';
import { padding } from './padding.ts';
import { quality } from './quality.ts';
import { radius } from './radius.ts';
import { region } from './region.ts';
import { height, width } from './size.ts';
import { zoom } from './zoom.ts';

/** Every image parameter. The order is that of the effects and of the canonical text. */
export const imageSteps = [
  angle,
  region,
  aspectRatio,
  width,
  height,
  pixelRatio,
  crop,
  enlarge,
  gravity,
  zoom,
  ...effects,
  padding,
  background,
  border,
  radius,
  opacity,
  quality,
  format,
] as const;

/** What a picture's transformation says. */
export type ImageOptions = OptionsOf<typeof imageSteps> & Layered;
