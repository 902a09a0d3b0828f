import type { Sharp } from 'sharp';
import { decoding } from '../decode.ts';
import { roundSize, type Size } from '../layout/geometry.ts';

/** A small image in memory: red, green, blue and alpha, a byte each, row by row; alpha is not multiplied in. */
export interface Sample extends Size {
  rgba: Uint8Array;
}

/** Longer side, in pixels, of the sample for facts. A JPEG is decoded at an eighth of its size for it. */
export const SAMPLE_SIDE = 256;

/**
 * An image as it is displayed, upright and in sRGB, shrunk while it is decoded.
 * @throws UndecodableImage, and the error of a system that cannot read the file
 */
export async function takeSample(image: Sharp): Promise<Sample> {
  const small = image
    .clone()
    .autoOrient()
    .resize(SAMPLE_SIDE, SAMPLE_SIDE, { fit: 'inside', withoutEnlargement: true });
  const { data, info } = await decoding(() =>
    small.toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true }),
  );
  return { width: info.width, height: info.height, rgba: info.channels === 4 ? data : widen(data, info.channels) };
}

/** Grey, grey with alpha, or RGB. */
function widen(data: Uint8Array, channels: number): Uint8Array {
  const isGrey = channels < 3;
  const rgba = new Uint8Array((data.length / channels) * 4);
  for (let from = 0, to = 0; from < data.length; from += channels, to += 4) {
    const first = data[from] as number;
    rgba[to] = first;
    rgba[to + 1] = isGrey ? first : (data[from + 1] as number);
    rgba[to + 2] = isGrey ? first : (data[from + 2] as number);
    rgba[to + 3] = channels === 2 ? (data[from + 1] as number) : 255;
  }
  return rgba;
}

/** True if any pixel is transparent. */
export function isTransparent({ rgba }: Sample): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return true;
  return false;
}

/** The sample on white, as images with alpha are shown in a format without it. */
export function onWhite(sample: Sample): Sample {
  if (!isTransparent(sample)) return sample;
  const rgba = new Uint8Array(sample.rgba.length);
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = (sample.rgba[at + 3] as number) / 255;
    for (let channel = at; channel < at + 3; channel++) {
      rgba[channel] = Math.round(255 + ((sample.rgba[channel] as number) - 255) * alpha);
    }
    rgba[at + 3] = 255;
  }
  return { ...sample, rgba };
}

/**
 * No side longer than `side`; no larger than it is. Each pixel is the mean of those that it stands for, by their alpha.
 */
export function shrinkInside(sample: Sample, side: number): Sample {
  const scale = Math.min(1, side / Math.max(sample.width, sample.height));
  return shrink(sample, roundSize({ width: sample.width * scale, height: sample.height * scale }));
}

/** @param size may be larger on a side: then pixels are repeated */
export function shrink(sample: Sample, { width, height }: Size): Sample {
  const { width: fromWidth, rgba } = sample;
  const columns = spansOf(fromWidth, width);
  const rows = spansOf(sample.height, height);
  const small = new Uint8Array(width * height * 4);
  let to = 0;
  for (const [top, bottom] of rows) {
    for (const [left, right] of columns) {
      let red = 0;
      let green = 0;
      let blue = 0;
      let alpha = 0;
      for (let y = top; y < bottom; y++) {
        for (let at = (y * fromWidth + left) * 4, end = (y * fromWidth + right) * 4; at < end; at += 4) {
          const weight = rgba[at + 3] as number;
          red += weight * (rgba[at] as number);
          green += weight * (rgba[at + 1] as number);
          blue += weight * (rgba[at + 2] as number);
          alpha += weight;
        }
      }
      small[to] = Math.round(red / (alpha || 1));
      small[to + 1] = Math.round(green / (alpha || 1));
      small[to + 2] = Math.round(blue / (alpha || 1));
      small[to + 3] = Math.round(alpha / ((bottom - top) * (right - left)));
      to += 4;
    }
  }
  return { width, height, rgba: small };
}

/** From where to where the pixels of a line lie that each of the new ones stands for; at least one. */
function spansOf(length: number, count: number): [number, number][] {
  return Array.from({ length: count }, (_, index) => {
    const start = Math.min(length - 1, Math.floor((index * length) / count));
    return [start, Math.max(start + 1, Math.floor(((index + 1) * length) / count))];
  });
}
