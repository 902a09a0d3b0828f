import type { Syntax } from '../../../transformation/param.ts';
import { type Colour, colour } from '../../../transformation/syntax.ts';
import { LUMA } from '../../drawing/colour-map.ts';
import { defineEffect } from './define.ts';

interface Duotone {
  dark: Colour;
  light: Colour;
}

const colours = colour({ isBare: true, isOpaque: true });

const duotones: Syntax<Duotone> = {
  parse(text, rules) {
    const [first = '', second = '', ...more] = text.split(':');
    const dark = colours.parse(first, rules);
    const light = colours.parse(second, rules);
    if (!dark || !light || more.length > 0) return undefined;
    if ('expected' in dark) return dark;
    return 'expected' in light ? light : { value: { dark: dark.value, light: light.value } };
  },
  format: ({ dark, light }) => `${colours.format(dark)}:${colours.format(light)}`,
  forms: `\`dark:light\`, two colours (${colours.forms})`,
  shape: () => ({ kind: 'text' }),
};

export const duotone = defineEffect({
  name: 'duotone',
  key: 'e_duotone',
  syntax: duotones,
  reference: {
    summary: 'Two colours and the shades between them: the first for dark parts, the second for light parts.',
    examples: ['w_300,e_duotone:2b1a5a:ffd27a'],
  },
  colours({ dark, light }) {
    const row = (from: number, to: number) =>
      LUMA.map((weight) => (weight * (to - from)) / 255) as [number, number, number];
    return {
      matrix: [row(dark.red, light.red), row(dark.green, light.green), row(dark.blue, light.blue)],
      offset: [dark.red, dark.green, dark.blue],
    };
  },
});
