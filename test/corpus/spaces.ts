import type { Triple } from '../pictures/colours.ts';

type Matrix = readonly [Triple, Triple, Triple];
type Point = readonly [x: number, y: number];

/** Chromaticities of red, green, blue and white. Sources: ITU-T H.273, table 2; Adobe RGB (1998). White is D65. */
export const PRIMARIES = {
  srgb: [
    [0.64, 0.33],
    [0.3, 0.6],
    [0.15, 0.06],
  ],
  p3: [
    [0.68, 0.32],
    [0.265, 0.69],
    [0.15, 0.06],
  ],
  bt2020: [
    [0.708, 0.292],
    [0.17, 0.797],
    [0.131, 0.046],
  ],
  bt601of625: [
    [0.64, 0.33],
    [0.29, 0.6],
    [0.15, 0.06],
  ],
  bt601of525: [
    [0.63, 0.34],
    [0.31, 0.595],
    [0.155, 0.07],
  ],
  adobe: [
    [0.64, 0.33],
    [0.21, 0.71],
    [0.15, 0.06],
  ],
} as const satisfies Record<string, readonly [Point, Point, Point]>;
export type Primaries = keyof typeof PRIMARIES;

const D65: Point = [0.3127, 0.329];

/**
 * Conversion between light and coded numbers, both 0 to 1; in PQ and HLG light 1 is graphics white, 203 cd/m2 (ITU-R
 * BT.2408).
 */
export interface Transfer {
  encode(light: number): number;
  decode(coded: number): number;
}

export const gamma = (exponent: number): Transfer => ({
  encode: (light) => Math.max(0, light) ** (1 / exponent),
  decode: (coded) => coded ** exponent,
});

/** IEC 61966-2-1. */
const srgb: Transfer = {
  encode: (light) => (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055),
  decode: (coded) => (coded <= 0.04045 ? coded / 12.92 : ((coded + 0.055) / 1.055) ** 2.4),
};

/** The camera curve of ITU-R BT.709, BT.601 and BT.2020. */
const bt709: Transfer = {
  encode: (light) => (light < 0.018054 ? 4.5 * light : 1.099297 * light ** 0.45 - 0.099297),
  decode: (coded) => (coded < 0.081243 ? coded / 4.5 : ((coded + 0.099297) / 1.099297) ** (1 / 0.45)),
};

const WHITE_NITS = 203;
const M1 = 2610 / 16384;
const M2 = (2523 / 4096) * 128;
const C1 = 3424 / 4096;
const C2 = (2413 / 4096) * 32;
const C3 = (2392 / 4096) * 32;

/** SMPTE ST 2084. */
const pq: Transfer = {
  encode(light) {
    const power = ((Math.max(0, light) * WHITE_NITS) / 10_000) ** M1;
    return ((C1 + C2 * power) / (1 + C3 * power)) ** M2;
  },
  decode(coded) {
    const power = coded ** (1 / M2);
    return ((Math.max(power - C1, 0) / (C2 - C3 * power)) ** (1 / M1) * 10_000) / WHITE_NITS;
  },
};

const A = 0.17883277;
const B = 0.28466892;
const C = 0.55991073;

/** ITU-R BT.2100, table 5: scene light with a maximum of 1. */
const hlg: Transfer = {
  encode: (light) => (light <= 1 / 12 ? Math.sqrt(3 * Math.max(0, light)) : A * Math.log(12 * light - B) + C),
  decode: (coded) => (coded <= 0.5 ? coded ** 2 / 3 : (Math.exp((coded - C) / A) + B) / 12),
};

export const TRANSFERS = { srgb, bt709, linear: gamma(1), gamma22: gamma(2.2), gamma28: gamma(2.8), pq, hlg } as const;

/** The reference screen of HLG: its peak white, and its gamma relative to the scene (ITU-R BT.2100, table 5). */
const HLG_SCREEN = { nits: 1000, gamma: 1.2 };

/** Converts screen light, 1 for graphics white, to scene light. */
function sceneLight(light: Triple, primaries: Primaries): Triple {
  const relative = map(light, (value) => (value * WHITE_NITS) / HLG_SCREEN.nits);
  const luminance = dot(toXyz(PRIMARIES[primaries])[1], relative);
  const factor = luminance > 0 ? luminance ** ((1 - HLG_SCREEN.gamma) / HLG_SCREEN.gamma) : 0;
  return map(relative, (value) => value * factor);
}

function screenLight(light: Triple, primaries: Primaries): Triple {
  const luminance = dot(toXyz(PRIMARIES[primaries])[1], light);
  const factor = (Math.max(0, luminance) ** (HLG_SCREEN.gamma - 1) * HLG_SCREEN.nits) / WHITE_NITS;
  return map(light, (value) => value * factor);
}

/** Encodes light of some primaries as numbers, 0 to 1. */
export function encodeLight(light: Triple, { primaries, transfer }: Space): Triple {
  return map(transfer === TRANSFERS.hlg ? sceneLight(light, primaries) : light, transfer.encode);
}

/** Decodes numbers to light, 1 for graphics white. */
export function decodeLight(numbers: Triple, { primaries, transfer }: Space): Triple {
  const light = map(numbers, transfer.decode);
  return transfer === TRANSFERS.hlg ? screenLight(light, primaries) : light;
}

/** A colour space: its primaries, and its transfer function. */
export interface Space {
  primaries: Primaries;
  transfer: Transfer;
}

