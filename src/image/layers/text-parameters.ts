import type { OptionsOf, Parameter, Syntax } from '../../transformation/param.ts';
import { type Colour, colour, decimal, flag, integer, oneOf, pixels } from '../../transformation/syntax.ts';
import { borders, scaleBorder } from '../steps/border.ts';
import { padding as imagePadding, paddings } from '../steps/padding.ts';
import { radius as imageRadius, radii } from '../steps/radius.ts';
import { countCharacters, MAX_CHARACTERS, type TextStyle } from './text-style.ts';

const DEFAULT_FAMILY = 'Noto Sans';
const BLACK: Colour = { red: 0, green: 0, blue: 0, alpha: 255 };

/** The text itself. Of all control characters it may have line breaks alone. */
export const texts: Syntax<string> = {
  parse(text) {
    if (text === '') return undefined;
    if (countCharacters(text) > MAX_CHARACTERS) return { expected: `at most ${MAX_CHARACTERS} characters` };
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
    if (/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(text)) {
      return { expected: 'text without control characters, except line breaks' };
    }
    return { value: text.toWellFormed() };
  },
  format: (text) => text,
  forms: `a text of at most ${MAX_CHARACTERS} characters`,
  shape: () => ({ kind: 'text' }),
};

/** Accepts any name until the families are known. */
const families: Syntax<string> = {
  parse(text, { families: known }) {
    if (text === '') return undefined;
    return known && !known.includes(text) ? { expected: `one of ${known.join(', ')}` } : { value: text };
  },
  format: (name) => name,
  forms: 'the name of a font family; `GET /limits` lists them',
  shape: ({ families: known = [DEFAULT_FAMILY] }) => ({ kind: 'choice', values: known }),
};

const colours = colour();

/** Declares a parameter of a text; the types of name and value are inferred. */
function define<const Name extends string, T>(parameter: Parameter<Name, T>): Parameter<Name, T> {
  return parameter;
}

const family = define({
  name: 'family',
  key: 'ff',
  syntax: families,
  default: DEFAULT_FAMILY,
  reference: {
    summary: 'Font family. Missing letters come from the other available families.',
    examples: ['w_400~l_text:Hello,ff_Noto%20Sans,fs_40,co_white,g_south,y_20'],
  },
});

const fontSize = define({
  name: 'fontSize',
  key: 'fs',
  syntax: integer(4, 512),
  default: 32,
  scale: (value, factor) => Math.round(value * factor),
  reference: {
    summary: 'Font size, in pixels of the result.',
    examples: ['w_400~l_text:Hello,fs_80,co_white,g_south,y_20'],
  },
});

const fontWeight = define({
  name: 'fontWeight',
  key: 'fw',
  syntax: integer(100, 900),
  default: 400,
  reference: {
    summary:
      'Font weight: 400 is regular, 700 bold. The nearest weight of the family is used; letters are made bolder if it has none.',
    examples: ['w_400~l_text:Hello,fs_60,fw_700,co_white,g_south,y_20'],
  },
});

const italic = define({
  name: 'italic',
  key: 'fi',
  syntax: flag(),
  default: false,
  reference: {
    summary: 'Italics. Letters are slanted if the family has none.',
    examples: ['w_400~l_text:Hello,fs_60,fi_true,co_white,g_south,y_20'],
  },
});

const textColour = define({
  name: 'textColour',
  key: 'co',
  syntax: colours,
  default: BLACK,
  reference: {
    summary: 'Colour of the letters. Emoji keep their own.',
    examples: ['w_400~l_text:Hello,fs_60,co_ffb000,g_south,y_20'],
  },
});

const wrapWidth = define({
  name: 'wrapWidth',
  key: 'w',
  syntax: pixels(),
  scale: (value, factor) => Math.round(value * factor),
  reference: {
    summary: 'Maximum width of a line; by default the width of the result. A single word that is wider is broken.',
    examples: ['w_400~l_text:A%20text%20of%20several%20words,w_180,fs_40,co_white,g_south_west,x_16,y_16'],
  },
});

const textAlign = define({
  name: 'textAlign',
  key: 'al',
  syntax: oneOf(['left', 'center', 'right']),
  default: 'left',
  reference: {
    summary: 'Alignment of the lines. In a script that is written from right to left, `left` and `right` are swapped.',
    examples: ['w_400~l_text:A%20text%20of%20several%20words,w_180,fs_40,al_center,co_white,g_south_west,x_16,y_16'],
  },
});

const lineHeight = define({
  name: 'lineHeight',
  key: 'lh',
  syntax: decimal(0.8, 3, 2),
  reference: {
    summary: 'Line height as a multiple of the font size. Without it, the line height of the font.',
    examples: ['w_400~l_text:A%20text%20of%20several%20words,w_180,fs_40,lh_1,co_white,g_south_west,x_16,y_16'],
  },
});

const outline = define({
  name: 'outline',
  key: 'st',
  syntax: borders(20),
  scale: scaleBorder,
  reference: {
    summary: 'Outline around the letters, painted behind them.',
    examples: ['w_400~l_text:Hello,fs_80,fw_700,co_white,st_4:000000,g_south,y_20'],
  },
});

const boxColour = define({
  name: 'boxColour',
  key: 'b',
  syntax: colours,
  reference: {
    summary: 'Colour of a box behind the text.',
    examples: ['w_400~l_text:Hello,fs_40,co_white,b_00000080,pd_8:16,g_south,y_20'],
  },
});

const boxPadding = define({
  name: 'boxPadding',
  key: 'pd',
  syntax: paddings,
  default: { top: 0, right: 0, bottom: 0, left: 0 },
  scale: imagePadding.scale as NonNullable<typeof imagePadding.scale>,
  idle: ({ boxColour }) => boxColour === undefined,
  reference: {
    summary: 'Space between the letters with their outline and the edges of the box.',
    examples: ['w_400~l_text:Hello,fs_40,co_white,b_336699,pd_8:16,g_south,y_20'],
  },
});

const boxRadius = define({
  name: 'boxRadius',
  key: 'r',
  syntax: radii,
  default: [0, 0, 0, 0],
  scale: imageRadius.scale as NonNullable<typeof imageRadius.scale>,
  idle: ({ boxColour }) => boxColour === undefined,
  reference: {
    summary: 'Rounds the corners of the box.',
    examples: ['w_400~l_text:Hello,fs_40,co_white,b_336699,pd_8:16,r_100,g_south,y_20'],
  },
});

/** Parameters of a text, in the order of the canonical text. */
export const textParameters = [
  family,
  fontSize,
  fontWeight,
  italic,
  textColour,
  wrapWidth,
  textAlign,
  lineHeight,
  outline,
  boxColour,
  boxPadding,
  boxRadius,
] as const;

export type TextOptions = OptionsOf<typeof textParameters>;

/** Returns the style of a text. @param width of the result, at which lines wrap by default */
export function styleOf(text: string, options: TextOptions, width: number): TextStyle {
  const { boxColour, boxPadding = { top: 0, right: 0, bottom: 0, left: 0 }, boxRadius = [0, 0, 0, 0] } = options;
  return {
    text,
    family: options.family ?? DEFAULT_FAMILY,
    size: options.fontSize ?? 32,
    weight: options.fontWeight ?? 400,
    isItalic: options.italic ?? false,
    colour: options.textColour ?? BLACK,
    wrapWidth: options.wrapWidth ?? width,
    align: options.textAlign ?? 'left',
    lineHeight: options.lineHeight,
    outline: options.outline,
    box: boxColour && { colour: boxColour, padding: boxPadding, radius: boxRadius },
  };
}
