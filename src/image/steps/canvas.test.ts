import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStudio, type Pixel, painted, type Studio, solid } from '../../../test/pictures/studio.ts';

let studio: Studio;
let red: string;
let clear: string;
let grey: string;
let halves: string;
beforeAll(async () => {
  studio = await openStudio();
  red = await studio.keep('red', await solid(60, 40, [255, 0, 0, 255]).png().toBuffer());
  clear = await studio.keep('clear', await solid(60, 40, [0, 0, 0, 0]).png().toBuffer());
  const plain = sharp(Buffer.alloc(60 * 40, 128), { raw: { width: 60, height: 40, channels: 1 } });
  grey = await studio.keep('grey', await plain.toColourspace('b-w').png().toBuffer());
  const sides = painted(200, 100, (x) => (x < 100 ? [255, 0, 0, 255] : [0, 0, 255, 255]));
  halves = await studio.keep('halves', await sides.png().toBuffer());
});
afterAll(() => studio.close());

const near = (found: Pixel, expected: Pixel, tolerance: number) =>
  Math.max(...found.map((value, index) => Math.abs(value - (expected[index] ?? 0)))) <= tolerance;

describe('a border', () => {
  test('lies within the edges, exactly as wide as it is asked for', async () => {
    for (const input of [red, clear, grey]) {
      const { width, height, at } = await studio.render(input, 'bo_5:0f0');
      const before = await studio.render(input, '');
      expect([width, height]).toEqual([60, 40]);
      for (const [x, y] of [
        [0, 0],
        [4, 20],
        [55, 20],
        [30, 4],
        [30, 35],
        [59, 39],
      ] as const)
        expect(at(x, y)).toBe('green');
      for (const [x, y] of [
        [5, 5],
        [54, 5],
        [5, 34],
        [54, 34],
        [30, 20],
      ] as const)
        expect(at(x, y)).toBe(before.at(x, y));
    }
  });

  test('lies around bars and padding too', async () => {
    const { at } = await studio.render(red, 'w_80,h_80,c_pad,b_00f,bo_3:0f0');
    expect([at(40, 2), at(40, 3), at(40, 40)]).toEqual(['green', 'blue', 'red']);
  });

  test('follows rounded corners, with the radius less its width within', async () => {
    const { pixel, at } = await studio.render(red, 'r_20,bo_6:0f0');
    expect(at(0, 0)).toBe('transparent');
    // On the diagonal, the outer edge is 20 - 20 / sqrt(2) from the corner, the inner one 6 more along it.
    const outer = 20 - 20 / Math.SQRT2;
    const inner = 20 - 14 / Math.SQRT2;
    for (let n = 0; n < 20; n++) {
      const middle = n + 0.5;
      const expected =
        middle < outer - 1
          ? 'transparent'
          : middle > outer + 1 && middle < inner - 1
            ? 'green'
            : middle > inner + 1
              ? 'red'
              : undefined;
      if (expected) expect(at(n, n), `at ${n}`).toBe(expected);
      // No seam: where the corner is not cut, every pixel is a mixture of red and green alone.
      const [r, g, b, alpha] = pixel(n, n);
      if (alpha > 0) expect([b, Math.abs(r + g - 255) <= 2]).toEqual([0, true]);
    }
    const filled = await studio.render(red, 'r_20,bo_6:0f0,b_00f');
    expect([filled.at(0, 0), filled.at(8, 8), filled.at(20, 20)]).toEqual(['blue', 'green', 'red']);
  });

  test('of half the picture or more is all of it, and may be translucent', async () => {
    expect((await studio.render(red, 'bo_20:0f0')).at(30, 20)).toBe('green');
    expect((await studio.render(red, 'bo_200:0f0,r_max')).at(30, 20)).toBe('green');
    const { pixel } = await studio.render(red, 'bo_5:00ff0080');
    expect(near(pixel(1, 1), [127, 128, 0, 255], 1)).toBe(true);
    const over = await studio.render(clear, 'bo_5:00ff0080');
    expect(over.pixel(1, 1)).toEqual([0, 255, 0, 128]);
  });
});

