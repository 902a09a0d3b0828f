import { blur } from './blur.ts';
import { blurFaces } from './blur-faces.ts';
import { brightness } from './brightness.ts';
import { contrast } from './contrast.ts';
import { duotone } from './duotone.ts';
import { grayscale } from './grayscale.ts';
import { hue } from './hue.ts';
import { negate } from './negate.ts';
import { pixelate } from './pixelate.ts';
import { pixelateFaces } from './pixelate-faces.ts';
import { saturation } from './saturation.ts';
import { sepia } from './sepia.ts';
import { sharpen } from './sharpen.ts';
import { tint } from './tint.ts';
import { vignette } from './vignette.ts';

/** Effects that hide faces of the original. Faces in layers are not detected. */
export const faceEffects = [blurFaces, pixelateFaces] as const;

/** Effects on the image itself, before anything is painted around or over it. */
export const effects = [
  pixelate,
  blur,
  saturation,
  hue,
  grayscale,
  sepia,
  tint,
  duotone,
  negate,
  brightness,
  contrast,
  sharpen,
  vignette,
] as const;
