import {
  type BlendChannel,
  difference,
  hardLight,
  multiply,
  overlay,
  screen,
} from '@darkroom/image-files/blend-channels';

/** Blends red, green and blue together. */
export type BlendPixel = (backdrop: Rgb, source: Rgb) => Rgb;
export type Rgb = readonly [red: number, green: number, blue: number];

const clamp = (v: number) => Math.min(1, Math.max(0, v));

const colourDodge: BlendChannel = (b, s) => (b === 0 ? 0 : s >= 1 ? 1 : Math.min(1, b / (1 - s)));
const colourBurn: BlendChannel = (b, s) => (b >= 1 ? 1 : s <= 0 ? 0 : 1 - Math.min(1, (1 - b) / s));
const vividLight: BlendChannel = (b, s) => (s <= 0.5 ? colourBurn(b, 2 * s) : colourDodge(b, 2 * s - 1));

/** Soft light of Photoshop, which differs from that of PDF and CSS. */
const softLight: BlendChannel = (b, s) =>
  s <= 0.5 ? 2 * b * s + b * b * (1 - 2 * s) : 2 * b * (1 - s) + Math.sqrt(b) * (2 * s - 1);

/** Separable modes by the four letters of a PSD. `norm` is not among them. */
export const CHANNEL_MODES: Readonly<Record<string, BlendChannel>> = {
  dark: Math.min,
  'mul ': multiply,
  idiv: colourBurn,
  lbrn: (b, s) => clamp(b + s - 1),
  lite: Math.max,
  scrn: screen,
  'div ': colourDodge,
  lddg: (b, s) => clamp(b + s),
  over: overlay,
  sLit: softLight,
  hLit: hardLight,
  vLit: vividLight,
  lLit: (b, s) => clamp(b + 2 * s - 1),
  pLit: (b, s) => (s <= 0.5 ? Math.min(b, 2 * s) : Math.max(b, 2 * s - 1)),
  hMix: (b, s) => (b + s >= 1 ? 1 : 0),
  diff: difference,
  smud: (b, s) => b + s - 2 * b * s,
  fsub: (b, s) => clamp(b - s),
  fdiv: (b, s) => (s <= 0 ? 1 : clamp(b / s)),
};

/** Non-separable modes by the four letters of a PSD. */
export const PIXEL_MODES: Readonly<Record<string, BlendPixel>> = {
  dkCl: (b, s) => (luminosity(s) < luminosity(b) ? s : b),
  lgCl: (b, s) => (luminosity(s) > luminosity(b) ? s : b),
  'hue ': (b, s) => withLuminosity(withSaturation(s, saturation(b)), luminosity(b)),
  'sat ': (b, s) => withLuminosity(withSaturation(b, saturation(s)), luminosity(b)),
  colr: (b, s) => withLuminosity(s, luminosity(b)),
  'lum ': (b, s) => withLuminosity(b, luminosity(s)),
};

/** Modes in which fill opacity differs from opacity. Source: Adobe's list of the eight special blend modes. */
export const FILL_SENSITIVE_MODES: ReadonlySet<string> = new Set([
  'idiv',
  'lbrn',
  'div ',
  'lddg',
  'vLit',
  'lLit',
  'hMix',
  'diff',
]);

// Non-separable modes of PDF 2.0 (ISO 32000-2), 11.3.5.3.
const luminosity = ([r, g, b]: Rgb) => 0.3 * r + 0.59 * g + 0.11 * b;
const saturation = ([r, g, b]: Rgb) => Math.max(r, g, b) - Math.min(r, g, b);

function withLuminosity(c: Rgb, target: number): Rgb {
  const shift = target - luminosity(c);
  const r = c[0] + shift;
  const g = c[1] + shift;
  const b = c[2] + shift;
  const low = Math.min(r, g, b);
  const high = Math.max(r, g, b);
  const squeeze = (v: number) => {
    if (low < 0) return target + ((v - target) * target) / (target - low);
    if (high > 1) return target + ((v - target) * (1 - target)) / (high - target);
    return v;
  };
  return [clamp(squeeze(r)), clamp(squeeze(g)), clamp(squeeze(b))];
}

function withSaturation(c: Rgb, target: number): Rgb {
  const low = Math.min(c[0], c[1], c[2]);
  const range = saturation(c);
  if (range === 0) return [0, 0, 0];
  return [((c[0] - low) * target) / range, ((c[1] - low) * target) / range, ((c[2] - low) * target) / range];
}
