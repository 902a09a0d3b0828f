import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStudio, type Pixel, painted, type Studio } from '../../../test/pictures/studio.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const WHITE: Pixel = [255, 255, 255, 255];

/** Four quarters of one colour each, 40 x 20, from the top left: red, green, blue, black. */
function quarters(x: number, y: number): Pixel {
  if (y < 10) return x < 20 ? [255, 0, 0, 255] : [0, 255, 0, 255];
  return x < 20 ? [0, 0, 255, 255] : [0, 0, 0, 255];
}

/** The quarters at 10, 30 within a border, 80 x 90. */
function framed(border: (x: number, y: number) => Pixel) {
  const isIn = (x: number, y: number) => x >= 10 && x < 50 && y >= 30 && y < 50;
  return painted(80, 90, (x, y) => (isIn(x, y) ? quarters(x - 10, y - 30) : border(x, y)));
}

const keep = async (name: string, border: (x: number, y: number) => Pixel) =>
  studio.keep(name, await framed(border).png().toBuffer());

/** Off white by up to 20 of 255 levels, never at the corner. */
const noisy = (x: number, y: number): Pixel => {
  const level = 255 - ((x * 7 + y * 13) % 21);
  return [level, 255, level, 255];
};

describe('tr', () => {
  test.each([
    ['of one colour', () => WHITE, 'tr'],
    ['that is transparent, whatever its hidden colours', (x: number) => [x, 2 * x, 90, 0] as Pixel, 'tr'],
    ['that is noisy within the tolerance', noisy, 'tr_10'],
  ] as const)('cuts off a border %s, to the pixel', async (_name, border, segment) => {
    const { width, height, corners } = await studio.render(await keep('framed', border), segment);
    expect([width, height]).toEqual([40, 20]);
    expect(corners()).toEqual(['red', 'green', 'black', 'blue']);
  });

  test('keeps what is farther from the border than the tolerance', async () => {
    const { width, height } = await studio.render(await keep('noisy', noisy), 'tr_5');
    expect(width).toBeGreaterThan(70);
    expect(height).toBeGreaterThan(80);
  });

  test.each([
    ['tr,a_90', 20, 40, ['blue', 'red', 'green', 'black']],
    ['tr,a_180', 40, 20, ['black', 'blue', 'red', 'green']],
    ['tr,a_hflip', 40, 20, ['green', 'red', 'blue', 'black']],
    ['tr,a_vflip.90', 20, 40, ['red', 'blue', 'black', 'green']],
    ['tr,rg_0.5:0.5:0.5:0.5', 20, 10, ['black', 'black', 'black', 'black']],
    ['tr,rg_0:0:10:10', 10, 10, ['red', 'red', 'red', 'red']],
    ['tr,w_20,h_20,g_east', 20, 20, ['green', 'green', 'black', 'black']],
    ['tr,w_10,h_10,g_fp:0.2:0.4', 10, 10, ['red', 'red', 'blue', 'blue']],
    ['tr,w_20,h_20,c_pad,b_ffff00', 20, 20, ['yellow', 'yellow', 'yellow', 'yellow']],
  ] as const)('comes before everything else: %s', async (segment, width, height, corners) => {
    const shown = await studio.render(await keep('framed', () => WHITE), segment);
    expect([shown.width, shown.height]).toEqual([width, height]);
    expect(shown.corners()).toEqual(corners);
  });

  test('leaves no border where the picture is turned by any angle', async () => {
    const input = await keep('framed', () => WHITE);
    const { width, height, at } = await studio.render(input, 'tr,a_45,b_ffff00');
    // Padding that 40 x 20 needs on its corner.
    expect([width, height]).toEqual([42, 42]);
    expect(at(1, 1)).toBe('yellow');
    expect(at(14, 8)).toBe('red');
    expect(at(21, 38)).toBe('yellow');
    const cropped = await studio.render(input, 'tr,a_30,w_8,h_8,g_fp:0.25:0.38');
    expect(cropped.at(4, 2)).toBe('red');
    expect((await studio.render(input, 'tr,a_30,w_8,h_4,g_auto')).width).toBe(8);
  });

  test('leaves pictures of one colour, and those without a border, as they are', async () => {
    const plain = await studio.keep(
      'plain',
      await painted(30, 20, () => WHITE)
        .png()
        .toBuffer(),
    );
    expect(await studio.render(plain, 'tr')).toMatchObject({ width: 30, height: 20 });
    const whole = await studio.keep('whole', await painted(40, 20, quarters).png().toBuffer());
    expect(await studio.render(whole, 'tr')).toMatchObject({ width: 40, height: 20 });
  });

  test('counts after the picture was turned upright by its EXIF orientation', async () => {
    const turned = await framed(() => WHITE)
      .withMetadata({ orientation: 6 })
      .png()
      .toBuffer();
    const { width, height, corners } = await studio.render(await studio.keep('turned', turned), 'tr');
    expect([width, height]).toEqual([20, 40]);
    expect(corners()).toEqual(['blue', 'red', 'green', 'black']);
  });
});

describe('b_auto', () => {
  test('continues the commonest colour of the outer edge', async () => {
    const input = await keep('edged', (x) => (x < 8 ? [0, 0, 0, 255] : [255, 255, 0, 255]));
    const { corners, at } = await studio.render(input, 'w_200,h_90,c_pad,b_auto');
    expect(corners()).toEqual(['yellow', 'yellow', 'yellow', 'yellow']);
    expect(at(62, 5)).toBe('black');
  });

  test('is transparent where most of the edge is', async () => {
    const input = await keep('clear', () => [255, 0, 0, 0]);
    const { corners } = await studio.render(input, 'w_200,h_90,c_pad,b_auto');
    expect(corners()).toEqual(['transparent', 'transparent', 'transparent', 'transparent']);
    expect((await studio.render(input, 'w_200,h_90,c_pad,b_auto,f_jpeg')).corners()[0]).toBe('white');
  });
});
