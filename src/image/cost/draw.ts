import { type Layout, megapixelsOf, type Size } from '../layout/geometry.ts';
import type { ImageStep } from '../step.ts';
import { effects } from '../steps/effects/index.ts';
import { type ImageOptions, imageSteps } from '../steps/index.ts';

/** Milliseconds of CPU time for each megapixel of the part that an effect changes. */
const SCALED = 10;
/** Of the turned canvas: by quarters, and by any other angle. */
const TURNED = { quarter: 8, freely: 20 } as const;
/** All effects on colours together: they are merged into one. */
const COLOURED = 15;

/** CPU time to scale, turn and change one image, in ms; without its layers. */
export function drawMs(options: ImageOptions, { angle, turned, content, output }: Layout): number {
  const turning = angle === 0 ? 0 : angle % 90 === 0 ? TURNED.quarter : TURNED.freely;
  return (
    turning * megapixelsOf(turned) +
    (SCALED + rateOf(options, 'contentRate') + (changesColours(options) ? COLOURED : 0)) * megapixelsOf(content) +
    rateOf(options, 'outputRate') * megapixelsOf(output)
  );
}

/** Sums the estimates that the steps declare, in ms for each megapixel. */
function rateOf(options: ImageOptions, area: 'contentRate' | 'outputRate'): number {
  let sum = 0;
  for (const step of imageSteps as readonly ImageStep<keyof ImageOptions, unknown>[]) {
    const value = options[step.name];
    if (value !== undefined) sum += step[area]?.(value) ?? 0;
  }
  return sum;
}

function changesColours(options: ImageOptions): boolean {
  return effects.some((effect) => 'colours' in effect && Boolean(options[effect.name]));
}

/** CPU time for each megapixel that is painted over a canvas, and for each that is held to be painted on. */
const PAINTED = 20;
const HELD = 2;
/** For each megapixel of a shadow, and for each pixel of its sigma. */
const SHADOW = { once: 30, sigma: 0.5 } as const;

/** CPU time to make the shadow of a layer, in ms. @param blur as in CSS */
export function shadowMs({ width, height }: Size, blur: number): number {
  const margin = 3 * blur;
  const megapixels = megapixelsOf({ width: width + margin, height: height + margin });
  return megapixels * (SHADOW.once + (SHADOW.sigma * blur) / 2);
}

/** CPU time to paint a layer over a canvas, in ms. @param covers true where it is repeated all over it, or masks it */
export function paintMs(canvas: Size, layer: Size, covers: boolean): number {
  const whole = megapixelsOf(canvas);
  return HELD * whole + PAINTED * (covers ? whole : Math.min(whole, megapixelsOf(layer)));
}
