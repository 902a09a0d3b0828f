import { UnsupportedImage } from '@darkroom/image-files/decoded-image';
import { CHANNEL_MODES, PIXEL_MODES, type Rgb } from './blend.ts';

/** Pixels at a position on the canvas: colours then alpha, 16 bits each, interleaved, not premultiplied. */
export interface Raster {
  left: number;
  top: number;
  width: number;
  height: number;
  /** Colour channels, alpha not counted. */
  colours: number;
  samples: Uint16Array;
}

/** 0..1 at a pixel of the canvas. */
export type Coverage = (x: number, y: number) => number;

const FULL = 65_535;

/**
 * Paints a raster over another one that contains it, by the PDF model: backdrop or source where only one is, their
 * blend where both are. `atop` preserves the shape of the backdrop, as for clipped layers.
 * @throws UnsupportedImage for dissolve, and for modes that need RGB on other colours
 */
export function paint(target: Raster, source: Raster, blend: string, opacity: number, atop = false): void {
  const mix = blender(blend, target.colours);
  const stride = target.colours + 1;
  const backdrop = new Float64Array(target.colours);
  const colour = new Float64Array(target.colours);
  const blended = new Float64Array(target.colours);
  for (let y = 0; y < source.height; y++) {
    let from = y * source.width * stride;
    let to = ((y + source.top - target.top) * target.width + source.left - target.left) * stride;
    for (let x = 0; x < source.width; x++, from += stride, to += stride) {
      const sourceAlpha = ((source.samples[from + target.colours] as number) / FULL) * opacity;
      const backdropAlpha = (target.samples[to + target.colours] as number) / FULL;
      if (sourceAlpha === 0 || (atop && backdropAlpha === 0)) continue;
      for (let c = 0; c < target.colours; c++) {
        backdrop[c] = (target.samples[to + c] as number) / FULL;
        colour[c] = (source.samples[from + c] as number) / FULL;
      }
      mix(backdrop, colour, blended);
      const shape = atop ? 1 : backdropAlpha;
      const alpha = sourceAlpha + shape - sourceAlpha * shape;
      for (let c = 0; c < target.colours; c++) {
        const own = (1 - shape) * (colour[c] as number) + shape * (blended[c] as number);
        const value = ((1 - sourceAlpha) * shape * (backdrop[c] as number) + sourceAlpha * own) / alpha;
        target.samples[to + c] = Math.round(value * FULL);
      }
      if (!atop) target.samples[to + target.colours] = Math.round(alpha * FULL);
    }
  }
}

/** Multiplies the raster's alpha with a mask. */
export function applyMask(raster: Raster, mask: Coverage): void {
  const stride = raster.colours + 1;
  let at = raster.colours;
  for (let y = 0; y < raster.height; y++) {
    for (let x = 0; x < raster.width; x++, at += stride) {
      raster.samples[at] = Math.round((raster.samples[at] as number) * mask(x + raster.left, y + raster.top));
    }
  }
}

/** Fades `after` back to `before` where the coverage is below 1: a pass-through group's opacity and mask. */
export function fade(after: Raster, before: Uint16Array, coverage: Coverage): void {
  const { colours, samples } = after;
  let at = 0;
  for (let y = 0; y < after.height; y++) {
    for (let x = 0; x < after.width; x++, at += colours + 1) {
      const part = coverage(x + after.left, y + after.top);
      const newAlpha = (samples[at + colours] as number) * part;
      const oldAlpha = (before[at + colours] as number) * (1 - part);
      const alpha = newAlpha + oldAlpha;
      for (let c = 0; c < colours && alpha > 0; c++) {
        const value = (samples[at + c] as number) * newAlpha + (before[at + c] as number) * oldAlpha;
        samples[at + c] = Math.round(value / alpha);
      }
      samples[at + colours] = Math.round(alpha);
    }
  }
}

type Blender = (backdrop: Float64Array, source: Float64Array, out: Float64Array) => void;

function blender(blend: string, colours: number): Blender {
  if (blend === 'norm') {
    return (_backdrop, source, out) => {
      for (let c = 0; c < colours; c++) out[c] = source[c] as number;
    };
  }
  const channel = CHANNEL_MODES[blend];
  if (channel) {
    return (backdrop, source, out) => {
      for (let c = 0; c < colours; c++) out[c] = channel(backdrop[c] as number, source[c] as number);
    };
  }
  const pixel = PIXEL_MODES[blend];
  if (!pixel || colours !== 3) throw new UnsupportedImage(`blend mode ${blend}`);
  return (backdrop, source, out) => out.set(pixel(rgbOf(backdrop), rgbOf(source)));
}

const rgbOf = (values: Float64Array): Rgb => [values[0] as number, values[1] as number, values[2] as number];
