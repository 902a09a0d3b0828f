import type { Syntax } from '../../transformation/param.ts';
import type { Colour } from '../../transformation/syntax.ts';
import { turnMegabytes } from '../memory.ts';
import { defineStep, paintOf, paintsWhite } from '../step.ts';

/** Degrees clockwise, 0 to 359. `auto` means upright by EXIF, which every picture is anyway. */
const degrees: Syntax<number> = {
  parse(text) {
    if (text === 'auto') return { value: 0 };
    return /^-?\d+$/.test(text) ? { value: turnOf(text) } : undefined;
  },
  format: String,
  forms: 'a whole number of degrees (modulo 360), or `auto`',
  shape: () => ({ kind: 'integer', min: 0, max: 359, unit: 'degrees', auto: true }),
};

export const angle = defineStep({
  name: 'angle',
  key: 'a',
  syntax: degrees,
  default: 0,
  reference: {
    summary:
      'Turns the picture clockwise, from upright. Pictures are always turned upright by their EXIF orientation first. For other than quarter turns the canvas grows, and its corners get the background.',
    examples: ['a_90,w_300', 'a_30,w_300', 'a_-15,b_000000,w_300'],
  },
  effect(value, plan) {
    if (!value) return undefined;
    const { upright, turned } = plan.layout;
    return {
      place: 'rotate',
      size: turned,
      megabytes: turnMegabytes(upright, value),
      inAnyColourSpace: value % 90 === 0 || paintsWhite(plan),
      apply: (image) => image.rotate(value, { background: premultiplied(paintOf(plan)) }),
    };
  },
  addsAlpha: (value = 0, { background }) => value % 90 !== 0 && background.alpha < 255,
});

/** Modulo 360, digit by digit, because a URL has room for 16,000 digits. */
function turnOf(text: string): number {
  let degrees = 0;
  for (const digit of text.replace('-', '')) degrees = (degrees * 10 + Number(digit)) % 360;
  return text.startsWith('-') ? (360 - degrees) % 360 : degrees;
}

/** sharp turns premultiplied pixels but does not premultiply the background. */
function premultiplied({ red, green, blue, alpha }: Colour) {
  const share = alpha / 255;
  return { r: Math.round(red * share), g: Math.round(green * share), b: Math.round(blue * share), alpha: share };
}
