import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStudio, painted, type Studio } from '../../../test/pictures/studio.ts';
import { type GeometryRequest, placeAt, planLayout, type Rectangle } from '../layout/geometry.ts';
import { planCut } from './crop.ts';

let studio: Studio;

beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const SIDES = Array.from({ length: 12 }, (_, index) => index + 1);
const BOXES = [1, 2, 3, 5, 7, 10, 16, 33, 100, 101].flatMap((width) =>
  [1, 2, 3, 5, 7, 10, 16, 33, 100, 101].map((height) => ({ width, height })),
);
const REQUESTS: Partial<GeometryRequest>[] = [...BOXES, ...[0.3, 1, 1.6].map((aspectRatio) => ({ aspectRatio }))];

/** Distance of the middle of an axis from its expected position, in pixels of the result. */
function offMiddle(
  source: { start: number; length: number },
  scaled: number,
  window: { start: number; length: number },
  wanted: number,
) {
  const scale = scaled / source.length;
  return window.start + window.length / 2 - (wanted - source.start) * scale;
}

function contains(outer: Rectangle, inner: Rectangle): boolean {
  const isAcross = inner.left >= outer.left && inner.left + inner.width <= outer.left + outer.width;
  return isAcross && inner.top >= outer.top && inner.top + inner.height <= outer.top + outer.height;
}

describe('a crop of a tiny picture', () => {
  test.each([
    ['in the middle', 0.5],
    ['at the start', 0],
    ['at the end', 1],
    ['at a third', 1 / 3],
  ])('%s is there to within half a pixel of the result, for every size up to 12 by 12', (_where, fraction) => {
    const worst = { off: 0, of: '' };
    const outside: string[] = [];
    for (const width of SIDES) {
      for (const height of SIDES) {
        for (const request of REQUESTS) {
          const layout = planLayout(
            { width, height },
            { crop: 'fill', angle: 0, ...request },
            placeAt(fraction, fraction),
          );
          const { source, scaled, window } = planCut(layout);
          const { content } = layout;
          const ratio = request.aspectRatio ?? Number(request.width) / Number(request.height);
          const keptWidth = Math.min(width, height * ratio);
          const keptHeight = Math.min(height, width / ratio);
          const middles = [
            keptWidth / 2 + (width - keptWidth) * fraction,
            keptHeight / 2 + (height - keptHeight) * fraction,
          ] as const;
          const across = offMiddle(
            { start: source.left, length: source.width },
            scaled.width,
            { start: window.left, length: content.width },
            middles[0],
          );
          const down = offMiddle(
            { start: source.top, length: source.height },
            scaled.height,
            { start: window.top, length: content.height },
            middles[1],
          );
          const off = Math.max(Math.abs(across), Math.abs(down));
          if (off > worst.off) Object.assign(worst, { off, of: JSON.stringify({ width, height, ...request }) });
          const isInside =
            contains({ left: 0, top: 0, width, height }, source) && contains({ left: 0, top: 0, ...scaled }, window);
          if (!isInside) outside.push(JSON.stringify({ width, height, ...request }));
        }
      }
    }
    expect(outside).toEqual([]);
    expect(worst.off, worst.of).toBeLessThanOrEqual(0.5 + 1e-9);
  });

  test('shows the same from both sides: of a ramp the middle is the middle grey', async () => {
    const off: string[] = [];
    for (const length of [2, 3, 4, 5, 6, 7, 9, 12]) {
      const ramp = painted(length, length, (x, y) => {
        const level = (at: number) => Math.round(20 + (at * 215) / (length - 1));
        return [level(x), level(y), 0, 255];
      });
      const input = await studio.keep(`ramp-${length}`, await ramp.png().toBuffer());
      for (const [width, height] of [
        [80, 10],
        [10, 80],
        [60, 40],
        [40, 60],
        [80, 78],
      ] as const) {
        const shown = await studio.render(input, `w_${width},h_${height},c_fill`);
        const x = width / 2;
        const y = height / 2;
        const middle = [shown.pixel(x - 1, y - 1), shown.pixel(x, y - 1), shown.pixel(x - 1, y), shown.pixel(x, y)];
        for (const channel of [0, 1] as const) {
          const grey = middle.reduce((sum, pixel) => sum + pixel[channel], 0) / 4;
          // Half a pixel of the result is at most this part of the ramp.
          const step = 215 / (length - 1) / (Math.max(width, height) / length);
          if (Math.abs(grey - 127.5) > step) off.push(`${length} to ${width}x${height}: ${grey}, ${step}`);
        }
      }
    }
    expect(off).toEqual([]);
  });
});
