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
/** How far a colour counts for those beside it, so that a gradient is as common as a flat area of its size. */
const NEAR = 12;
/** A colour that has less of the picture is where two others meet. */
const LEAST_SHARE = 0.01;
/** Beyond these, the rarer colours of a noisy picture count only for the shares. */
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

/** The first pixels and ends of runs that are looked at, row by row. */
type Runs = Iterable<readonly [start: number, end: number]>;

function* everywhere({ width, height }: Sample): Runs {
  yield [0, width * height];
}

function* edge({ width, height }: Sample): Runs {
  const [across, down] = [width, height].map((side) => Math.max(1, Math.round(side * BORDER_SHARE))) as [
    number,
    number,
  ];
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

/** The colours of a picture, the commonest first. */
function binsOf({ rgba }: Sample, runs: Runs): Bin[] {
  const sums = new Float64Array(4096 * 4);
  for (const [start, end] of runs) {
    for (let at = start * 4; at < end * 4; at += 4) {
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
  const bins: Bin[] = [];
  for (let bin = 0; bin < sums.length; bin += 4) {
    const weight = sums[bin + 3] as number;
    if (weight === 0) continue;
    const [red, green, blue] = [0, 1, 2].map((channel) => (sums[bin + channel] as number) / weight) as [
      number,
      number,
      number,
    ];
    bins.push({ red, green, blue, weight, lab: labOf(red, green, blue) });
  }
  return bins.sort((one, other) => other.weight - one.weight);
}

/** Colours that have much of their like around them, each different from those before, by their share of the picture. */
function pickColours(bins: readonly Bin[], count: number): Bin[] {
  const candidates = bins.slice(0, MAX_CANDIDATES);
  const crowds = new Map(candidates.map((bin) => [bin, crowdOf(bin, candidates)]));
  const byCrowd = candidates.toSorted((one, other) => (crowds.get(other) ?? 0) - (crowds.get(one) ?? 0));
  const picked: Bin[] = [];
  for (const bin of byCrowd) {
    if (picked.every(({ lab }) => distance(lab, bin.lab) >= SHADES)) picked.push(bin);
  }
  const shares = sharesOf(bins, picked);
  const common = picked.filter((bin, index) => index === 0 || (shares.get(bin) ?? 0) >= LEAST_SHARE);
  return common.toSorted((one, other) => (shares.get(other) ?? 0) - (shares.get(one) ?? 0)).slice(0, count);
}

function crowdOf({ lab }: Bin, candidates: readonly Bin[]): number {
  let crowd = 0;
  for (const { lab: other, weight } of candidates) crowd += weight * Math.max(0, 1 - distance(lab, other) / NEAR);
  return crowd;
}

/** Each colour counts for the picked one that it looks most like. */
function sharesOf(bins: readonly Bin[], picked: readonly Bin[]): Map<Bin, number> {
  const total = bins.reduce((sum, { weight }) => sum + weight, 0);
  const shares = new Map<Bin, number>();
  for (const { lab, weight } of bins) {
    const nearest = nearestTo(lab, picked);
    if (nearest) shares.set(nearest, (shares.get(nearest) ?? 0) + weight / total);
  }
  return shares;
}

function nearestTo(lab: Lab, bins: readonly Bin[]): Bin | undefined {
  let nearest: Bin | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const bin of bins) {
    const apart = distance(bin.lab, lab);
    if (apart < least) [nearest, least] = [bin, apart];
  }
  return nearest;
}

function hexOf({ red, green, blue }: Bin): string {
  return `#${[red, green, blue].map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;
}
