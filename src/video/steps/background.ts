import type { Syntax } from '../../transformation/param.ts';
import { type Colour, colour } from '../../transformation/syntax.ts';
import { groundArguments } from '../gif.ts';
import { defineStep } from '../step.ts';

const BLACK: Colour = { red: 0, green: 0, blue: 0, alpha: 255 };
/** Of GIFs, as it is where they become pictures. */
const WHITE: Colour = { red: 255, green: 255, blue: 255, alpha: 255 };

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
  input: (value = WHITE, { probe }) => (probe.container === 'gif' ? groundArguments(value) : []),
  filters(value, { probe, layout: { window, output, offset } }) {
    if (window.width === output.width && window.height === output.height) return [];
    const { red, green, blue } = value ?? (probe.container === 'gif' ? WHITE : BLACK);
    const hex = Buffer.from([red, green, blue]).toString('hex');
    return [`pad=${output.width}:${output.height}:${offset.left}:${offset.top}:color=0x${hex}`];
  },
});
