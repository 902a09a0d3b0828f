import type { OptionsOf } from '../../transformation/param.ts';
import { angle } from './angle.ts';
import { aspectRatio } from './aspect-ratio.ts';
import { background } from './background.ts';
import { crop } from './crop.ts';
import { effects } from './effects/index.ts';
import { format } from './format.ts';
import { gravity } from './gravity.ts';
import { quality } from './quality.ts';
import { radius } from './radius.ts';
import { height, width } from './size.ts';

/** Every image parameter. The order is that of the effects and of the canonical text. */
export const imageSteps = [
  angle,
  aspectRatio,
  width,
  height,
  crop,
  gravity,
  ...effects,
  background,
  radius,
  quality,
  format,
] as const;

export type ImageOptions = OptionsOf<typeof imageSteps>;
