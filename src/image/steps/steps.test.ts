import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  gradient,
  openStudio,
  type Pixel,
  quadrants,
  type Shown,
  type Studio,
  solid,
} from '../../../test/pictures/studio.ts';

let studio: Studio;
let landscape: string;
let portrait: string;
let map: string;
let red: string;

beforeAll(async () => {
  studio = await openStudio();
  landscape = await studio.keep('landscape', await quadrants(400, 200).png().toBuffer());
  portrait = await studio.keep('portrait', await quadrants(200, 400).png().toBuffer());
  map = await studio.keep('map', await gradient(1000, 500).png().toBuffer());
  red = await studio.keep('red', await solid(100, 100, [255, 0, 0, 255]).png().toBuffer());
});
afterAll(() => studio.close());

/** Where in the 1000x500 gradient a pixel was, in whole percent. */
function origin([r, g]: Pixel): [number, number] {
  return [Math.round((r / 255) * 100), Math.round((g / 255) * 100)];
}

/** Which part of the gradient a result shows: left, top, right, bottom in percent. */
function shownPart(result: Shown): number[] {
  return [...origin(result.pixel(0, 0)), ...origin(result.pixel(result.width - 1, result.height - 1))];
}

function expectPart(result: Shown, expected: number[], tolerance = 1): void {
  const found = shownPart(result);
  const off = Math.max(...found.map((value, index) => Math.abs(value - (expected[index] ?? 0))));
  expect(off, `shows ${found}, expected ${expected}`).toBeLessThanOrEqual(tolerance);
}

describe('a size', () => {
  test.each([
    ['w_100', 100, 50],
    ['h_100', 200, 100],
    ['w_800', 800, 400],
    ['w_100,h_100', 100, 100],
    ['', 400, 200],
  ])('"%s" makes a picture of 400x200 %ix%i, with all four quadrants', async (segment, width, height) => {
    const result = await studio.render(landscape, segment);
    expect(result).toMatchObject({ width, height, hasAlpha: false });
    expect(result.corners()).toEqual(['red', 'green', 'yellow', 'blue']);
  });
});

describe('fill and crop keep the middle of what overflows', () => {
  test.each(['c_fill', 'c_crop'])('%s of a landscape and a portrait to a square', async (mode) => {
    expectPart(await studio.render(map, `w_100,h_100,${mode}`), [25, 0, 75, 100]);
    expectPart(await studio.render(map, `w_200,h_50,${mode}`), [0, 25, 100, 75]);
    const result = await studio.render(portrait, `w_50,h_50,${mode}`);
    expect(result.corners()).toEqual(['red', 'green', 'yellow', 'blue']);
    expect([result.at(22, 22), result.at(27, 27)]).toEqual(['red', 'yellow']);
  });

  test('enlarged and at a twentieth of the size alike', async () => {
    expectPart(await studio.render(map, 'w_1500,h_1500'), [25, 0, 75, 100]);
    expectPart(await studio.render(map, 'w_25,h_25'), [27, 2, 73, 98], 2);
  });

  test('also where little is kept, so that it is cut before it is scaled', async () => {
    expectPart(await studio.render(map, 'w_500,h_10'), [0, 49, 100, 51]);
    expectPart(await studio.render(map, 'w_5,h_500,g_west'), [0, 0, 0, 100]);
    expectPart(await studio.render(map, 'w_5,h_500,g_east'), [100, 0, 100, 100]);
  });
});

describe('gravity decides what a crop keeps', () => {
  test.each([
    ['g_center', [25, 0, 75, 100]],
    ['g_west', [0, 0, 50, 100]],
    ['g_east', [50, 0, 100, 100]],
    ['g_north', [25, 0, 75, 100]],
    ['g_south', [25, 0, 75, 100]],
    ['g_north_west', [0, 0, 50, 100]],
    ['g_south_east', [50, 0, 100, 100]],
    ['g_fp:0.3:0.9', [5, 0, 55, 100]],
    ['g_fp:0:0', [0, 0, 50, 100]],
    ['g_fp:0.9:0.5', [50, 0, 100, 100]],
  ])('sideways: %s', async (gravity, part) => {
    expectPart(await studio.render(map, `w_250,h_250,${gravity}`), part);
  });

  test.each([
    ['g_center', [0, 25, 100, 75]],
    ['g_north', [0, 0, 100, 50]],
    ['g_south', [0, 50, 100, 100]],
    ['g_west', [0, 25, 100, 75]],
    ['g_north_east', [0, 0, 100, 50]],
    ['g_south_west', [0, 50, 100, 100]],
    ['g_fp:0.9:0.4', [0, 15, 100, 65]],
    ['g_fp:0:1', [0, 50, 100, 100]],
  ])('up and down: %s', async (gravity, part) => {
    expectPart(await studio.render(map, `w_400,h_100,${gravity}`), part);
    expectPart(await studio.render(map, `ar_4:1,${gravity}`), part);
  });

  test.each(['a_0', 'a_90', 'a_180', 'a_270'])(
    'a point is one of the upright picture and turns with it: %s',
    async (turn) => {
      const result = await studio.render(map, `w_101,h_101,${turn},g_fp:0.4:0.1`);
      const [across, down] = origin(result.pixel(50, 50));
      expect([Math.abs(across - 40) <= 1, Math.abs(down - 50) <= 1]).toEqual([true, true]);
    },
  );

  test('each corner shows its quadrant', async () => {
    const corner = async (gravity: string) =>
      new Set((await studio.render(landscape, `w_100,h_100,ar_1:1,${gravity}`)).corners());
    expect(await corner('g_north_west')).toEqual(new Set(['red', 'blue']));
    expect(await corner('g_north_east')).toEqual(new Set(['green', 'yellow']));
  });
});

