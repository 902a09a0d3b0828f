import { distance, type Lab, labOf } from '../../lab.ts';
import type { Sample } from './sample.ts';

/** Colours as `#rrggbb`; transparent pixels do not count. */
export interface Colours {
  /** The commonest one; undefined where nothing is to be seen. */
  dominant: string | undefined;
  dominantLab: Lab | undefined;
  /** The commonest one of the outer edge; undefined where most of that is transparent. */
  border: string | undefined;
  /** At most five that look different, the commonest first. */
  palette: string[];
}

/** Equal to four bits a channel. */
interface Bin {
  red: number;
  green: number;
  blue: number;
  /** The sum of the alphas of its pixels. */
  weight: number;
  lab: Lab;
}

const PALETTE_SIZE = 5;
/** The edge, as a share of the sides. */
const BORDER_SHARE = 0.02;
/** Colours that are less than this apart are shades of one. */
const SHADES = 20;
/** Distance at which a colour counts for its neighbours, so that a gradient is as common as a flat area of its size. */
const NEAR = 12;
/** A colour that has less of the image is where two others meet. */
const LEAST_SHARE = 0.01;
/** Beyond these, the rarer colours of a noisy image count only for the shares. */
const MAX_CANDIDATES = 400;

export function findColours(sample: Sample): Colours {
  const bins = binsOf(sample, everywhere(sample));
  const picked = pickColours(bins, PALETTE_SIZE);
  const [dominant] = picked;
  return {
    dominant: dominant && hexOf(dominant),
    dominantLab: dominant?.lab,
    border: borderOf(sample),
    palette: picked.map(hexOf),
  };
}

/** Start and end of the runs of pixels that are read, row by row. */
type Runs = Iterable<readonly [start: number, end: number]>;

function* everywhere({ width, height }: Sample): Runs {
  yield [0, width * height];
}

function* edge({ width, height }: Sample): Runs {
  const across = Math.max(1, Math.round(width * BORDER_SHARE));
  const down = Math.max(1, Math.round(height * BORDER_SHARE));
  if (2 * across >= width || 2 * down >= height) return yield [0, width * height];
  yield [0, down * width];
  for (let y = down; y < height - down; y++) {
    yield [y * width, y * width + across];
    yield [(y + 1) * width - across, (y + 1) * width];
  }
  yield [(height - down) * width, height * width];
}

function borderOf(sample: Sample): string | undefined {
  const bins = binsOf(sample, edge(sample));
  const opaque = bins.reduce((sum, { weight }) => sum + weight, 0);
  const all = [...edge(sample)].reduce((sum, [start, end]) => sum + end - start, 0) * 255;
  const [commonest] = opaque * 2 < all ? [] : pickColours(bins, 1);
  return commonest && hexOf(commonest);
}

/** The colours of an image, the commonest first. */
function binsOf({ rgba }: Sample, runs: Runs): Bin[] {
  const sums = new Float64Array(4096 * 4);
  for (const [start, end] of runs) addPixels(sums, rgba, start * 4, end * 4);
  const bins: Bin[] = [];
  for (let bin = 0; bin < sums.length; bin += 4) {
    const weight = sums[bin + 3] as number;
    if (weight === 0) continue;
    const red = (sums[bin] as number) / weight;
    const green = (sums[bin + 1] as number) / weight;
    const blue = (sums[bin + 2] as number) / weight;
    bins.push({ red, green, blue, weight, lab: labOf(red, green, blue) });
  }
  return bins.sort((one, other) => other.weight - one.weight);
}

function addPixels(sums: Float64Array, rgba: Uint8Array, start: number, end: number): void {
  for (let at = start; at < end; at += 4) {
    const red = rgba[at] as number;
    const green = rgba[at + 1] as number;
    const blue = rgba[at + 2] as number;
    const weight = rgba[at + 3] as number;
    const bin = (((red >> 4) << 8) | (green & 0xf0) | (blue >> 4)) * 4;
    sums[bin] = (sums[bin] as number) + red * weight;
    sums[bin + 1] = (sums[bin + 1] as number) + green * weight;
    sums[bin + 2] = (sums[bin + 2] as number) + blue * weight;
    sums[bin + 3] = (sums[bin + 3] as number) + weight;
  }
}

