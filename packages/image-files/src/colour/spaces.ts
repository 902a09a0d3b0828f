/** A colour in the CIE 1931 diagram: x and y. */
export type Chromaticity = readonly [x: number, y: number];

/** Three numbers: red, green and blue from 0 to 1, or X, Y, Z, or L, a, b. */
export type Triple = readonly [number, number, number];

export type Matrix = readonly [Triple, Triple, Triple];

export interface Primaries {
  red: Chromaticity;
  green: Chromaticity;
  blue: Chromaticity;
  white: Chromaticity;
}

/** Maps a sample value, 0 to 1, to light: 1 is white. */
export type Transfer = (value: number) => number;

const D65: Chromaticity = [0.3127, 0.329];
const C: Chromaticity = [0.31, 0.316];

const primaries = (red: Chromaticity, green: Chromaticity, blue: Chromaticity, white = D65): Primaries => ({
  red,
  green,
  blue,
  white,
});

export const BT709 = primaries([0.64, 0.33], [0.3, 0.6], [0.15, 0.06]);
const SMPTE170M = primaries([0.63, 0.34], [0.31, 0.595], [0.155, 0.07]);

/** By code point. Source: ITU-T H.273 (07/2024), table 2. */
export const PRIMARIES: Readonly<Record<number, Primaries>> = {
  1: BT709,
  4: primaries([0.67, 0.33], [0.21, 0.71], [0.14, 0.08], C),
  5: primaries([0.64, 0.33], [0.29, 0.6], [0.15, 0.06]),
  6: SMPTE170M,
  7: SMPTE170M,
  8: primaries([0.681, 0.319], [0.243, 0.692], [0.145, 0.049], C),
  9: primaries([0.708, 0.292], [0.17, 0.797], [0.131, 0.046]),
  10: primaries([1, 0], [0, 1], [0, 0], [1 / 3, 1 / 3]),
  11: primaries([0.68, 0.32], [0.265, 0.69], [0.15, 0.06], [0.314, 0.351]),
  12: primaries([0.68, 0.32], [0.265, 0.69], [0.15, 0.06]),
  22: primaries([0.63, 0.34], [0.295, 0.605], [0.155, 0.077]),
};

/** Returns the light of an sRGB value. Source: IEC 61966-2-1. */
export const srgbLight: Transfer = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);

export const gamma =
  (exponent: number): Transfer =>
  (value) =>
    value ** exponent;

/**
 * By code point. Those of television (1, 6, 11, 12, 14, 15) only describe a camera, and browsers show such images as
 * sRGB. Source: ITU-T H.273 (07/2024), table 3.
 */
export const TRANSFERS: Readonly<Record<number, Transfer>> = {
  1: srgbLight,
  4: gamma(2.2),
  5: gamma(2.8),
  6: srgbLight,
  7: (value) => (value < 4 * 0.0228 ? value / 4 : ((value + 0.1115) / 1.1115) ** (1 / 0.45)),
  8: (value) => value,
  11: srgbLight,
  12: srgbLight,
  13: srgbLight,
  14: srgbLight,
  15: srgbLight,
  17: gamma(2.6),
};

/** Code points of the two HDR transfers. */
export const PQ = 16;
export const HLG = 18;

/**
 * Returns the matrix from linear RGB to XYZ, with Y = 1 for white; undefined if the primaries span no colours. Source:
 * SMPTE RP 177.
 */
export function toXyz({ red, green, blue, white }: Primaries): Matrix | undefined {
  const columns = [red, green, blue].map(xyzOf) as unknown as Matrix;
  const inverse = invert(transpose(columns));
  if (!inverse || ![...columns, xyzOf(white)].flat().every(Number.isFinite)) return undefined;
  const scale = times(inverse, xyzOf(white));
  return transpose(columns.map((column, index) => column.map((value) => value * (scale[index] ?? 0))) as never);
}

/** Returns the chromatic adaptation from one white to another. Source: ICC.1:2022, annex E (linearized Bradford). */
export function adapt(from: Triple, to: Triple): Matrix {
  const before = times(BRADFORD, from);
  const after = times(BRADFORD, to);
  const scaled = BRADFORD.map((row, index) => row.map((value) => (value * (after[index] ?? 0)) / (before[index] ?? 1)));
  return multiply(invert(BRADFORD) as Matrix, scaled as never);
}

const BRADFORD: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];

/** Returns the colour with Y = 1. */
export function xyzOf([x, y]: Chromaticity): Triple {
  return y === 0 && x === 0 ? [0, 0, 1] : y === 0 ? [1, 0, 0] : [x / y, 1, (1 - x - y) / y];
}

export function times([x, y, z]: Matrix, [a, b, c]: Triple): Triple {
  return [x[0] * a + x[1] * b + x[2] * c, y[0] * a + y[1] * b + y[2] * c, z[0] * a + z[1] * b + z[2] * c];
}

export function multiply(one: Matrix, other: Matrix): Matrix {
  return transpose(transpose(other).map((column) => times(one, column)) as never);
}

/** Undefined for a matrix without an inverse. */
export function invert([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix | undefined {
  const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  if (!(Math.abs(determinant) > 1e-9)) return undefined;
  const rows: Matrix = [
    [e * i - f * h, c * h - b * i, b * f - c * e],
    [f * g - d * i, a * i - c * g, c * d - a * f],
    [d * h - e * g, b * g - a * h, a * e - b * d],
  ];
  return rows.map((row) => row.map((value) => value / determinant)) as never;
}

function transpose([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix {
  return [
    [a, d, g],
    [b, e, h],
    [c, f, i],
  ];
}
