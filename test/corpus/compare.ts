import { ciede2000, labOf, type Triple } from '../pictures/colours.ts';
import type { Pixels } from './resample.ts';

export interface Difference {
  /** CIEDE2000, with transparent pixels flattened onto white. */
  mean: number;
  largest: number;
  /** The mean difference of alpha, 0 to 255. */
  alpha: number;
}

/** Returns the difference between an image and its reference of the same size. */
export function difference(picture: Pixels, reference: Pixels): Difference {
  const count = reference.width * reference.height;
  const sum = { colour: 0, alpha: 0 };
  const result = { largest: 0 };
  for (let at = 0; at < count * 4; at += 4) {
    const difference = colourDifference(picture.data, reference.data, at);
    sum.colour += difference;
    sum.alpha += Math.abs((picture.data[at + 3] ?? 0) - (reference.data[at + 3] ?? 0));
    result.largest = Math.max(result.largest, difference);
  }
  return { mean: sum.colour / count, largest: result.largest, alpha: sum.alpha / count };
}

function colourDifference(one: Pixels['data'], other: Pixels['data'], at: number): number {
  const first = overWhite(one, at);
  const second = overWhite(other, at);
  if (first[0] === second[0] && first[1] === second[1] && first[2] === second[2]) return 0;
  return ciede2000(labOf(first), labOf(second));
}

function overWhite(data: Pixels['data'], at: number): Triple {
  const alpha = (data[at + 3] ?? 0) / 255;
  const over = (index: number) => ((data[at + index] ?? 0) / 255) * alpha + 1 - alpha;
  return [over(0), over(1), over(2)];
}
