import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  frames,
  openStudio,
  type Pixel,
  painted,
  quadrants,
  type Shown,
  type Studio,
  solid,
} from '../../../test/pictures/studio.ts';
import type { Direction } from '../steps/gravity.ts';

const RED = [255, 0, 0, 255] as const;
const BLUE = [0, 0, 255, 255] as const;
const WHITE = [255, 255, 255, 255] as const;
const CLEAR = [0, 0, 0, 0] as const;
const CANVAS = { width: 90, height: 60 };

let studio: Studio;
/** White, of the size of the canvas. */
let white: string;

beforeAll(async () => {
  studio = await openStudio();
  white = await keep('white.png', solid(CANVAS.width, CANVAS.height, WHITE));
  await keep('square.png', solid(11, 7, RED));
  await keep('corners.png', quadrants(20, 10));
  await keep('large.png', quadrants(900, 200));
  await keep('half.png', solid(20, 10, [255, 0, 0, 128]));
  await keep('disc.png', disc(20));
});
afterAll(() => studio.close());

/** Opaque where it is closer to the middle than its edge. */
function disc(side: number) {
  return painted(side, side, (x, y) => (Math.hypot(x + 0.5 - side / 2, y + 0.5 - side / 2) < side / 2 ? BLUE : CLEAR));
}

/** The smallest rectangle around all that is not white: left, top, width, height. */
function inkOf({ width, height, at }: Shown): number[] | undefined {
  const inked = Array.from(
    { length: width * height },
    (_, index) => [index % width, Math.floor(index / width)] as const,
  ).filter(([x, y]) => at(x, y) !== 'white');
  if (inked.length === 0) return undefined;
  const xs = inked.map(([x]) => x);
  const ys = inked.map(([, y]) => y);
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  return [left, top, Math.max(...xs) - left + 1, Math.max(...ys) - top + 1];
}

/** Keeps an image without loss. */
const keep = async (name: string, image: Sharp) => studio.keep(name, await image.png().toBuffer());

const show = (segment: string, input = white) => studio.render(input, segment);

describe('a layer lies exactly where it is put', () => {
  // 90 - 11 = 79 and 60 - 7 = 53 pixels are free; half a pixel goes to the right and down.
  const places: Record<Direction, [number, number, -1 | 0 | 1, -1 | 0 | 1]> = {
    north_west: [0, 0, 1, 1],
    north: [40, 0, 1, 1],
    north_east: [79, 0, -1, 1],
    west: [0, 27, 1, 1],
    center: [40, 27, 1, 1],
    east: [79, 27, -1, 1],
    south_west: [0, 53, 1, -1],
    south: [40, 53, 1, -1],
    south_east: [79, 53, -1, -1],
  };
  const offsets = [
    ['', 0, 0],
    [',x_5,y_3', 5, 3],
    [',x_0.1,y_0.05', 9, 3],
    [',x_-4', -4, 0],
  ] as const;
  const cases = Object.entries(places).flatMap(([direction, [left, top, right, down]]) =>
    offsets.map(([words, x, y]) => [`g_${direction}${words}`, left + right * x, top + down * y] as const),
  );

  test.each(cases)('%s', async (words, left, top) => {
    // Parts outside are cut off.
    const l = Math.max(0, left);
    const t = Math.max(0, top);
    const r = Math.min(CANVAS.width, left + 11);
    const b = Math.min(CANVAS.height, top + 7);
    expect(inkOf(await show(`l_square.png,${words}`))).toEqual([l, t, r - l, b - t]);
  });

  test.each([
    ['far outside', 'x_8192', undefined],
    ['cut at two edges', 'g_nw,x_-5,y_-3', [0, 0, 6, 4]],
  ])('%s', async (_, words, ink) => {
    expect(inkOf(await show(`l_square.png,${words}`))).toEqual(ink);
  });

  test('also over bars and padding, and under the border and the corners', async () => {
    const framed = await show('w_100,h_100,c_pad,pd_5,b_eee~l_square.png,g_nw');
    expect([framed.at(0, 0), framed.at(10, 6), framed.at(11, 7)]).toEqual(['red', 'red', '238,238,238,255']);
    const bordered = await show('bo_3:00f,r_4~l_square.png,g_nw');
    expect([bordered.at(0, 0), bordered.at(2, 5), bordered.at(5, 5)]).toEqual(['transparent', 'blue', 'red']);
  });
});

