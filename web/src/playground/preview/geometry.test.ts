import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Box,
  boxBetween,
  fitRatio,
  formatPoint,
  formatRegion,
  formatShare,
  HANDLES,
  moveBox,
  parsePoint,
  parseRegion,
  resizeBox,
  WHOLE,
} from './geometry.ts';

const SIZE = { width: 800, height: 400 };
const share = fc.double({ min: 0, max: 1, noNaN: true });
const boxes = fc
  .tuple(share, share, fc.double({ min: 0.02, max: 1, noNaN: true }), fc.double({ min: 0.02, max: 1, noNaN: true }))
  .map(([x, y, width, height]): Box => ({ x: x * (1 - width), y: y * (1 - height), width, height }));
const isInside = ({ x, y, width, height }: Box) =>
  x >= 0 && y >= 0 && x + width <= 1 + 1e-9 && y + height <= 1 + 1e-9 && width > 0 && height > 0;

describe('a region', () => {
  test('is read in pixels and in shares, and ends at the edges of the image', () => {
    expect(parseRegion('200:100:400:200', SIZE)).toEqual({ x: 0.25, y: 0.25, width: 0.5, height: 0.5 });
    expect(parseRegion('0.25:0.0:0.5:1.0', SIZE)).toEqual({ x: 0.25, y: 0, width: 0.5, height: 1 });
    expect(parseRegion('600:0:900:400', SIZE)).toEqual({ x: 0.75, y: 0, width: 0.25, height: 1 });
    for (const value of ['', '1:2:3', '0:0:0:10', 'a:b:c:d', '900:0:10:10'])
      expect(parseRegion(value, SIZE)).toBeUndefined();
  });

  test('is written in shares with a decimal point, and not at all for the whole image', () => {
    expect(formatRegion({ x: 0.25, y: 0, width: 1 / 3, height: 1 })).toBe('0.25:0.0:0.3333:1.0');
    expect(formatRegion(WHOLE)).toBe('');
    expect(formatShare(1)).toBe('1.0');
  });

  test('stays within the image, however it is moved and resized', () => {
    const steps = fc.double({ min: -2, max: 2, noNaN: true });
    fc.assert(
      fc.property(boxes, steps, steps, fc.constantFrom(...HANDLES), (box, x, y, handle) => {
        expect(isInside(moveBox(box, x, y))).toBe(true);
        expect(isInside(resizeBox(box, handle, { x, y }))).toBe(true);
      }),
    );
  });

  test('keeps a locked ratio within the image', () => {
    const locks = fc.constantFrom(0.5, 1, 2, 16 / 9);
    const steps = fc.double({ min: -2, max: 2, noNaN: true });
    fc.assert(
      fc.property(boxes, steps, steps, fc.constantFrom(...HANDLES), locks, (box, x, y, handle, lock) => {
        const next = resizeBox(fitRatio(box, lock), handle, { x, y }, lock);
        expect(isInside(next)).toBe(true);
        expect(next.width / next.height).toBeCloseTo(lock, 5);
      }),
      { examples: [[{ x: 0, y: 0, width: 0.09146857283749878, height: 0.05145107222109306 }, 0, 0, 'w', 16 / 9]] },
    );
  });

  test('is drawn between two points, in any direction', () => {
    const box = { x: 0.2, y: 0.3, width: 0.4, height: 0.5 };
    for (const [from, to] of [
      [
        { x: 0.2, y: 0.3 },
        { x: 0.6, y: 0.8 },
      ],
      [
        { x: 0.6, y: 0.8 },
        { x: 0.2, y: 0.3 },
      ],
    ] as const)
      for (const [side, value] of Object.entries(boxBetween(from, to)))
        expect(value).toBeCloseTo(box[side as keyof Box], 9);
  });
});

test('a point is read and written', () => {
  expect(parsePoint('fp:0.25:1')).toEqual({ x: 0.25, y: 1 });
  expect(parsePoint('face')).toBeUndefined();
  expect(parsePoint('fp:2:1')).toBeUndefined();
  expect(formatPoint({ x: 0.25, y: 1 })).toBe('fp:0.25:1.0');
});