/** Colours with many similar ones, each different from those before, by their share of the image. */
function pickColours(bins: readonly Bin[], count: number): Bin[] {
  const candidates = bins.slice(0, MAX_CANDIDATES);
  const crowds = crowdsOf(candidates);
  const picked: Bin[] = [];
  for (const at of byNumber(crowds)) {
    const bin = candidates[at] as Bin;
    if (picked.every(({ lab }) => distance(lab, bin.lab) >= SHADES)) picked.push(bin);
  }
  const shares = sharesOf(bins, picked);
  const common = byNumber(shares).filter((at) => at === 0 || (shares[at] as number) >= LEAST_SHARE);
  return common.slice(0, count).map((at) => picked[at] as Bin);
}

/** Positions of the numbers, the largest first. */
function byNumber(numbers: Float64Array): number[] {
  return Array.from(numbers.keys()).sort((one, other) => (numbers[other] as number) - (numbers[one] as number));
}

/** Sums the shares around each colour. The distance of two colours is symmetric. */
function crowdsOf(candidates: readonly Bin[]): Float64Array {
  const labs = labsOf(candidates);
  const weights = Float64Array.from(candidates, ({ weight }) => weight);
  const crowds = new Float64Array(candidates.length);
  for (let one = 0; one < crowds.length; one++) {
    let crowd = (crowds[one] as number) + (weights[one] as number);
    for (let other = one + 1; other < crowds.length; other++) {
      const square = squareOf(labs, one * 3, labs, other * 3);
      if (square >= NEAR ** 2) continue;
      const share = Math.max(0, 1 - Math.sqrt(square) / NEAR);
      crowd += (weights[other] as number) * share;
      crowds[other] = (crowds[other] as number) + (weights[one] as number) * share;
    }
    crowds[one] = crowd;
  }
  return crowds;
}

/** Each colour counts for the most similar of the picked ones. */
function sharesOf(bins: readonly Bin[], picked: readonly Bin[]): Float64Array {
  const total = bins.reduce((sum, { weight }) => sum + weight, 0);
  const shares = new Float64Array(picked.length);
  const labs = labsOf(bins);
  const ofPicked = labsOf(picked);
  for (let at = 0; at < bins.length; at++) {
    const nearest = nearestTo(labs, at * 3, ofPicked);
    shares[nearest] = (shares[nearest] as number) + (bins[at] as Bin).weight / total;
  }
  return shares;
}

/** @returns the position of the first of the nearest ones */
function nearestTo(labs: Float64Array, at: number, picked: Float64Array): number {
  let nearest = 0;
  let least = Number.POSITIVE_INFINITY;
  let leastSquare = Number.POSITIVE_INFINITY;
  for (let other = 0; other < picked.length; other += 3) {
    const square = squareOf(picked, other, labs, at);
    if (square >= leastSquare) continue;
    const apart = Math.sqrt(square);
    if (apart < least) {
      nearest = other / 3;
      least = apart;
      leastSquare = square;
    }
  }
  return nearest;
}

/** Three numbers for each, one after another: objects would take three times as long. */
function labsOf(bins: readonly Bin[]): Float64Array {
  const labs = new Float64Array(bins.length * 3);
  for (let at = 0; at < bins.length; at++) {
    const { l, a, b } = (bins[at] as Bin).lab;
    labs[at * 3] = l;
    labs[at * 3 + 1] = a;
    labs[at * 3 + 2] = b;
  }
  return labs;
}

/** The square of `distance`. */
function squareOf(ones: Float64Array, one: number, others: Float64Array, other: number): number {
  const l = (ones[one] as number) - (others[other] as number);
  const a = (ones[one + 1] as number) - (others[other + 1] as number);
  const b = (ones[one + 2] as number) - (others[other + 2] as number);
  return l * l + a * a + b * b;
}

function hexOf({ red, green, blue }: Bin): string {
  return `#${[red, green, blue].map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;
}