describe('the size of a layer', () => {
  test.each([
    ['is its own', 'l_corners.png', [20, 10]],
    ['is that of the canvas at most', 'l_large.png', [90, 20]],
    ['is a width', 'l_corners.png,w_40', [40, 20]],
    ['is a height', 'l_corners.png,h_40', [80, 40]],
    ['is a share of the canvas', 'l_corners.png,w_0.5', [45, 23]],
    ['is a box to cover', 'l_corners.png,w_0.5,h_0.5', [45, 30]],
    ['is a box to stay within', 'l_corners.png,w_30,h_30,c_fit', [20, 10]],
    ['is larger than the canvas and cut, if it is asked for', 'l_corners.png,w_400', [90, 60]],
    ['is that of its region', 'l_corners.png,rg_0:0:5:5', [5, 5]],
    ['is that of its ratio', 'l_corners.png,ar_1:1', [10, 10]],
    ['is a width with a ratio', 'l_corners.png,ar_1:1,w_40', [40, 40]],
    ['is a height with a ratio', 'l_corners.png,ar_3:1,h_10', [30, 10]],
    ['is a share of the canvas with a ratio', 'l_corners.png,ar_1:2,h_0.5', [15, 30]],
    ['is a box around a ratio', 'l_corners.png,ar_1:1,w_40,h_20,c_fit', [10, 10]],
    ['is turned', 'l_corners.png,a_90', [10, 20]],
    ['is turned before it is scaled', 'l_corners.png,a_90,w_20', [20, 40]],
  ])('%s: %s', async (_, words, [width, height]) => {
    const ink = inkOf(await show(words));
    expect(ink?.slice(2)).toEqual([width, height]);
  });
});

