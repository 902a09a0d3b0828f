import { describe, expect, test } from 'vitest';
import { drawFinely } from './drawing.ts';

/** A page that takes a time of its own, and more for each pixel. */
function pageOf(fixedMs: number, pixelMs: number) {
  let now = 0;
  const widths: number[] = [];
  const draw = async ({ width, height }: { width: number; height: number }) => {
    widths.push(width);
    now += fixedMs + width * height * pixelMs;
    return { data: new Uint8Array(), width, height, channels: 3 } as const;
  };
  return { draw, now: () => now, widths };
}

const SIZE = { width: 10, height: 10 };

describe('a page is drawn as finely as there is time for', () => {
  test.each([
    ['a light one finest at once', 1, 0, [10, 40]],
    ['a heavy one as it is', 0, 10, [10]],
    ['one that fits nearly', 0, 1, [10, 30]],
    ['one that takes long at any size as it is', 999, 0, [10]],
    ['one of which more fits than it seemed', 90, 0.01, [10, 30, 40]],
    ['one that takes no time finest', 0, 0, [10, 40]],
  ])('%s', async (_what, fixedMs, pixelMs, expected) => {
    const { draw, now, widths } = pageOf(fixedMs, pixelMs);
    const { pixels, times } = await drawFinely(draw, SIZE, { times: 4, forMs: 1000 }, now);
    expect([widths, pixels.width, times]).toEqual([expected, expected.at(-1), (expected.at(-1) ?? 0) / 10]);
  });

  test.each([0.1, 1, 10, 100])('which all drawings but the first keep to: %s ms for a pixel', async (pixelMs) => {
    for (const fixedMs of [0, 10, 100, 500]) {
      const { draw, now } = pageOf(fixedMs, pixelMs);
      await drawFinely(draw, SIZE, { times: 50, forMs: 1000 }, now);
      expect(now() - fixedMs - 100 * pixelMs).toBeLessThanOrEqual(1000);
    }
  });

  test('and never finer than wanted', async () => {
    const { draw, now, widths } = pageOf(0, 0);
    await drawFinely(draw, SIZE, { times: 1, forMs: 1000 }, now);
    expect(widths).toEqual([10]);
  });
});