describe('fit shows all, within the box, never enlarged', () => {
  test.each([
    ['w_100,h_100', 100, 50],
    ['w_1000,h_1000', 400, 200],
    ['w_1000', 400, 200],
  ])('%s', async (box, width, height) => {
    const result = await studio.render(landscape, `${box},c_fit`);
    expect(result).toMatchObject({ width, height });
    expect(result.corners()).toEqual(['red', 'green', 'yellow', 'blue']);
  });
});

test('scale stretches all to the exact size', async () => {
  const result = await studio.render(map, 'w_100,h_300,c_scale');
  expect(result).toMatchObject({ width: 100, height: 300 });
  expectPart(result, [0, 0, 100, 100]);
});

describe('pad shows all and adds bars', () => {
  test('above and below a landscape, white without b', async () => {
    const result = await studio.render(landscape, 'w_100,h_100,c_pad');
    expect(result).toMatchObject({ width: 100, height: 100, hasAlpha: false });
    expect([result.at(50, 0), result.at(50, 24), result.at(50, 75), result.at(50, 99)]).toEqual(
      Array.from({ length: 4 }, () => 'white'),
    );
    expect([result.at(2, 27), result.at(97, 27), result.at(97, 72), result.at(2, 72)]).toEqual([
      'red',
      'green',
      'yellow',
      'blue',
    ]);
    expect([result.at(20, 25), result.at(20, 74)]).toEqual(['red', 'blue']);
  });

  test('left and right of a portrait', async () => {
    const result = await studio.render(portrait, 'w_100,h_100,c_pad,b_000');
    expect([result.at(24, 10), result.at(25, 10), result.at(74, 10), result.at(75, 10)]).toEqual([
      'black',
      'red',
      'green',
      'black',
    ]);
  });

  test('of exactly the colour b, in every format', async () => {
    for (const format of ['png', 'webp', 'avif', 'jpeg', 'gif'] as const) {
      const result = await studio.render(landscape, 'w_100,h_100,c_pad,b_rgb:808080', format);
      expect([result.at(50, 5), result.at(10, 40), result.at(50, 95)]).toEqual(['grey', 'red', 'grey']);
    }
  });

  test('also around an enlarged picture', async () => {
    const result = await studio.render(red, 'w_300,h_200,c_pad,b_00f');
    expect(result).toMatchObject({ width: 300, height: 200 });
    expect([result.at(49, 100), result.at(52, 100), result.at(247, 100), result.at(250, 100)]).toEqual([
      'blue',
      'red',
      'red',
      'blue',
    ]);
  });

  test.each([
    ['g_north', 'red', 'white'],
    ['g_south', 'white', 'blue'],
    ['g_north_west', 'red', 'white'],
    ['g_center', 'white', 'white'],
  ])('%s leaves the picture there', async (gravity, top, bottom) => {
    const result = await studio.render(landscape, `w_100,h_100,c_pad,${gravity}`);
    expect([result.at(20, 2), result.at(20, 97)]).toEqual([top, bottom]);
  });
});

describe('an aspect ratio', () => {
  test('crops to it, at full size', async () => {
    const result = await studio.render(map, 'ar_1:1');
    expect(result).toMatchObject({ width: 500, height: 500 });
    expectPart(result, [25, 0, 75, 100]);
  });

  test('with one dimension gives the other', async () => {
    const result = await studio.render(map, 'ar_16:9,w_160');
    expect(result).toMatchObject({ width: 160, height: 90 });
    expectPart(result, [6, 0, 94, 100]);
  });

  test('crops before padding adds bars', async () => {
    const result = await studio.render(map, 'ar_1:1,w_200,h_100,c_pad');
    expect([result.at(20, 50), result.at(180, 50)]).toEqual(['white', 'white']);
    expect(origin(result.pixel(51, 1))[0]).toBeCloseTo(25, -1);
    expect(origin(result.pixel(148, 98))[0]).toBeCloseTo(75, -1);
  });

  test('crops before padding with q_auto too', async () => {
    const { width, height } = await studio.render(map, 'ar_17:7,w_10,h_20,c_pad,q_auto', 'jpeg');
    expect([width, height]).toEqual([10, 20]);
  });

  test('crops before stretching', async () => {
    expectPart(await studio.render(map, 'ar_1:1,w_300,h_100,c_scale'), [25, 0, 75, 100]);
  });
});

test('a line of one pixel is scaled, padded, cut and turned', async () => {
  const line = await studio.keep('line', await solid(1, 1000, [0, 0, 255, 255]).png().toBuffer());
  for (const segment of ['w_50,h_50', 'w_50,h_50,c_fit', 'w_50,h_50,c_pad', 'w_50,h_50,c_scale', 'a_90,h_20,ar_1:1']) {
    const { width, height, at } = await studio.render(line, segment);
    expect(at(Math.floor(width / 2), Math.floor(height / 2))).toBe('blue');
  }
});
