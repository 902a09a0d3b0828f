import { refuse } from '../refusal.ts';
import type { Word } from './draft.ts';

/** CSS names that sites use for backgrounds and texts. `black`, `white` and `transparent` are names in Darkroom too. */
const NAMES =
  `aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4
  blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0 chocolate d2691e coral ff7f50
  cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b darkgray a9a9a9
  darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkorange ff8c00 darkred 8b0000 darksalmon e9967a
  darkslateblue 483d8b darkslategray 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff
  dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff
  gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000 grey 808080 honeydew f0fff0
  hotpink ff69b4 indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa lemonchiffon fffacd lightblue add8e6
  lightcoral f08080 lightcyan e0ffff lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1
  lightsalmon ffa07a lightskyblue 87cefa lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff
  maroon 800000 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080
  oldlace fdf5e6 olive 808000 orange ffa500 orangered ff4500 orchid da70d6 papayawhip ffefd5 peachpuff ffdab9 peru cd853f
  pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 red ff0000 rosybrown bc8f8f royalblue 4169e1 salmon fa8072
  sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd
  slategray 708090 slategrey 708090 snow fffafa steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347
  turquoise 40e0d0 violet ee82ee wheat f5deb3 whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32`.split(/\s/);

/** Hexadecimal digits by name. Empty entries between two of these are never used. */
const COLOURS = pairs(NAMES.filter((name) => name !== ''));

function pairs(words: readonly string[]): ReadonlyMap<string, string> {
  const map = new Map([
    ['black', 'black'],
    ['white', 'white'],
    ['transparent', 'transparent'],
  ]);
  for (let n = 0; n + 1 < words.length; n += 2) map.set(words[n] as string, words[n + 1] as string);
  return map;
}

/** Translates a colour of Cloudinary (`rgb:336699`, `#336699`, a CSS name, bare digits); undefined for other values. */
export function colourOf(value: string): string | undefined {
  const digits = value.replace(/^(rgb:|#)/, '');
  if (/^[0-9a-f]{3}([0-9a-f]{3}([0-9a-f]{2})?)?$/i.test(digits)) return digits.toLowerCase();
  // With alpha, each digit once.
  if (/^[0-9a-f]{4}$/i.test(digits)) return digits.toLowerCase().replace(/./g, '$&$&');
  return COLOURS.get(value.toLowerCase());
}

/** @throws Refused for other values than colours */
export function requireColour(word: Word): string {
  return colourOf(word.value) ?? refuse(word.text, 'expected a colour, as rgb:336699 or a name of CSS');
}

/** Parses a whole number, with or without a sign and trailing decimal zeros; undefined for other texts. */
export function wholeOf(text: string): number | undefined {
  return /^-?\d{1,6}(\.0{1,4})?$/.test(text) ? Number(text) + 0 : undefined;
}

/** Parses a number without sign; undefined for other texts. */
export function numberOf(text: string): number | undefined {
  return /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
}

/**
 * Parses whole pixels, or a share of a side, which Cloudinary writes with a decimal point; undefined for other texts.
 */
export function lengthOf(text: string): string | undefined {
  if (/^\d{1,6}$/.test(text)) return text;
  return /^\d\.\d{1,6}$/.test(text) && Number(text) <= 1 ? text : undefined;
}

export function isShare(length: string): boolean {
  return length.includes('.');
}

/** @throws Refused for an invalid ratio */
export function ratioOf(word: Word): number {
  // Computed ratios have all digits.
  const short = word.value.replace(/^(\d{1,6}\.\d{6})\d{1,20}$/, '$1');
  const [width = '', height = '1', ...more] = short.split(':');
  const ratio = (numberOf(width) ?? 0) / (numberOf(height) ?? 0);
  if (more.length > 0 || !Number.isFinite(ratio) || ratio <= 0) refuse(word.text, 'expected a ratio, as 16:9 or 1.5');
  return ratio;
}

/** Text for `ar_`. */
export function writeRatio(word: Word): string {
  const ratio = ratioOf(word);
  if (word.value.includes(':')) return word.value;
  const width = word.value.length > 6 ? Number(ratio.toFixed(4)) : word.value;
  return width === 0 ? refuse(word.text, 'expected a ratio of 0.0001 or more') : `${width}:1`;
}
