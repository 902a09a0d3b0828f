import { UnsupportedImage } from '../decoded-image.ts';
import type { Samples } from '../samples.ts';
import type { Matrix, Triple } from './spaces.ts';

/** XYZ of white point D50 to linear sRGB (Bradford adaptation). */
export const XYZ_TO_SRGB: Matrix = [
  [3.1338561, -1.6168667, -0.4906146],
  [-0.9787684, 1.9161415, 0.033454],
  [0.0719453, -0.2289914, 1.4052427],
];

export const dot = (a: Triple, b: Triple) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Converts linear light to an sRGB byte (IEC 61966-2-1). */
export function encodeSrgb(linear: number): number {
  const v = Math.min(1, Math.max(0, linear));
  return Math.round(255 * (v <= 0.0031308 ? v * 12.92 : 1.055 * v ** (1 / 2.4) - 0.055));
}

/** Converts CIE Lab of white point D50 to sRGB. */
export function labToSrgb([lightness, greenRed, blueYellow]: Samples[]): Uint8Array[] {
  if (!lightness || !greenRed || !blueYellow) throw new UnsupportedImage('a Lab picture without its channels');
  const wide = lightness instanceof Uint16Array;
  const scale = 100 / (wide ? 65_535 : 255);
  const chroma = (v: number) => (wide ? (v - 32_768) / 256 : v - 128);
  const cube = (t: number) => (t > 6 / 29 ? t ** 3 : (t - 4 / 29) * 3 * (6 / 29) ** 2);
  const out = XYZ_TO_SRGB.map(() => new Uint8Array(lightness.length));
  for (let i = 0; i < lightness.length; i++) {
    const fy = ((lightness[i] as number) * scale + 16) / 116;
    const fx = fy + chroma(greenRed[i] as number) / 500;
    const fz = fy - chroma(blueYellow[i] as number) / 200;
    const xyz: Triple = [0.96422 * cube(fx), cube(fy), 0.82521 * cube(fz)];
    for (let c = 0; c < 3; c++) (out[c] as Uint8Array)[i] = encodeSrgb(dot(XYZ_TO_SRGB[c] as Triple, xyz));
  }
  return out;
}
