import { type Layout, megapixelsOf, type Size } from '../layout/geometry.ts';
import type { ImageOptions } from '../steps/index.ts';

/** Milliseconds of CPU time for each megapixel of the part that an effect changes. */
const SCALED = 10;
/** Of the turned canvas: by quarters, and by any other angle. */
const TURNED = { quarter: 8, freely: 20 } as const;
const PIXELATED = 14;
const VIGNETTE = 14;
const SHARPENED = 32;
const COLOURED = 15;
const CUT_OUT = 25;
const HIDDEN_FACES = 20;
/** A Gaussian goes over each pixel once, and once more for each pixel of its sigma. */
const BLURRED = { once: 8, sigma: 1.2 } as const;
const BLURRED_BARS = 30;
const ROUNDED = 17;
const BORDERED = 6;
const FADED = 15;

/** CPU time to scale, turn and change one image, in ms; without its layers. */
export function drawMs(options: ImageOptions, { angle, turned, content, output }: Layout): number {
  const turning = angle === 0 ? 0 : angle % 90 === 0 ? TURNED.quarter : TURNED.freely;
  return (
    turning * megapixelsOf(turned) +
    (SCALED + contentRate(options)) * megapixelsOf(content) +
    outputRate(options) * megapixelsOf(output)
  );
}

function contentRate(options: ImageOptions): number {
  const { blur, pixelate, vignette, sharpen, cutout, blurFaces, pixelateFaces } = options;
  return (
    (blur ? BLURRED.once + BLURRED.sigma * blur : 0) +
    (pixelate ? PIXELATED : 0) +
    (vignette ? VIGNETTE : 0) +
    (sharpen ? SHARPENED : 0) +
    (cutout ? CUT_OUT : 0) +
    (blurFaces ? HIDDEN_FACES : 0) +
    (pixelateFaces ? HIDDEN_FACES : 0) +
    (changesColours(options) ? COLOURED : 0)
  );
}

/** True for any parameter that is a map of colours; all of them together are one. */
function changesColours(options: ImageOptions): boolean {
  const { saturation, hue, grayscale, sepia, tint, duotone, negate, brightness, contrast } = options;
  return [saturation, hue, grayscale, sepia, tint, duotone, negate, brightness, contrast].some(Boolean);
}

function outputRate({ background, border, radius, opacity }: ImageOptions): number {
  const isBlurred = typeof background === 'object' && 'blur' in background;
  return (
    (isBlurred ? BLURRED_BARS : 0) +
    (border ? BORDERED : 0) +
    (radius ? ROUNDED : 0) +
    (opacity !== undefined ? FADED : 0)
  );
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
