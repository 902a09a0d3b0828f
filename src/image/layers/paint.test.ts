import { describe, expect, test } from 'vitest';
import type { HeldImage } from '../step.ts';
import { BLEND_MODES, BLENDS } from './blend-modes.ts';
import { paintOver } from './paint.ts';

/** Levels of both images, and how opaque they are. */
const LEVELS = [0, 1, 17, 63, 64, 127, 128, 191, 200, 254, 255];
const ALPHAS = [0, 1, 100, 128, 254, 255];

/** One pixel for each pair of levels: the first down the rows, the second along them. */
function images(under: number, over: number, channels: 3 | 4): { canvas: HeldImage; image: HeldImage } {
  const side = LEVELS.length;
  const canvas = Buffer.alloc(side * side * channels);
  const image = Buffer.alloc(side * side * 4);
  LEVELS.forEach((below, y) => {
    LEVELS.forEach((above, x) => {
      const at = y * side + x;
      canvas.set([below, 255 - below, below, ...(channels === 4 ? [under] : [])], at * channels);
      image.set([above, above, 255 - above, over], at * 4);
    });
  });
  const size = { width: side, height: side };
  return { canvas: { ...size, channels, data: canvas }, image: { ...size, channels: 4, data: image } };
}

// Compositing and Blending, level 1: the formulas as the W3C writes them, on shares from 0 to 1.
const D = (b: number) => (b <= 0.25 ? ((16 * b - 12) * b + 4) * b : Math.sqrt(b));
const hard = (b: number, s: number) => (s <= 0.5 ? b * 2 * s : b + (2 * s - 1) - b * (2 * s - 1));
const FORMULAS: Record<string, (b: number, s: number) => number> = {
  normal: (_, s) => s,
  multiply: (b, s) => b * s,
  screen: (b, s) => 1 - (1 - b) * (1 - s),
  overlay: (b, s) => hard(s, b),
  darken: (b, s) => (b < s ? b : s),
  lighten: (b, s) => (b > s ? b : s),
  soft_light: (b, s) => (s <= 0.5 ? b - (1 - 2 * s) * b * (1 - b) : b + (2 * s - 1) * (D(b) - b)),
  hard_light: hard,
  difference: (b, s) => Math.max(b, s) - Math.min(b, s),
};

/** Expected value of one channel, premultiplied, and alpha. */
function composed(
  mode: string,
  [b, ab]: [number, number],
  [s, as]: [number, number],
): { value: number; alpha: number } {
  if (mode === 'mask') return { value: b * ab * as, alpha: ab * as };
  if (mode === 'behind') return { value: b * ab + s * as * (1 - ab), alpha: ab + as * (1 - ab) };
  const blended = (1 - ab) * s + ab * (FORMULAS[mode]?.(b, s) ?? Number.NaN);
  return { value: as * blended + (1 - as) * ab * b, alpha: as + ab * (1 - as) };
}

describe.each(BLEND_MODES)('%s meets its formula', (mode) => {
  test.each([1, 0.5, 0.13])('with an opacity of %s, on transparent and on opaque canvases', (opacity) => {
    for (const over of ALPHAS) {
      for (const under of ALPHAS) {
        const { canvas, image } = images(under, over, 4);
        const before = Buffer.from(canvas.data);
        paintOver(canvas, { image, at: { left: 0, top: 0 }, opacity, blend: mode });
        let worst = 0;
        for (let at = 0; at < before.length; at += 4) {
          for (let c = 0; c < 3; c++) {
            const b = (before[at + c] as number) / 255;
            const s = (image.data[at + c] as number) / 255;
            const wanted = composed(mode, [b, under / 255], [s, (over / 255) * opacity]);
            // Of a nearly transparent pixel the colour says little; what counts is what is seen of it.
            const seen = ((canvas.data[at + c] as number) / 255) * ((canvas.data[at + 3] as number) / 255);
            worst = Math.max(worst, Math.abs(seen - wanted.value) * 255);
            worst = Math.max(worst, Math.abs((canvas.data[at + 3] as number) - wanted.alpha * 255));
          }
        }
        expect(worst, `${under} under ${over}`).toBeLessThanOrEqual(1.01);
      }
    }
  });
});

test.each(BLEND_MODES.filter((mode) => mode in BLENDS))('%s meets its formula on a canvas without alpha', (mode) => {
  for (const over of ALPHAS) {
    const { canvas, image } = images(255, over, 3);
    const before = Buffer.from(canvas.data);
    paintOver(canvas, { image, at: { left: 0, top: 0 }, opacity: 1, blend: mode });
    for (let at = 0, from = 0; at < before.length; at += 3, from += 4) {
      for (let c = 0; c < 3; c++) {
        const b = (before[at + c] as number) / 255;
        const s = (image.data[from + c] as number) / 255;
        const { value } = composed(mode, [b, 1], [s, over / 255]);
        expect(Math.abs((canvas.data[at + c] as number) - value * 255)).toBeLessThanOrEqual(1.01);
      }
    }
  }
});

test('a canvas is as it was where a layer does not lie', () => {
  const { canvas, image } = images(128, 255, 4);
  const before = Buffer.from(canvas.data);
  paintOver(canvas, { image, at: { left: 5, top: -3 }, opacity: 1, blend: 'multiply' });
  for (let y = 0; y < canvas.height; y++) {
    for (let x = 0; x < canvas.width; x++) {
      const isUnder = x >= 5 && y < canvas.height - 3;
      const at = (y * canvas.width + x) * 4;
      if (!isUnder) expect(canvas.data.subarray(at, at + 4)).toEqual(before.subarray(at, at + 4));
    }
  }
});