describe('opacity', () => {
  test('is that of everything, bars and borders too', async () => {
    const { pixel } = await studio.render(red, 'w_80,h_80,c_pad,b_00f,bo_3:0f0,o_40');
    expect(pixel(40, 1)).toEqual([0, 255, 0, 102]);
    expect(pixel(40, 6)).toEqual([0, 0, 255, 102]);
    expect(pixel(40, 40)).toEqual([255, 0, 0, 102]);
    const half = await studio.keep('half', await solid(10, 10, [255, 0, 0, 128]).png().toBuffer());
    expect((await studio.render(half, 'o_50')).pixel(5, 5)).toEqual([255, 0, 0, 64]);
    expect((await studio.render(red, 'o_0')).at(5, 5)).toBe('transparent');
  });

  test('in a format without alpha lets the ground through, which is white or b', async () => {
    expect(near((await studio.render(red, 'o_50', 'jpeg')).pixel(30, 20), [255, 127, 127, 255], 3)).toBe(true);
    expect(near((await studio.render(red, 'o_50,b_00f', 'jpeg')).pixel(30, 20), [127, 0, 128, 255], 4)).toBe(true);
    expect((await studio.render(red, 'o_50', 'jpeg')).hasAlpha).toBe(false);
    expect((await studio.render(red, 'o_50', 'fallback')).format).toBe('png');
  });
});

describe('bars that are the picture, blurred', () => {
  test('cover the result with it, and leave the picture as it is', async () => {
    const { width, height, pixel, at } = await studio.render(halves, 'w_200,h_200,c_pad,b_blur');
    expect([width, height]).toEqual([200, 200]);
    for (const y of [50, 100, 149]) expect([at(60, y), at(140, y)]).toEqual(['red', 'blue']);
    for (const y of [0, 25, 49, 150, 199]) {
      expect(near(pixel(5, y), [255, 0, 0, 255], 12), `left ${pixel(5, y)}`).toBe(true);
      expect(near(pixel(194, y), [0, 0, 255, 255], 12), `right ${pixel(194, y)}`).toBe(true);
      expect(near(pixel(100, y), [128, 0, 128, 255], 40), `middle ${pixel(100, y)}`).toBe(true);
    }
  });

  test('fill padding as well, in every format, grey and transparent pictures too', async () => {
    for (const format of ['jpeg', 'webp', 'png'] as const) {
      for (const input of [red, grey]) {
        const shown = await studio.render(input, 'pd_20,b_blur:5', format);
        const inside = shown.pixel(50, 40);
        const outside = shown.pixel(3, 3);
        expect([shown.width, shown.height, near(inside, outside, 6)]).toEqual([100, 80, true]);
      }
      const shown = await studio.render(clear, 'pd_20,b_blur:5', format);
      expect(shown.at(3, 3)).toBe(format === 'jpeg' ? 'white' : 'transparent');
    }
  });

  test('do nothing where there are none, and the corners of a turned picture stay white', async () => {
    expect((await studio.render(red, 'w_30,b_blur')).at(1, 1)).toBe('red');
    expect((await studio.render(red, 'a_45,w_80,b_blur', 'jpeg')).at(2, 2)).toBe('white');
  });
});

test('flat bars stay flat beside every effect', async () => {
  const all = 'e_pixelate:7,e_blur:9,e_hue:40,e_contrast:30,e_sharpen:3,e_vignette';
  const { pixel } = await studio.render(halves, `w_200,h_200,c_pad,b_123456,${all}`);
  for (const [x, y] of [
    [0, 0],
    [100, 49],
    [199, 150],
    [50, 199],
  ] as const)
    expect(pixel(x, y)).toEqual([0x12, 0x34, 0x56, 255]);
});
