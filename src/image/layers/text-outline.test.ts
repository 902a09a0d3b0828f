import { describe, expect, test } from 'vitest';
import { dilate } from './text-outline.ts';

const SIDE = 40;
/** Samples per pixel and side, of the shapes whose coverage is known. */
const FINE = 8;
const FINE_SIDE = SIDE * FINE;

type Shape = (x: number, y: number) => boolean;

/** A bar through the middle, turned by some degrees. */
function bar(degrees: number, thickness: number): Shape {
  const angle = (degrees * Math.PI) / 180;
  return (x, y) => {
    const across = x - SIDE / 2 - 0.3;
    const down = y - SIDE / 2 + 0.2;
    const along = across * Math.cos(angle) + down * Math.sin(angle);
    const beside = down * Math.cos(angle) - across * Math.sin(angle);
    return Math.abs(along) < SIDE * 0.35 && Math.abs(beside) < thickness / 2;
  };
}

const ring: Shape = (x, y) => Math.abs(Math.hypot(x - SIDE / 2 - 0.3, y - SIDE / 2 + 0.2) - SIDE * 0.25) < 2;

/** The share of each pixel that a fine mask covers, in bytes. */
function coverageOf(side: number, isCovered: (x: number, y: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: side * side }, (_, at) => {
    const left = (at % side) * FINE;
    const top = Math.floor(at / side) * FINE;
    let count = 0;
    for (let y = top; y < top + FINE; y++) for (let x = left; x < left + FINE; x++) if (isCovered(x, y)) count++;
    return Math.round((count * 255) / FINE ** 2);
  });
}

/** Coverage of a shape, and of all that is within `radius` of it. */
function dilatedShape(shape: Shape, radius: number) {
  const isIn = (x: number, y: number) => shape((x + 0.5) / FINE, (y + 0.5) / FINE);
  const edge: [number, number][] = [];
  for (let y = 0; y < FINE_SIDE; y++) {
    for (let x = 0; x < FINE_SIDE; x++) {
      const isEdge = [isIn(x - 1, y), isIn(x + 1, y), isIn(x, y - 1), isIn(x, y + 1)].includes(false);
      if (isEdge && isIn(x, y)) edge.push([x, y]);
    }
  }
  const reach = (radius * FINE + 0.5) ** 2;
  const isNear = (x: number, y: number) => edge.some(([left, top]) => (left - x) ** 2 + (top - y) ** 2 <= reach);
  const shift = radius * FINE;
  return {
    mask: coverageOf(SIDE, isIn),
    expected: coverageOf(SIDE + 2 * radius, (x, y) => isIn(x - shift, y - shift) || isNear(x - shift, y - shift)),
  };
}

describe('a dilated mask', () => {
  test.each([1, 2, 7])('of one pixel is a disc of radius %i with a soft edge', (radius) => {
    const side = 2 * radius + 1;
    const disc = dilate(Uint8Array.of(255), { width: 1, height: 1 }, radius);
    expect(disc).toHaveLength(side * side);
    for (let y = 0; y < side; y++) {
      for (let x = 0; x < side; x++) {
        const covered = Math.max(0, Math.min(1, radius + 1 - Math.hypot(x - radius, y - radius)));
        expect(Math.abs((disc[y * side + x] as number) - 255 * covered), `${x},${y}`).toBeLessThanOrEqual(1);
      }
    }
  });

  test('grows by the share of a partly covered pixel', () => {
    const row = dilate(Uint8Array.of(255, 64), { width: 2, height: 1 }, 3);
    expect([...row.subarray(3 * 8, 4 * 8)]).toEqual([255, 255, 255, 255, 255, 255, 255, 64]);
  });

  test('of nothing is nothing', () => {
    expect(dilate(new Uint8Array(12), { width: 4, height: 3 }, 2).every((share) => share === 0)).toBe(true);
  });

  test.each([
    ['a level bar', bar(0, 5.3)],
    ['a nearly level bar', bar(7, 6)],
    ['a slanting bar', bar(45, 6)],
    ['a hairline', bar(27, 1)],
    ['a ring', ring],
  ] as const)(
    'has the smooth edges of the shape itself: %s',
    (_name, shape) => {
      for (const radius of [1, 3, 8]) {
        const { mask, expected } = dilatedShape(shape, radius);
        const found = dilate(mask, { width: SIDE, height: SIDE }, radius);
        const errors = [...found.keys()]
          .map((at) => Math.abs((found[at] as number) - (expected[at] as number)))
          .filter((error, at) => error > 0 || ((expected[at] as number) > 0 && (expected[at] as number) < 255));
        const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
        // In parts of a pixel: a sixth in the mean, and six tenths at the corners of hairlines.
        expect([radius, mean < 255 / 6, Math.max(...errors) < 255 * 0.6]).toEqual([radius, true, true]);
      }
    },
    60_000,
  );
});

test('dilating takes the same time for any radius', () => {
  const size = { width: 1500, height: 150 };
  const mask = Uint8Array.from({ length: size.width * size.height }, (_, at) => (at % 7 < 3 ? 255 : 0));
  const timeOf = (radius: number) => {
    const runs = Array.from({ length: 5 }, () => {
      const start = process.cpuUsage();
      const { length } = dilate(mask, size, radius);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / length;
    });
    return Math.min(...runs);
  };
  // Per pixel of the result. With a time that grows with the radius it would be sixteen times, with its square 256
  // times.
  expect(timeOf(80) / timeOf(5)).toBeLessThan(4);
});
