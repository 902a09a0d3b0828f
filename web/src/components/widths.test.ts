import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { widthsOf } from './widths.ts';

describe('the widths of code', () => {
  test.each([
    [6000, undefined, [320, 640, 960, 1280, 1600, 2048]],
    [6000, 800, [320, 640, 800, 960, 1280, 1600, 2048]],
    [6000, 1500, [320, 640, 960, 1280, 1500, 2048, 3000]],
    [Number.POSITIVE_INFINITY, 300, [300, 600, 960, 1280, 1600, 2048]],
    [1200, 800, [320, 640, 800, 960, 1200]],
    [1000, undefined, [320, 640, 1000]],
    [800, 800, [320, 640, 800]],
    [810, 800, [320, 640, 800]],
    [500, 800, [320, 500]],
    [64, undefined, [64]],
  ])('of an image with %s pixels, displayed in %s, are %j', (largest, displayed, widths) => {
    expect(widthsOf(largest, displayed)).toEqual(widths);
  });

  test('have the displayed one and twice that, ascend, are no near-doubles, and end at the original', () => {
    const whole = fc.integer({ min: 1, max: 12_000 });
    fc.assert(
      fc.property(whole, fc.option(whole, { nil: undefined }), (largest, displayed) => {
        const widths = widthsOf(largest, displayed);
        expect(widths.length).toBeGreaterThan(0);
        expect(widths.at(-1)).toBeLessThanOrEqual(largest);
        for (const [index, width] of widths.entries())
          if (index > 0) expect(width / (widths[index - 1] ?? 0)).toBeGreaterThanOrEqual(1.1);
        for (const needed of displayed ? [displayed, 2 * displayed] : [])
          expect(widths.includes(needed)).toBe(needed <= largest);
      }),
    );
  });
});
