import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planVideoLayout } from './geometry.ts';

const HD = { width: 1920, height: 1080 };

describe('sizes of a transcode', () => {
  test.each([
    ['nothing asked', {}, HD, HD],
    ['one side', { width: 640 }, HD, { width: 640, height: 360 }],
    ['the other side', { height: 360 }, HD, { width: 640, height: 360 }],
    ['an odd side is rounded', { width: 321 }, HD, { width: 322, height: 180 }],
    ['fill', { width: 300, height: 300 }, HD, { width: 300, height: 300 }],
    ['fill enlarges', { width: 4000, height: 100 }, HD, { width: 4000, height: 100 }],
    ['scale', { width: 300, height: 300, crop: 'scale' as const }, HD, { width: 300, height: 300 }],
    ['pad', { width: 300, height: 300, crop: 'pad' as const }, HD, { width: 300, height: 300 }],
    ['fit', { width: 300, height: 300, crop: 'fit' as const }, HD, { width: 300, height: 168 }],
    ['fit never enlarges', { width: 5000, height: 5000, crop: 'fit' as const }, HD, HD],
    ['fit with one side', { width: 5000, crop: 'fit' as const }, HD, HD],
    ['an odd source loses a row and a column', {}, { width: 161, height: 91 }, { width: 160, height: 90 }],
    ['one pixel', {}, { width: 1, height: 1 }, { width: 2, height: 2 }],
  ])('%s', (_name, box, source, expected) => {
    const { width, height } = planVideoLayout(source, box).output;
    expect({ width, height }).toEqual(expected);
  });

  test('every layout is even and consistent, for any request', () => {
    const side = fc.integer({ min: 1, max: 8192 });
    const crop = fc.constantFrom('fill' as const, 'fit' as const, 'scale' as const, 'pad' as const);
    const sides = fc.record({
      width: fc.option(side, { nil: undefined }),
      height: fc.option(side, { nil: undefined }),
      crop,
    });
    fc.assert(
      fc.property(side, side, sides, (width, height, box) => {
        const { window, output, offset, scaled } = planVideoLayout({ width, height }, box);
        for (const value of [window.left, window.top, window.width, window.height, output.width, output.height]) {
          expect(value % 2).toBe(0);
        }
        expect(Math.min(output.width, output.height)).toBeGreaterThanOrEqual(2);
        expect(window.width + offset.left).toBeLessThanOrEqual(output.width);
        expect(window.height + offset.top).toBeLessThanOrEqual(output.height);
        expect(window.left + window.width).toBeLessThanOrEqual(Math.max(2, scaled.width));
        expect(window.top + window.height).toBeLessThanOrEqual(Math.max(2, scaled.height));
        if (box.crop === 'fit' && box.width) expect(output.width).toBeLessThanOrEqual(Math.max(2, box.width));
      }),
    );
  });
});
