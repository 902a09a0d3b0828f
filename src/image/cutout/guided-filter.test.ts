import { describe, expect, test } from 'vitest';
import { fitLines, type Guide } from './guided-filter.ts';

const SIDE = 24;

/** An image whose pixels a function gives. */
function guideOf(colour: (x: number, y: number) => readonly [number, number, number]): Guide {
  const data = new Uint8Array(SIDE * SIDE * 3);
  for (let at = 0; at < SIDE * SIDE; at++) data.set(colour(at % SIDE, Math.floor(at / SIDE)), at * 3);
  return { data, width: SIDE, height: SIDE };
}

const planeOf = (value: (x: number, y: number) => number) =>
  Float32Array.from({ length: SIDE * SIDE }, (_, at) => value(at % SIDE, Math.floor(at / SIDE)));

/** Evaluates the lines at each pixel of an image. */
function valuesOf(guide: Guide, plane: Float32Array, radius: number, smoothness: number): number[] {
  const { red, green, blue, rest } = fitLines(guide, plane, radius, smoothness);
  const sum = (at: number) =>
    [red, green, blue].reduce(
      (all, line, c) => all + ((line[at] as number) * (guide.data[at * 3 + c] as number)) / 255,
      0,
    );
  return Array.from({ length: SIDE * SIDE }, (_, at) => sum(at) + (rest[at] as number));
}

const noise = (x: number, y: number) =>
  [(x * 37 + y * 91) % 256, (x * 71 + y * 23) % 256, (x * 13 + y * 53) % 256] as const;

describe('a guided filter', () => {
  test('finds how a value follows from the colour', () => {
    const guide = guideOf(noise);
    const plane = planeOf((x, y) => {
      const [red, green, blue] = noise(x, y);
      return (0.5 * red - 0.25 * green + 0.125 * blue) / 255 + 0.3;
    });
    const values = valuesOf(guide, plane, 3, 1e-6);
    for (const [at, value] of values.entries()) expect(value).toBeCloseTo(plane[at] as number, 2);
  });

  test('moves a blurred edge to the edge of the picture', () => {
    const guide = guideOf((x) => (x < 13 ? [200, 60, 40] : [30, 90, 160]));
    const soft = planeOf((x) => Math.min(1, Math.max(0, (x - 10) / 6)));
    const values = valuesOf(guide, soft, 4, 1e-4);
    const row = values.slice(12 * SIDE, 13 * SIDE);
    expect((row[13] as number) - (row[12] as number)).toBeGreaterThan(0.5);
    expect(Math.max(...row.slice(0, 6).map(Math.abs))).toBeLessThan(0.02);
  });

  test('leaves a plane of one value as it is, to its edges', () => {
    for (const value of valuesOf(
      guideOf(noise),
      planeOf(() => 1),
      5,
      1e-3,
    ))
      expect(value).toBeCloseTo(1, 5);
  });

  test('smooths what the picture says nothing of, by the mean of the window', () => {
    const values = valuesOf(
      guideOf(() => [90, 90, 90]),
      planeOf((x) => (x < 12 ? 0 : 1)),
      1,
      1e-3,
    );
    // The mean of three, of the means of three: 1/9, 3/9, 6/9, 8/9.
    expect(values.slice(10, 14).map((value) => Math.round(value * 9))).toEqual([1, 3, 6, 8]);
  });
});
