import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStudio, painted, type Studio, solid } from '../../../../test/pictures/studio.ts';
import { brightnessAt } from './vignette.ts';

let studio: Studio;
let edge: string;
let ramp: string;
let clear: string;
beforeAll(async () => {
  studio = await openStudio();
  edge = await studio.keep(
    'edge',
    await painted(80, 40, (x) => (x < 40 ? [0, 0, 0, 255] : [255, 255, 255, 255]))
      .png()
      .toBuffer(),
  );
  ramp = await studio.keep(
    'ramp',
    await painted(50, 30, (x, y) => [x * 5, y * 8, 100, 255])
      .png()
      .toBuffer(),
  );
  clear = await studio.keep(
    'clear',
    await painted(40, 40, (x) => [255, 0, 0, x < 20 ? 255 : 0])
      .png()
      .toBuffer(),
  );
});
afterAll(() => studio.close());

describe('blur', () => {
  test('is the Gaussian of its sigma, in pixels of the result', async () => {
    for (const sigma of [1, 3, 5]) {
      const { pixel } = await studio.render(edge, `e_blur:${sigma}`);
      // An edge becomes the error function, which is 16 % and 84 % at one sigma.
      expect(pixel(39 - sigma, 20)[0] / 255).toBeCloseTo(0.16 - 0.12 / sigma, 1);
      expect(pixel(40 + sigma, 20)[0] / 255).toBeCloseTo(0.84 + 0.12 / sigma, 1);
      expect(Math.abs(pixel(39, 20)[0] + pixel(40, 20)[0] - 255)).toBeLessThanOrEqual(3);
    }
    const half = await studio.render(edge, 'w_40,e_blur:3');
    const whole = await studio.render(edge, 'e_blur:6');
    expect(Math.abs(half.pixel(16, 10)[0] - whole.pixel(33, 20)[0])).toBeLessThanOrEqual(4);
  });

  test('leaves bars as they are', async () => {
    const { pixel } = await studio.render(edge, 'w_80,h_80,c_pad,b_ff0000,e_blur:20');
    for (const y of [0, 19, 60, 79]) expect(pixel(40, y)).toEqual([255, 0, 0, 255]);
    expect(pixel(40, 20)[1]).toBeGreaterThan(60);
  });

  test('does not pull the colour of transparent pixels in', async () => {
    const { pixel } = await studio.render(clear, 'e_blur:4');
    for (let x = 0; x < 40; x++) {
      const [red, green, blue, alpha] = pixel(x, 20);
      if (alpha > 8) expect([red > 240, green < 8, blue < 8], `at ${x}`).toEqual([true, true, true]);
    }
    expect(pixel(20, 20)[3]).toBeGreaterThan(90);
    expect(pixel(20, 20)[3]).toBeLessThan(165);
  });
});

describe('pixelate', () => {
  test('gives each square the mean of its pixels, and cuts the last ones', async () => {
    const before = await studio.render(ramp, '');
    const after = await studio.render(ramp, 'e_pixelate:8');
    expect([after.width, after.height]).toEqual([50, 30]);
    for (let top = 0; top < 30; top += 8) {
      for (let left = 0; left < 50; left += 8) {
        const right = Math.min(50, left + 8);
        const bottom = Math.min(30, top + 8);
        const sum = [0, 0, 0];
        for (let y = top; y < bottom; y++) {
          for (let x = left; x < right; x++)
            for (const channel of [0, 1, 2] as const) sum[channel] = (sum[channel] ?? 0) + before.pixel(x, y)[channel];
        }
        const mean = sum.map((one) => Math.round(one / ((right - left) * (bottom - top))));
        for (const [x, y] of [
          [left, top],
          [right - 1, bottom - 1],
        ] as const)
          expect(after.pixel(x, y).slice(0, 3)).toEqual(mean);
      }
    }
  });

  test('gives transparent pixels no say in the colour', async () => {
    const { pixel } = await studio.render(clear, 'e_pixelate:16');
    expect(pixel(20, 5)).toEqual([255, 0, 0, 64]);
    expect(pixel(35, 5)[3]).toBe(0);
  });
});

describe('sharpen', () => {
  test('adds what sets a pixel apart from its neighbours, and leaves what is flat', async () => {
    const step = await studio.keep(
      'step',
      await painted(40, 40, (x) => (x < 20 ? [100, 100, 100, 255] : [140, 140, 140, 255]))
        .png()
        .toBuffer(),
    );
    const { pixel } = await studio.render(step, 'e_sharpen:2');
    // Beside the edge the mean of the neighbours is a quarter of the step away.
    expect(Math.abs(pixel(19, 20)[0] - 80)).toBeLessThanOrEqual(1);
    expect(Math.abs(pixel(20, 20)[0] - 160)).toBeLessThanOrEqual(1);
    for (const x of [0, 10, 18]) expect(pixel(x, 20)[0]).toBe(100);
    for (const x of [21, 30, 39]) expect(pixel(x, 20)[0]).toBe(140);
  });
});

describe('vignette', () => {
  test('darkens from the middle to the corners, by so much there', async () => {
    const grey = await studio.keep('grey', await solid(201, 101, [200, 200, 200, 255]).png().toBuffer());
    const { pixel } = await studio.render(grey, 'e_vignette:60');
    expect(pixel(100, 50)).toEqual([200, 200, 200, 255]);
    for (const [x, y] of [
      [0, 0],
      [200, 0],
      [0, 100],
      [200, 100],
    ] as const) {
      expect(Math.abs(pixel(x, y)[0] - 80)).toBeLessThanOrEqual(2);
    }
    const across = (2 * 150.5) / 201 - 1;
    const down = (2 * 80.5) / 101 - 1;
    const expected = 200 * brightnessAt(Math.sqrt((across ** 2 + down ** 2) / 2), 0.6);
    expect(Math.abs(pixel(150, 80)[0] - expected)).toBeLessThanOrEqual(1);
    expect(brightnessAt(0.3, 0.6)).toBe(1);
  });
});

test.each([
  ['e_blur', 'e_blur:10'],
  ['e_pixelate', 'e_pixelate:16'],
  ['e_sharpen', 'e_sharpen:1'],
  ['e_vignette', 'e_vignette:50'],
])('%s alone is %s', async (alone, written) => {
  const one = await studio.render(ramp, alone);
  const other = await studio.render(ramp, written);
  for (let at = 0; at < 50 * 30; at++)
    expect(one.pixel(at % 50, Math.floor(at / 50))).toEqual(other.pixel(at % 50, Math.floor(at / 50)));
});

test.each(['jpeg', 'webp', 'avif', 'gif'] as const)('all effects at once give a picture in %s', async (format) => {
  const everything =
    'e_pixelate:3,e_blur:1,e_saturation:20,e_hue:10,e_sepia:30,e_tint:f80:20,e_brightness:5,e_contrast:5,e_sharpen,e_vignette';
  for (const input of [ramp, clear]) {
    const {
      width,
      height,
      format: got,
    } = await studio.render(input, `w_30,h_30,c_pad,b_336699,r_8,a_20,${everything}`, format);
    expect([width, height, got]).toEqual([30, 30, format === 'avif' ? 'heif' : format]);
  }
});
