import type { Syntax } from '../../../transformation/param.ts';
import { type Colour, colour, integer } from '../../../transformation/syntax.ts';
import { byMatrix, LUMA, mixMap } from '../../drawing/colour-map.ts';
import { defineEffect } from './define.ts';

interface Tint {
  colour: Colour;
  /** Percent. */
  share: number;
}

const colours = colour({ isBare: true, isOpaque: true });
const shares = integer(1, 100);

const tints: Syntax<Tint> = {
  parse(text, rules) {
    const [name = '', percent = '100', ...more] = text.split(':');
    const paint = colours.parse(name, rules);
    const share = shares.parse(percent, rules);
    if (!paint || !share || more.length > 0) return undefined;
    if ('expected' in paint) return paint;
    if ('expected' in share) return share;
    return { value: { colour: paint.value, share: share.value } };
  },
  format: ({ colour, share }) => `${colours.format(colour)}${share === 100 ? '' : `:${share}`}`,
  forms: `a colour (${colours.forms}), and after a \`:\` how much of it in percent, ${shares.forms}`,
  shape: () => ({ kind: 'text' }),
};

export const tint = defineEffect({
  name: 'tint',
  key: 'e_tint',
  syntax: tints,
  reference: {
    summary: 'Shades of one colour instead of shades of grey, mixed with the image in percent (default 100).',
    examples: ['w_300,e_tint:ffb000', 'w_300,e_tint:0080ff:40'],
  },
  colours({ colour: { red, green, blue }, share }) {
    const [r, g, b] = LUMA;
    const onRed = red / 255;
    const onGreen = green / 255;
    const onBlue = blue / 255;
    const shaded = byMatrix(
      [r * onRed, g * onRed, b * onRed],
      [r * onGreen, g * onGreen, b * onGreen],
      [r * onBlue, g * onBlue, b * onBlue],
    );
    return mixMap(shaded, share / 100);
  },
});
