import type { Syntax } from '../../transformation/param.ts';
import type { Length, Region } from '../layout/geometry.ts';
import { readLength, writeLength } from '../layout/lengths.ts';
import { defineStep } from '../step.ts';

const regions: Syntax<Region> = {
  parse(text) {
    if (text.includes('-')) return undefined;
    const lengths = text.split(':').map(readLength);
    const [left, top, width, height, ...more] = lengths;
    if (!left || !top || !width || !height || more.length > 0) return undefined;
    const isRight = lengths.every((length) => length && ('pixels' in length || length.share <= 1));
    return isRight && !isNothing(width) && !isNothing(height)
      ? { value: { left, top, width, height } }
      : { expected: 'shares from 0.0 to 1.0 or whole pixels, and a width and a height greater than 0' };
  },
  format: ({ left, top, width, height }) => [left, top, width, height].map(writeLength).join(':'),
  forms: '`x:y:w:h`, each of them whole pixels, or with a decimal point a share of the side (`0.0` to `1.0`)',
  shape: () => ({ kind: 'text' }),
};

export const region = defineStep({
  name: 'region',
  key: 'rg',
  syntax: regions,
  isLate: () => true,
  reference: {
    summary:
      'Selects a part of the image, after rotation. The region ends at the edges of the image. All later steps apply to the selected part.',
    examples: ['rg_250:60:300:300,w_300', 'rg_0.25:0.0:0.5:1.0,w_300,h_300'],
  },
});

function isNothing(length: Length): boolean {
  return ('pixels' in length ? length.pixels : length.share) === 0;
}
