import type { Syntax } from '../../transformation/param.ts';
import { defineStep } from '../step.ts';

/** The two sides in lowest terms, so that `32:18` and `16:9` are one ratio. */
export interface Ratio {
  width: number;
  height: number;
}

const ratio: Syntax<Ratio> = {
  parse(text) {
    const match = /^(\d{1,5}(?:\.\d{1,4})?):(\d{1,5}(?:\.\d{1,4})?)$/.exec(text);
    if (!match) return undefined;
    // There are at most four decimals, so both sides are whole numbers of ten-thousandths.
    const width = Math.round(Number(match[1]) * 1e4);
    const height = Math.round(Number(match[2]) * 1e4);
    if (width === 0 || height === 0) return { expected: 'two numbers greater than 0, such as 16:9' };
    const divisor = greatestCommonDivisor(width, height);
    return { value: { width: width / divisor, height: height / divisor } };
  },
  format({ width, height }) {
    const isLong = width > 99_999 || height > 99_999;
    return isLong ? `${width / 1e4}:${height / 1e4}` : `${width}:${height}`;
  },
  forms: '`W:H`, two numbers greater than 0, decimals allowed',
  shape: () => ({ kind: 'ratio' }),
};

export const aspectRatio = defineStep({
  name: 'aspectRatio',
  key: 'ar',
  syntax: ratio,
  reference: {
    summary: 'Crops to the ratio before anything is resized. Together with `w` or `h`, it determines the other one.',
    examples: ['ar_1:1,w_300', 'ar_16:9,w_300,g_north'],
  },
});

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