describe('a layer', () => {
  test('has its mirrors, turns, regions, effects and rounded corners', async () => {
    const mirrored = await show('l_corners.png,a_hflip,g_nw');
    expect([mirrored.at(2, 2), mirrored.at(17, 2), mirrored.at(17, 7), mirrored.at(2, 7)]).toEqual([
      'green',
      'red',
      'blue',
      'yellow',
    ]);
    expect((await show('l_corners.png,rg_0.5:0.5:0.5:0.5,g_nw')).at(3, 3)).toBe('yellow');
    const tall = await show('l_corners.png,ar_1:10,g_nw');
    expect([tall.at(0, 2), tall.at(0, 7)]).toEqual(['green', 'yellow']);
    expect((await show('l_square.png,e_hue:120,g_nw')).pixel(3, 3)).not.toEqual([255, 0, 0, 255]);
    expect((await show('l_square.png,e_negate,g_nw')).pixel(3, 3)).toEqual([0, 255, 255, 255]);
    const round = await show('l_square.png,w_20,h_20,r_max,g_nw');
    expect([round.at(0, 0), round.at(10, 10), round.at(19, 19)]).toEqual(['white', 'red', 'white']);
    const turned = await show('l_square.png,w_20,h_20,a_45,g_nw');
    expect([turned.at(1, 1), turned.at(14, 14)]).toEqual(['white', 'red']);
  });

  test('lies above those before it', async () => {
    const shown = await show('l_square.png,w_30,h_30~l_disc.png~l_square.png,w_4,h_4');
    expect([shown.at(45, 30), shown.at(45, 37), shown.at(45, 43), shown.at(45, 55)]).toEqual([
      'red',
      'blue',
      'red',
      'white',
    ]);
  });

  test('has an opacity, beside that of its pixels', async () => {
    expect((await show('l_square.png,o_50,g_nw')).pixel(2, 2)).toEqual([255, 128, 128, 255]);
    expect((await show('l_half.png,o_50,g_nw')).pixel(2, 2)).toEqual([255, 191, 191, 255]);
    expect(inkOf(await show('l_square.png,o_0'))).toBe(undefined);
  });

  test('is repeated with a gap', async () => {
    const shown = await show('l_square.png,tl_2,g_nw,x_3');
    for (const [x, y] of [
      [3, 0],
      [13, 6],
      [16, 0],
      [0, 0],
      [29, 9],
    ] as const)
      expect(shown.at(x, y), `${x},${y}`).toBe('red');
    for (const [x, y] of [
      [1, 0],
      [2, 0],
      [14, 0],
      [15, 6],
      [3, 7],
      [3, 8],
    ] as const) {
      expect(shown.at(x, y), `${x},${y}`).toBe('white');
    }
    const dense = await show('l_square.png,w_1,h_1,tl_0');
    expect(inkOf(dense)).toEqual([0, 0, 90, 60]);
  });

  test('throws a shadow as large as itself', async () => {
    const sharpEdged = await show('l_square.png,g_nw,x_20,y_20,sd_5:4:0:0000ff80');
    expect(inkOf(sharpEdged)).toEqual([20, 20, 16, 11]);
    expect([sharpEdged.pixel(33, 29), sharpEdged.at(30, 26)]).toEqual([[127, 127, 255, 255], 'red']);
    const soft = await show('l_square.png,g_nw,x_30,y_20,w_20,h_20,sd_0:0:8:000');
    const [left = 0, , width = 0] = inkOf(soft) ?? [];
    expect([left, width].map((side) => Math.abs(side))).toSatisfy(
      ([from, across]: [number, number]) => from >= 18 && from < 25 && across > 30 && across <= 44,
    );
    // Half of it lies on either side of the edge.
    const plain = await show('l_square.png,g_nw,x_-8000');
    expect(inkOf(plain)).toBe(undefined);
    const [edge] = soft.pixel(29, 30);
    expect(edge).toBeGreaterThan(100);
    expect(edge).toBeLessThan(170);
  });

  test('masks the picture where it is opaque', async () => {
    const masked = await show('l_disc.png,w_60,h_60,bl_mask');
    expect([masked.at(45, 30), masked.at(16, 1), masked.at(5, 30)]).toEqual(['white', 'transparent', 'transparent']);
    const jpeg = await studio.render(white, 'e_negate,b_f00~l_disc.png,w_60,h_60,bl_mask', 'jpeg');
    expect([jpeg.at(45, 30), jpeg.at(5, 30)]).toEqual(['black', 'red']);
    expect((await studio.render(white, 'l_disc.png,bl_mask', 'fallback')).format).toBe('png');
  });

  test('lies behind a transparent picture, in every format', async () => {
    const ring = await keep(
      'ring.png',
      painted(90, 60, (x) => (x < 45 ? [0, 255, 0, 255] : CLEAR)),
    );
    const png = await show('l_square.png,w_60,h_40,bl_behind', ring);
    expect([png.at(30, 30), png.at(60, 30), png.at(85, 5)]).toEqual(['green', 'red', 'transparent']);
    const jpeg = await studio.render(ring, 'b_00f,q_100~l_square.png,w_60,h_40,bl_behind', 'jpeg');
    expect([jpeg.at(30, 30), jpeg.at(60, 30), jpeg.at(85, 5)]).toEqual(['green', 'red', 'blue']);
    expect(inkOf(await show('l_square.png,bl_behind'))).toBe(undefined);
  });
});

