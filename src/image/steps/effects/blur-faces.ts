import { decimal, orAuto } from '../../../transformation/syntax.ts';
import { lateSharp } from '../../drawing/late-sharp.ts';
import type { HeldImage } from '../../step.ts';
import { MAX_SIGMA, MIN_SIGMA } from './blur.ts';
import { defineEffect } from './define.ts';
import { HIDING_RATE, hideFaces } from './hide-faces.ts';

/** Of the side of an oval; features of a face are smaller than this. */
const AUTO_SHARE = 0.15;

export const blurFaces = defineEffect({
  name: 'blurFaces',
  key: 'e_blur_faces',
  syntax: orAuto(decimal(MIN_SIGMA, MAX_SIGMA, 2, 'pixels')),
  alone: 'auto',
  needs: () => ({ kind: 'faces' }),
  scale: (value, factor) => (value === 'auto' ? value : value * factor),
  reference: {
    summary:
      'Blurs detected faces, within ovals somewhat larger than the faces. The value is the sigma in pixels; `auto` adapts it to the size of each face. A face that is [not detected](face-detection.md) stays visible, and so does one that moves in an [animation](animation.md): check results before you publish them.',
    examples: ['w_300,e_blur_faces'],
  },
  contentRate: () => HIDING_RATE,
  effect: (value, plan) =>
    value === undefined
      ? undefined
      : hideFaces(plan, (window, side) => blurred(window, value === 'auto' ? side * AUTO_SHARE : value)),
});

async function blurred({ data, ...raw }: HeldImage, requested: number): Promise<HeldImage> {
  const sigma = Math.min(MAX_SIGMA, Math.max(MIN_SIGMA, requested));
  const sharp = await lateSharp();
  const image = sharp(data, { raw, limitInputPixels: false }).blur(sigma);
  return { ...raw, data: await image.raw().toBuffer() };
}
