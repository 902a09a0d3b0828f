import type { Syntax } from '../../transformation/param.ts';
import type { Colour } from '../../transformation/syntax.ts';
import { type Turn, turnBy } from '../layout/geometry.ts';
import { turnMegabytes } from '../memory.ts';
import { defineStep, paintOf, paintsWhite } from '../step.ts';

const UPRIGHT = turnBy(0);

/** `auto` means upright by EXIF, which every image is anyway. */
const syntax: Syntax<Turn> = {
  parse(text) {
    if (text === 'auto') return { value: UPRIGHT };
    const parts = text.split('.');
    const last = parts.at(-1) ?? '';
    const isTurned = /^-?\d+$/.test(last);
    const mirrors = isTurned ? parts.slice(0, -1) : parts;
    if (mirrors.length > 2 || !mirrors.every((mirror) => mirror === 'hflip' || mirror === 'vflip')) return undefined;
    // From top to bottom is from left to right and then half a turn.
    const halves = mirrors.filter((mirror) => mirror === 'vflip').length;
    const degrees = ((isTurned ? degreesOf(last) : 0) + 180 * halves) % 360;
    return { value: { isMirrored: mirrors.length === 1, degrees } };
  },
  format({ isMirrored, degrees }) {
    if (!isMirrored) return String(degrees);
    return degrees === 0 ? 'hflip' : `hflip.${degrees}`;
  },
  forms:
    'a whole number of degrees (modulo 360), or `auto`; `hflip` mirrors from left to right first and `vflip` from top to bottom, alone or before degrees (`hflip.90`)',
  // Mirrors are no numbers.
  shape: () => ({ kind: 'integer', min: 0, max: 359, unit: 'degrees', auto: true }),
};

export const angle = defineStep({
  name: 'angle',
  key: 'a',
  syntax,
  default: UPRIGHT,
  isLate: ({ isMirrored }) => isMirrored,
  reference: {
    summary:
      'Mirrors the image, then rotates it clockwise. Images are first turned upright by their EXIF orientation. Angles other than quarter turns enlarge the canvas; its corners get the background.',
    examples: ['a_90,w_300', 'a_30,w_300', 'a_-15,b_000000,w_300', 'a_hflip,w_300', 'a_vflip.90,w_300'],
  },
  effect(value, plan) {
    if (!value || (!value.isMirrored && value.degrees === 0)) return undefined;
    const { isMirrored, degrees } = value;
    const { upright, turned } = plan.layout;
    return {
      place: 'rotate',
      size: turned,
      megabytes: turnMegabytes(upright, degrees),
      inAnyColourSpace: degrees % 90 === 0 || paintsWhite(plan),
      apply(image) {
        const mirrored = isMirrored ? image.flop() : image;
        return degrees === 0 ? mirrored : mirrored.rotate(degrees, { background: premultiplied(paintOf(plan)) });
      },
    };
  },
  addsAlpha: (value, { background }) => (value?.degrees ?? 0) % 90 !== 0 && background.alpha < 255,
});

/** Modulo 360, digit by digit, because a URL can hold 16,000 digits. */
function degreesOf(text: string): number {
  let degrees = 0;
  for (const digit of text.replace('-', '')) degrees = (degrees * 10 + Number(digit)) % 360;
  return text.startsWith('-') ? (360 - degrees) % 360 : degrees;
}

/** sharp rotates premultiplied pixels but does not premultiply the background. */
function premultiplied({ red, green, blue, alpha }: Colour) {
  const share = alpha / 255;
  return { r: Math.round(red * share), g: Math.round(green * share), b: Math.round(blue * share), alpha: share };
}