describe('any kind of picture', () => {
  const orange: Pixel = [255, 128, 0, 255];
  const near = (pixel: Pixel, wanted: Pixel) =>
    expect(Math.max(...pixel.map((value, index) => Math.abs(value - (wanted[index] ?? 0))))).toBeLessThanOrEqual(3);

  test.each([
    ['grey', async () => solid(30, 20, [90, 90, 90, 255]).toColourspace('b-w').png().toBuffer(), [90, 90, 90, 255]],
    ['16 bits', async () => solid(30, 20, orange).toColourspace('rgb16').png().toBuffer(), orange],
    ['a JPEG', async () => solid(30, 20, orange).jpeg({ quality: 100 }).toBuffer(), orange],
    ['WebP with alpha', async () => solid(30, 20, orange).webp({ lossless: true }).toBuffer(), orange],
    [
      'a GIF, of which it is the first frame',
      async () => frames(30, 20, ['green', 'blue']).gif().toBuffer(),
      [0, 255, 0, 255],
    ],
    [
      'upright by EXIF',
      async () =>
        painted(20, 30, (_, y) => (y < 15 ? orange : RED))
          .withMetadata({ orientation: 6 })
          .png()
          .toBuffer(),
      RED,
    ],
  ] as const)('can be a layer, and carry one: %s', async (name, make, wanted) => {
    const file = await studio.keep(`kind-${name.replaceAll(/\W/g, '-')}.img`, await make());
    const over = await show(`l_kind-${name.replaceAll(/\W/g, '-')}.img,g_nw`);
    expect(inkOf(over)?.slice(2)).toEqual([30, 20]);
    near(over.pixel(3, 10), wanted);
    const under = await show('l_square.png,g_nw', file);
    expect(under.at(2, 2)).toBe('red');
    near(under.pixel(5, 15), wanted);
  });

  test('an opaque picture stays opaque', async () => {
    expect((await show('l_half.png')).hasAlpha).toBe(false);
    expect((await studio.render(white, 'l_half.png', 'fallback')).format).toBe('jpeg');
  });

  test('a transparent picture has the layer alone where it is empty', async () => {
    const clear = await keep('clear.png', solid(90, 60, CLEAR));
    expect((await show('l_half.png,g_nw', clear)).pixel(3, 3)).toEqual([255, 0, 0, 128]);
    expect((await show('l_half.png,g_nw~l_half.png,g_nw', clear)).pixel(3, 3)).toEqual([255, 0, 0, 192]);
  });

  test('the colours of the picture below stay as they are beside a layer', async () => {
    const photo = await sharp(new URL('../../../test/fixtures/concert.jpg', import.meta.url).pathname)
      .png()
      .toBuffer();
    const file = await studio.keep('photo.png', photo);
    const plain = await show('w_120', file);
    const laid = await show('w_120~l_square.png,g_nw', file);
    const before = await sharp(plain.file).raw().toBuffer();
    const after = await sharp(laid.file).raw().toBuffer();
    const differing = before.reduce((count, value, index) => count + (value === after[index] ? 0 : 1), 0);
    expect(differing).toBeLessThanOrEqual(11 * 7 * 3);
  });
});

describe('what cannot be a layer', () => {
  test.each([
    ['no picture', 'l_words.png', 'layer undecodable', 'The layer "words.png" cannot be decoded as an image.'],
    ['half a picture', 'l_cut.png', 'layer undecodable', 'The layer "cut.png" cannot be decoded as an image.'],
    ['a size beyond the limit', 'l_thin.png,w_8000', 'limit exceeded', 'The layer "thin.png": The result would be'],
    [
      'a region outside',
      'l_square.png,rg_50:0:5:5',
      'limit exceeded',
      'The layer "square.png": The region is outside the image',
    ],
  ])('%s', async (_, words, outcome, reason) => {
    await studio.keep('words.png', Buffer.from('no picture at all'));
    const whole = await painted(200, 200, (x, y) => [(x * 7) % 256, (y * 13) % 256, (x * y) % 256, 255])
      .png()
      .toBuffer();
    await studio.keep('cut.png', whole.subarray(0, whole.length / 2));
    await keep('thin.png', solid(1, 100, RED));
    expect(await studio.attempt(white, words)).toMatchObject({ outcome, reason: expect.stringContaining(reason) });
  });

  test('more megapixels in all than an original may have', async () => {
    await studio.keep(
      'wide.png',
      await sharp({ create: { width: 8000, height: 8000, channels: 3, background: 'red' } })
        .png({ compressionLevel: 1 })
        .toBuffer(),
    );
    expect(await studio.attempt(white, 'l_wide.png,w_4~l_wide.png,w_4')).toMatchObject({
      outcome: 'limit exceeded',
      reason: 'The images of the layers have 128.0 megapixels; the limit is 100 (MAX_INPUT_MEGAPIXELS).',
    });
  });
});
