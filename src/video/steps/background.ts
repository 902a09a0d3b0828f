import type { Syntax } from '../../transformation/param.ts';
import { type Colour, colour } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';

const BLACK: Colour = { red: 0, green: 0, blue: 0, alpha: 255 };

/** Bars of a video are opaque: the alpha of a colour says nothing. */
const opaqueColour: Syntax<Colour> = {
  ...colour(),
  parse(text, limits) {
    const reading = colour().parse(text, limits);
    return reading && 'value' in reading ? { value: { ...reading.value, alpha: 255 } } : reading;
  },
};

export const background = defineStep({
  name: 'background',
  key: 'b',
  aliases: ['bg'],
  syntax: opaqueColour,
  default: BLACK,
  idle: ({ crop, width, height }) => crop !== 'pad' || width === undefined || height === undefined,
  reference: {
    summary: 'The colour of the bars that `c_pad` adds. Default black.',
    examples: ['w_180,h_180,c_pad,b_rgb:336699'],
  },
  filters(value = BLACK, { layout: { window, output, offset } }) {
    if (window.width === output.width && window.height === output.height) return [];
    const hex = Buffer.from([value.red, value.green, value.blue]).toString('hex');
    return [`pad=${output.width}:${output.height}:${offset.left}:${offset.top}:color=0x${hex}`];
  },
});
