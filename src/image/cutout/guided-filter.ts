import type { Size } from '../layout/geometry.ts';

/** Three colours for each pixel, interleaved, 0 to 255. */
export interface Guide extends Size {
  data: Uint8Array;
}

/** Coefficients of `red * r + green * g + blue * b + rest` in each part of an image. */
export interface LocalLines extends Size {
  red: Float32Array;
  green: Float32Array;
  blue: Float32Array;
  rest: Float32Array;
}

/**
 * Finds how the values of a plane follow from the colours of an image of the same size, around each of its pixels.
 * Source: He, Sun, Tang: Guided Image Filtering, 2013, equations 14 to 16, with a guide in colour.
 * @param radius of the window around a pixel
 * @param smoothness differences of colour whose square is much below it are no edge; colours are 0 to 1
 */
export function fitLines(guide: Guide, plane: Float32Array, radius: number, smoothness: number): LocalLines {
  const { width, height } = guide;
  const mean = (values: Float32Array) => boxMean(values, guide, radius);
  const red = channelOf(guide, 0);
  const green = channelOf(guide, 1);
  const blue = channelOf(guide, 2);
  const product = (one: Float32Array, other: Float32Array) =>
    mean(one.map((value, at) => value * (other[at] as number)));
  const r = mean(red);
  const g = mean(green);
  const b = mean(blue);
  const p = mean(plane);
  const rr = product(red, red);
  const rg = product(red, green);
  const rb = product(red, blue);
  const gg = product(green, green);
  const gb = product(green, blue);
  const bb = product(blue, blue);
  const rp = product(red, plane);
  const gp = product(green, plane);
  const bp = product(blue, plane);
  const lines = Array.from({ length: 4 }, () => new Float32Array(width * height)) as [...Planes, Float32Array];
  for (let at = 0; at < plane.length; at++) {
    const mr = num(r, at);
    const mg = num(g, at);
    const mb = num(b, at);
    const mp = num(p, at);
    const cr = num(rp, at) - mr * mp;
    const cg = num(gp, at) - mg * mp;
    const cb = num(bp, at) - mb * mp;
    let rest = mp;
    // Most of a mask is the same all around.
    if (Math.max(Math.abs(cr), Math.abs(cg), Math.abs(cb)) > UNRELATED) {
      const vr = num(rr, at) - mr * mr;
      const vg = num(gg, at) - mg * mg;
      const vb = num(bb, at) - mb * mb;
      const wr = num(rg, at) - mr * mg;
      const wg = num(rb, at) - mr * mb;
      const wb = num(gb, at) - mg * mb;
      const line = solve([vr + smoothness, wr, wg, vg + smoothness, wb, vb + smoothness], [cr, cg, cb]);
      for (let channel = 0; channel < 3; channel++) (lines[channel] as Float32Array)[at] = line[channel] as number;
      rest -= line[0] * mr + line[1] * mg + line[2] * mb;
    }
    lines[3][at] = rest;
  }
  const [ar, ag, ab, rest] = lines.map(mean) as [...Planes, Float32Array];
  return { width, height, red: ar, green: ag, blue: ab, rest };
}

/** Rounding error of covariances in single precision. */
const UNRELATED = 1e-5;

type Planes = [Float32Array, Float32Array, Float32Array];
/** Of a 3 x 3 matrix, row by row from the diagonal. */
type Symmetric = readonly [number, number, number, number, number, number];

const num = (values: Float32Array, at: number) => values[at] as number;

function channelOf({ data }: Guide, channel: number): Float32Array {
  const values = new Float32Array(data.length / 3);
  for (let at = 0; at < values.length; at++) values[at] = (data[at * 3 + channel] as number) / 255;
  return values;
}

/** Solves three linear equations by Cramer's rule. */
function solve([a, b, c, d, e, f]: Symmetric, [x, y, z]: readonly [number, number, number]): [number, number, number] {
  const first = d * f - e * e;
  const second = c * e - b * f;
  const third = b * e - c * d;
  const determinant = a * first + b * second + c * third;
  return [
    (first * x + second * y + third * z) / determinant,
    (second * x + (a * f - c * c) * y + (b * c - a * e) * z) / determinant,
    (third * x + (b * c - a * e) * y + (a * d - b * b) * z) / determinant,
  ];
}

/** The mean of the window around each pixel, as far as it lies within the image. */
function boxMean(values: Float32Array, { width, height }: Size, radius: number): Float32Array {
  const across = new Float32Array(values.length);
  for (let y = 0; y < height; y++) meanAlong(values, across, { start: y * width, step: 1, length: width }, radius);
  const both = new Float32Array(values.length);
  for (let x = 0; x < width; x++) meanAlong(across, both, { start: x, step: width, length: height }, radius);
  return both;
}

interface Run {
  start: number;
  step: number;
  length: number;
}

function meanAlong(from: Float32Array, to: Float32Array, { start, step, length }: Run, radius: number): void {
  let sum = 0;
  for (let at = 0; at < Math.min(radius, length); at++) sum += num(from, start + at * step);
  for (let at = 0; at < length; at++) {
    const enters = at + radius;
    const leaves = at - radius - 1;
    if (enters < length) sum += num(from, start + enters * step);
    if (leaves >= 0) sum -= num(from, start + leaves * step);
    to[start + at * step] = sum / (Math.min(length - 1, enters) - Math.max(-1, leaves));
  }
}
