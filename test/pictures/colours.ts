/** Three numbers: R, G, B from 0 to 1, or X, Y, Z, or L, a, b. */
export type Triple = readonly [number, number, number];

/**
 * Matrices from linear RGB of some primaries, white D65, to XYZ; rows. Sources: IEC 61966-2-1, SMPTE EG 432-1, Adobe
 * RGB (1998).
 */
const TO_XYZ = {
  srgb: [
    [0.4123908, 0.3575843, 0.1804808],
    [0.212639, 0.7151687, 0.0721923],
    [0.0193308, 0.1191948, 0.9505322],
  ],
  p3: [
    [0.4865709, 0.2656677, 0.1982173],
    [0.2289746, 0.6917385, 0.0792869],
    [0, 0.0451134, 1.0439444],
  ],
  adobe: [
    [0.5766691, 0.185558, 0.1882287],
    [0.2973449, 0.6273636, 0.0752914],
    [0.0270314, 0.0706889, 0.9913375],
  ],
} as const;

/** Matrix from XYZ of white D65 to linear sRGB. Source: IEC 61966-2-1. */
const XYZ_TO_SRGB = [
  [3.2409699, -1.5373832, -0.4986108],
  [-0.9692436, 1.8759675, 0.0415551],
  [0.0556301, -0.203977, 1.0569715],
] as const;

export const ADOBE_GAMMA = 2.19921875;

/** Conversions to sRGB, clipped to its gamut. All numbers from 0 to 1. */
export const toSrgb = {
  p3: (rgb: Triple): Triple => encoded(times(XYZ_TO_SRGB, times(TO_XYZ.p3, map(rgb, linear)))),
  adobe: (rgb: Triple): Triple =>
    encoded(
      times(
        XYZ_TO_SRGB,
        times(
          TO_XYZ.adobe,
          map(rgb, (value) => value ** ADOBE_GAMMA),
        ),
      ),
    ),
  /** Converts grey with a gamma. */
  grey: (value: number, gamma: number): Triple => encoded([value ** gamma, value ** gamma, value ** gamma]),
};

/** Returns the mean and the maximum CIEDE2000 of two lists of sRGB colours. */
export function differences(ones: readonly Triple[], others: readonly Triple[]): { mean: number; largest: number } {
  const all = ones.map((one, index) => ciede2000(labOf(one), labOf(others[index] ?? [0, 0, 0])));
  return { mean: all.reduce((sum, value) => sum + value, 0) / all.length, largest: Math.max(...all) };
}

/** Returns CIE Lab of an sRGB colour, white D65. */
export function labOf(srgb: Triple): Triple {
  const [x, y, z] = times(TO_XYZ.srgb, map(srgb, linear));
  const root = (value: number) => (value > 216 / 24_389 ? Math.cbrt(value) : (value * 24_389) / 27 / 116 + 16 / 116);
  const fx = root(x / 0.95047);
  const fy = root(y);
  const fz = root(z / 1.08883);
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

/**
 * Returns the visual difference of two Lab colours; below 1 it is invisible. Source: Sharma, Wu, Dalal, "The CIEDE2000
 * formula" (2005).
 */
export function ciede2000([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const meanC = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(meanC ** 7 / (meanC ** 7 + 25 ** 7)));
  const x1 = a1 * (1 + g);
  const x2 = a2 * (1 + g);
  const c1 = Math.hypot(x1, b1);
  const c2 = Math.hypot(x2, b2);
  const h1 = hue(x1, b1);
  const h2 = hue(x2, b2);
  const isGrey = c1 * c2 === 0;
  const turn = isGrey ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const deltaH = 2 * Math.sqrt(c1 * c2) * Math.sin(radians(turn) / 2);
  const sum = h1 + h2;
  const meanH = isGrey ? sum : Math.abs(h1 - h2) <= 180 ? sum / 2 : (sum + (sum < 360 ? 360 : -360)) / 2;
  const meanL = (l1 + l2) / 2;
  const meanChroma = (c1 + c2) / 2;
  const t =
    1 -
    0.17 * Math.cos(radians(meanH - 30)) +
    0.24 * Math.cos(radians(2 * meanH)) +
    0.32 * Math.cos(radians(3 * meanH + 6)) -
    0.2 * Math.cos(radians(4 * meanH - 63));
  const lightness = (l2 - l1) / (1 + (0.015 * (meanL - 50) ** 2) / Math.sqrt(20 + (meanL - 50) ** 2));
  const chroma = (c2 - c1) / (1 + 0.045 * meanChroma);
  const tone = deltaH / (1 + 0.015 * meanChroma * t);
  const spread = 2 * Math.sqrt(meanChroma ** 7 / (meanChroma ** 7 + 25 ** 7));
  const rotation = -Math.sin(radians(60 * Math.exp(-(((meanH - 275) / 25) ** 2)))) * spread;
  return Math.sqrt(lightness ** 2 + chroma ** 2 + tone ** 2 + rotation * chroma * tone);
}

/** Converts an sRGB number to light, and back. Source: IEC 61966-2-1. */
function linear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function encoded(light: Triple): Triple {
  return map(light, (value) => {
    const held = Math.min(1, Math.max(0, value));
    return held <= 0.0031308 ? held * 12.92 : 1.055 * held ** (1 / 2.4) - 0.055;
  });
}

function times([x, y, z]: readonly [Triple, Triple, Triple], vector: Triple): Triple {
  const row = (weights: Triple) => weights[0] * vector[0] + weights[1] * vector[1] + weights[2] * vector[2];
  return [row(x), row(y), row(z)];
}

function map([a, b, c]: Triple, change: (value: number) => number): Triple {
  return [change(a), change(b), change(c)];
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;
const hue = (a: number, b: number) => (a === 0 && b === 0 ? 0 : ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360);
