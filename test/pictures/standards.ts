import type { Triple } from './colours.ts';

/**
 * Colour conversions of the standards, in floating point, for comparison: numbers of a file to sRGB, all from 0 to 1.
 * Clips colours outside sRGB, like a browser.
 */

type Rows = readonly [Triple, Triple, Triple];

/**
 * Matrices from linear RGB of some primaries to linear sRGB, derived from their chromaticities (ITU-T H.273, table 2;
 * Bradford).
 */
const PRIMARIES = {
  1: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  5: [
    [1.0440432, -0.0440432, 0],
    [0, 1, 0],
    [0, 0.0117934, 0.9882066],
  ],
  6: [
    [0.9395421, 0.0501814, 0.0102766],
    [0.0177722, 0.9657929, 0.0164349],
    [-0.0016216, -0.0043697, 1.0059913],
  ],
  9: [
    [1.660491, -0.5876411, -0.0728499],
    [-0.1245505, 1.1328999, -0.0083494],
    [-0.0181508, -0.1005789, 1.1187297],
  ],
  11: [
    [1.1575164, -0.1549624, -0.002554],
    [-0.0415001, 1.0455679, -0.0040679],
    [-0.01805, -0.0785783, 1.0966283],
  ],
  12: [
    [1.2249402, -0.2249402, 0],
    [-0.042057, 1.042057, 0],
    [-0.0196376, -0.078636, 1.0982736],
  ],
  /** Adobe RGB (1998). */
  adobe: [
    [1.3983557, -0.3983557, 0],
    [0, 1, 0],
    [0, -0.042929, 1.042929],
  ],
} as const satisfies Record<string, Rows>;

export type PrimariesName = keyof typeof PRIMARIES;

/** Returns the light of an sRGB number. */
export const srgbEotf = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);

/** SMPTE 240M. */
export const smpte240 = (value: number) => (value < 0.0913 ? value / 4 : ((value + 0.1115) / 1.1115) ** (1 / 0.45));

export function shown(primaries: PrimariesName, light: (value: number) => number, rgb: Triple): Triple {
  return encoded(PRIMARIES[primaries], rgb.map(light));
}

/** SMPTE ST 2084, tone-mapped. */
export function shownPq(primaries: PrimariesName, rgb: Triple): Triple {
  return mapped(primaries, rgb.map(pqToNits));
}

/** HLG of a display of 1000 cd/m2 (ITU-R BT.2100), tone-mapped. Only for the primaries of BT.2020. */
export function shownHlg(rgb: Triple): Triple {
  const scene = rgb.map((value) =>
    value > 0.5 ? (Math.exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12 : (value * value) / 3,
  );
  const [red = 0, green = 0, blue = 0] = scene;
  const luminance = 0.2627 * red + 0.678 * green + 0.0593 * blue;
  return mapped(
    9,
    scene.map((value) => 1000 * luminance ** 0.2 * value),
  );
}

/** Tone-maps by ITU-R BT.2390, 5.4.1, from 1000 cd/m2 to the 203 of white (ITU-R BT.2408), by the brightest channel. */
function mapped(primaries: PrimariesName, nits: readonly number[]): Triple {
  const brightest = Math.max(...nits);
  if (brightest === 0) return [0, 0, 0];
  const e1 = Math.min(1, nitsToPq(brightest) / nitsToPq(1000));
  const maxLum = nitsToPq(203) / nitsToPq(1000);
  const ks = (3 * maxLum - 1) / 2;
  const t = (e1 - ks) / (1 - ks);
  const p =
    (2 * t ** 3 - 3 * t ** 2 + 1) * ks + (t ** 3 - 2 * t ** 2 + t) * (1 - ks) + (3 * t ** 2 - 2 * t ** 3) * maxLum;
  const target = pqToNits((e1 < ks ? e1 : p) * nitsToPq(1000));
  return encoded(
    PRIMARIES[primaries],
    nits.map((value) => (value * target) / brightest / 203),
  );
}

function pqToNits(value: number): number {
  const v = value ** (1 / 78.84375);
  return 10_000 * (Math.max(v - 0.8359375, 0) / (18.8515625 - 18.6875 * v)) ** (1 / 0.1593017578125);
}

function nitsToPq(nits: number): number {
  const y = (nits / 10_000) ** 0.1593017578125;
  return ((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y)) ** 78.84375;
}

function encoded(rows: Rows, light: readonly number[]): Triple {
  const [a = 0, b = 0, c = 0] = light;
  return rows.map(([x, y, z]) => {
    const value = Math.min(1, Math.max(0, x * a + y * b + z * c));
    return value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
  }) as unknown as Triple;
}