/**
 * Converts an sRGB colour to the numbers, 0 to 1, of another colour space.
 * @param brightness multiplies the screen light
 */
export function fromSrgb(colour: Triple, space: Space, brightness = 1): Triple {
  const light = times(matrixBetween('srgb', space.primaries), map(colour, srgb.decode));
  return encodeLight(
    map(light, (value) => Math.max(0, value) * brightness),
    space,
  );
}

/** Converts numbers of another colour space to sRGB, clipped to its gamut; PQ and HLG are tone-mapped. */
export function toSrgb(numbers: Triple, space: Space): Triple {
  const isHdr = space.transfer === TRANSFERS.pq || space.transfer === TRANSFERS.hlg;
  const light = decodeLight(numbers, space);
  const shown = times(matrixBetween(space.primaries, 'srgb'), isHdr ? compressed(light) : light);
  return map(shown, (value) => srgb.encode(Math.min(1, Math.max(0, value))));
}

/** Ratio of the white of a bright scene to graphics white: 812 cd/m2. */
export const BRIGHT = 4;

/** Peak of the brightest display that images are mastered for; higher values are white. */
const PEAK = 1000 / WHITE_NITS;

/**
 * Compresses light of up to `PEAK` to the range of a screen, by the curve of ITU-R BT.2390-11, 5.4.1, for the brightest
 * channel.
 */
function compressed(light: Triple): Triple {
  const brightest = Math.max(...light);
  if (brightest <= 0) return [0, 0, 0];
  const source = pq.encode(PEAK);
  const most = pq.encode(1) / source;
  const value = pq.encode(Math.min(brightest, PEAK)) / source;
  const knee = 1.5 * most - 0.5;
  const t = (value - knee) / (1 - knee);
  const curve =
    (2 * t ** 3 - 3 * t ** 2 + 1) * knee + (t ** 3 - 2 * t ** 2 + t) * (1 - knee) + (3 * t ** 2 - 2 * t ** 3) * most;
  const scale = pq.decode((value < knee ? value : curve) * source) / brightest;
  return map(light, (part) => part * scale);
}

const BETWEEN = new Map<string, Matrix>();

/** Returns the matrix from light of some primaries to light of others. */
export function matrixBetween(from: Primaries, to: Primaries): Matrix {
  const key = `${from} ${to}`;
  const known = BETWEEN.get(key);
  if (known) return known;
  const matrix = product(inverse(toXyz(PRIMARIES[to])), toXyz(PRIMARIES[from]));
  BETWEEN.set(key, matrix);
  return matrix;
}

/** Source: SMPTE RP 177. */
export function toXyz(points: readonly [Point, Point, Point]): Matrix {
  const [red, green, blue] = points.map(([x, y]): Triple => [x / y, 1, (1 - x - y) / y]) as [Triple, Triple, Triple];
  const columns = transposed([red, green, blue]);
  const white: Triple = [D65[0] / D65[1], 1, (1 - D65[0] - D65[1]) / D65[1]];
  const scale = times(inverse(columns), white);
  return columns.map((row): Triple => [row[0] * scale[0], row[1] * scale[1], row[2] * scale[2]]) as unknown as Matrix;
}

export function times([x, y, z]: Matrix, vector: Triple): Triple {
  return [dot(x, vector), dot(y, vector), dot(z, vector)];
}

/** Bradford adaptation of XYZ from white D65 to D50. Source: ICC.1:2022, annex E. */
export const TO_D50: Matrix = [
  [1.0478112, 0.0228866, -0.050127],
  [0.0295424, 0.9904844, -0.0170491],
  [-0.0092345, 0.0150436, 0.7521316],
];
export const D50: Triple = [0.9642, 1, 0.8249];

/** Returns CIE Lab of an sRGB colour, with white D50 as in profiles and Photoshop. */
export function labOfD50(colour: Triple): Triple {
  const [x, y, z] = times(product(TO_D50, toXyz(PRIMARIES.srgb)), map(colour, srgb.decode));
  const root = (value: number) => (value > 216 / 24_389 ? Math.cbrt(value) : (value * 24_389) / 27 / 116 + 16 / 116);
  const fx = root(x / D50[0]);
  const fy = root(y / D50[1]);
  const fz = root(z / D50[2]);
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

const dot = (one: Triple, other: Triple) => one[0] * other[0] + one[1] * other[1] + one[2] * other[2];

export function map([a, b, c]: Triple, change: (value: number) => number): Triple {
  return [change(a), change(b), change(c)];
}

function transposed([x, y, z]: Matrix): Matrix {
  return [
    [x[0], y[0], z[0]],
    [x[1], y[1], z[1]],
    [x[2], y[2], z[2]],
  ];
}

export function product(one: Matrix, other: Matrix): Matrix {
  const [x, y, z] = transposed(other);
  return transposed([times(one, x), times(one, y), times(one, z)]);
}

function inverse([x, y, z]: Matrix): Matrix {
  const cross = (a: Triple, b: Triple): Triple => [
    a[1] * b[2] - a[2] * b[1],
    a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0],
  ];
  const columns: Matrix = [cross(y, z), cross(z, x), cross(x, y)];
  const determinant = x[0] * columns[0][0] + x[1] * columns[0][1] + x[2] * columns[0][2];
  return transposed(columns.map((column) => map(column, (value) => value / determinant)) as unknown as Matrix);
}
