import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStudio, type Pixel, painted, type Studio, solid } from '../../../test/pictures/studio.ts';

let studio: Studio;
let red: string;
let shade: string;

beforeAll(async () => {
  studio = await openStudio();
  red = await studio.keep('red', await solid(100, 50, [255, 0, 0, 255]).png().toBuffer());
  // From left to right: red, half red, nothing.
  const alphaAt = (x: number) => (x < 30 ? 255 : x < 60 ? 128 : 0);
  const image = painted(90, 30, (x) => [255, 0, 0, alphaAt(x)]);
  shade = await studio.keep('shade', await image.png().toBuffer());
});
afterAll(() => studio.close());

function expectNear(found: Pixel, expected: Pixel, tolerance = 3): void {
  const off = Math.max(...found.map((value, index) => Math.abs(value - (expected[index] ?? 0))));
  expect(off, `${found} is not ${expected}`).toBeLessThanOrEqual(tolerance);
}

describe('a colour is written', () => {
  test.each<[string, Pixel]>([
    ['b_rgb:336699', [51, 102, 153, 255]],
    ['b_336699', [51, 102, 153, 255]],
    ['b_369', [51, 102, 153, 255]],
    ['b_rgb:369', [51, 102, 153, 255]],
    ['bg_336699', [51, 102, 153, 255]],
    ['b_AABBCC', [170, 187, 204, 255]],
    ['b_33669980', [51, 102, 153, 128]],
    ['b_336699ff', [51, 102, 153, 255]],
    ['b_white', [255, 255, 255, 255]],
    ['b_black', [0, 0, 0, 255]],
    ['b_transparent', [0, 0, 0, 0]],
    ['b_33669900', [51, 102, 153, 0]],
  ])('%s', async (background, expected) => {
    const bars = await studio.render(red, `w_100,h_100,c_pad,${background}`);
    const corners = await studio.render(red, `r_25,${background}`);
    const turned = await studio.render(red, `a_45,${background}`);
    for (const pixel of [bars.pixel(50, 5), corners.pixel(0, 0), turned.pixel(2, 2)]) {
      if (expected[3] === 0) expect(pixel[3]).toBe(0);
      else expectNear(pixel, expected, 2);
    }
    for (const shown of [bars, corners, turned]) {
      expect(shown.at(Math.floor(shown.width / 2), Math.floor(shown.height / 2))).toBe('red');
    }
  });
});

describe('a format without alpha shows', () => {
  test.each<[string, Pixel, Pixel]>([
    ['', [255, 127, 127, 255], [255, 255, 255, 255]],
    ['b_white', [255, 127, 127, 255], [255, 255, 255, 255]],
    ['b_00f', [128, 0, 127, 255], [0, 0, 255, 255]],
    ['b_000', [128, 0, 0, 255], [0, 0, 0, 255]],
    ['b_0000ff80', [191, 64, 127, 255], [127, 127, 255, 255]],
    ['b_transparent', [255, 127, 127, 255], [255, 255, 255, 255]],
  ])('transparent pixels on "%s", or on white', async (segment, half, clear) => {
    for (const wanted of [segment, `${segment},w_180`, `${segment},a_90,a_180`]) {
      const { width, pixel } = await studio.render(shade, wanted, 'jpeg');
      const columns = [0.16, 0.5, 0.84].map((share) =>
        Math.floor(width * (wanted.includes('a_180') ? 1 - share : share)),
      );
      const [full, middle, empty] = columns.map((x) => pixel(x, 15)) as [Pixel, Pixel, Pixel];
      expectNear(full, [255, 0, 0, 255], 6);
      expectNear(middle, half, 6);
      expectNear(empty, clear, 6);
    }
  });

  test.each<[string, Pixel]>([
    ['b_0000ff80', [127, 127, 255, 255]],
    ['b_transparent', [255, 255, 255, 255]],
    ['b_00f', [0, 0, 255, 255]],
  ])('bars, cut corners and the corners of a turned picture in %s laid on white', async (background, expected) => {
    for (const segment of ['w_100,h_100,c_pad', 'r_25', 'a_45', 'a_45,r_25', 'a_45,w_60,h_30,c_pad']) {
      const { pixel } = await studio.render(red, `${segment},${background}`, 'jpeg');
      expectNear(pixel(1, 1), expected, 8);
    }
  });

  test('no dark seam between a smooth edge and its ground', async () => {
    const { width, pixel } = await studio.render(shade, 'w_300,b_f00', 'jpeg');
    for (let x = 0; x < width; x++) expectNear(pixel(x, 50), [255, 0, 0, 255], 6);
  });
});

describe('alpha is kept', () => {
  test.each(['png', 'webp', 'avif'] as const)('in %s', async (format) => {
    const { hasAlpha, pixel } = await studio.render(shade, 'w_180', format);
    expect(hasAlpha).toBe(true);
    expectNear(pixel(10, 20), [255, 0, 0, 255], 6);
    expectNear(pixel(90, 20), [255, 0, 0, 128], 6);
    expect(pixel(170, 20)[3]).toBeLessThanOrEqual(3);
  });

  test('in GIF as far as possible: opaque or clear', async () => {
    const { pixel } = await studio.render(shade, '', 'gif');
    expectNear(pixel(10, 20), [255, 0, 0, 255], 6);
    expect(pixel(80, 20)[3]).toBe(0);
  });

  test('under a given b too, where the format has alpha', async () => {
    const { pixel } = await studio.render(shade, 'b_00f');
    expect(pixel(80, 20)[3]).toBe(0);
    expectNear(pixel(45, 20), [255, 0, 0, 128]);
  });

  test('and the edge of transparent pixels does not darken when it is scaled', async () => {
    const edge = await studio.keep(
      'edge',
      await painted(64, 64, (x) => [255, 0, 0, x < 31 ? 255 : 0])
        .png()
        .toBuffer(),
    );
    const { width, pixel } = await studio.render(edge, 'w_20');
    for (let x = 0; x < width; x++) {
      const [r, g, b, alpha] = pixel(x, 10);
      if (alpha > 16) expectNear([r, g, b, 255], [255, 0, 0, 255], 6);
    }
  });
});
