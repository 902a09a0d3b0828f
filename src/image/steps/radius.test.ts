import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStudio, type Shown, type Studio, solid } from '../../../test/pictures/studio.ts';

let studio: Studio;
let red: string;
let glass: string;

beforeAll(async () => {
  studio = await openStudio();
  red = await studio.keep('red', await solid(200, 100, [255, 0, 0, 255]).png().toBuffer());
  glass = await studio.keep('glass', await solid(100, 100, [255, 0, 0, 128]).png().toBuffer());
});
afterAll(() => studio.close());

/** Counts the cut pixels on the diagonal of each corner, clockwise from the top left. */
function cutsOf({ width, height, pixel }: Shown): number[] {
  const diagonals = [
    (i: number) => pixel(i, i),
    (i: number) => pixel(width - 1 - i, i),
    (i: number) => pixel(width - 1 - i, height - 1 - i),
    (i: number) => pixel(i, height - 1 - i),
  ];
  return diagonals.map((at) => {
    let cut = 0;
    while (cut < Math.min(width, height) / 2 && at(cut)[3] < 128) cut++;
    return cut;
  });
}

/** Cut pixels on the diagonal of a circle of that radius: r * (1 - 1/sqrt 2). */
const cut = (radius: number) => Math.round(radius * (1 - Math.SQRT1_2));

describe('radii are given in five ways', () => {
  test.each([
    ['r_40', [40, 40, 40, 40]],
    ['r_40:10', [40, 10, 40, 10]],
    ['r_40:10:20', [40, 10, 20, 10]],
    ['r_40:0:20:10', [40, 0, 20, 10]],
    ['r_0:30', [0, 30, 0, 30]],
    ['r_40:40:40:40', [40, 40, 40, 40]],
  ])('%s: top left, top right, bottom right, bottom left', async (segment, radii) => {
    expect(cutsOf(await studio.render(red, segment))).toEqual(radii.map(cut));
  });

  test('r_max is a circle on a square and an oval otherwise', async () => {
    const circle = await studio.render(red, 'w_100,h_100,r_max');
    expect(cutsOf(circle)).toEqual([50, 50, 50, 50].map(cut));
    const oval = await studio.render(red, 'r_max');
    for (const [x, y] of [
      [100, 0],
      [100, 99],
      [0, 50],
      [199, 50],
    ] as const) {
      expect(oval.pixel(x, y)[3]).toBeGreaterThan(200);
    }
    // On the oval (x/100)^2 + (y/50)^2 = 1, y = 30 stands over x = 80: inside and outside of it.
    expect(oval.at(100 - 76, 50 - 28)).toBe('red');
    expect(oval.at(100 - 84, 50 - 33)).toBe('transparent');
    expect(oval.at(100 + 83, 50 + 32)).toBe('transparent');
  });
});

test('a radius is clamped to half the shorter side', async () => {
  const clamped = await studio.render(red, 'r_9999');
  expect(cutsOf(clamped)).toEqual([50, 50, 50, 50].map(cut));
  expect([clamped.at(52, 0), clamped.at(100, 0), clamped.at(147, 99)]).toEqual(['red', 'red', 'red']);
  expect(cutsOf(await studio.render(red, 'r_9999:0'))).toEqual([cut(50), 0, cut(50), 0]);
});

test('corners are rounded at the size of the result', async () => {
  expect(cutsOf(await studio.render(red, 'w_100,h_100,r_20'))).toEqual([20, 20, 20, 20].map(cut));
  expect(cutsOf(await studio.render(red, 'w_800,h_400,r_20'))).toEqual([20, 20, 20, 20].map(cut));
});

test('padding is rounded along with the picture', async () => {
  const result = await studio.render(red, 'w_200,h_200,c_pad,r_40');
  expect(cutsOf(result)).toEqual([40, 40, 40, 40].map(cut));
  expect([result.at(100, 2), result.at(100, 100)]).toEqual(['white', 'red']);
});

describe('the cut corners', () => {
  test.each(['png', 'webp', 'avif'] as const)('are transparent in %s, and its result has alpha', async (format) => {
    const result = await studio.render(red, 'r_40', format);
    expect(result.hasAlpha).toBe(true);
    expect(result.corners()).toEqual(Array.from({ length: 4 }, () => 'transparent'));
    expect(result.at(100, 50)).toBe('red');
  });

  test('make a PNG of what would be a JPEG', async () => {
    expect((await studio.render(red, 'r_40', 'fallback')).format).toBe('png');
    expect((await studio.render(red, 'r_40,b_f00', 'fallback')).format).toBe('jpeg');
    expect((await studio.render(red, 'r_40,b_ff000080', 'fallback')).format).toBe('png');
    expect((await studio.render(red, 'r_0', 'fallback')).format).toBe('jpeg');
  });

  test('are white in a JPEG, which has no alpha', async () => {
    const result = await studio.render(red, 'r_40', 'jpeg');
    expect(result.corners(1)).toEqual(Array.from({ length: 4 }, () => 'white'));
    expect(result.at(100, 50)).toBe('red');
  });

  test.each(['png', 'webp', 'jpeg', 'avif', 'gif'] as const)('have the colour b in %s', async (format) => {
    const result = await studio.render(red, 'r_40,b_00f', format);
    expect(result.corners(1)).toEqual(Array.from({ length: 4 }, () => 'blue'));
    expect(result.at(100, 50)).toBe('red');
  });

  test('have the colour and the alpha of b', async () => {
    const result = await studio.render(red, 'r_40,b_0000ff80');
    for (const x of [1, 198]) expect(result.pixel(x, 1)).toEqual([0, 0, 255, 128]);
    expect(result.pixel(100, 50)).toEqual([255, 0, 0, 255]);
  });
});

describe('the edge is smooth', () => {
  test('alpha falls in steps, and the cut area is that outside the circle', async () => {
    const { pixel } = await studio.render(red, 'r_40');
    const alphas = Array.from({ length: 40 * 40 }, (_, index) => pixel(index % 40, Math.floor(index / 40))[3]);
    expect(new Set(alphas).size).toBeGreaterThan(20);
    const cutArea = alphas.reduce((sum, alpha) => sum + 1 - alpha / 255, 0);
    expect(Math.abs(cutArea - (1600 - (Math.PI * 1600) / 4))).toBeLessThan(3);
  });

  test('between the picture and b there is a mixture of both and nothing else', async () => {
    const { pixel } = await studio.render(red, 'r_40,b_00f');
    let mixed = 0;
    for (let index = 0; index < 1600; index++) {
      const [r, g, b, alpha] = pixel(index % 40, Math.floor(index / 40));
      expect([g, alpha]).toEqual([0, 255]);
      expect(Math.abs(r + b - 255)).toBeLessThanOrEqual(2);
      if (r > 20 && b > 20) mixed++;
    }
    expect(mixed).toBeGreaterThan(20);
  });
});

test('transparent pixels inside stay transparent, with and without b', async () => {
  expect((await studio.render(glass, 'r_30')).pixel(50, 50)).toEqual([255, 0, 0, 128]);
  const onBlue = await studio.render(glass, 'r_30,b_00f');
  expect(onBlue.pixel(50, 50)).toEqual([255, 0, 0, 128]);
  expect(onBlue.at(1, 1)).toBe('blue');
});

test('the smallest pictures have corners too', async () => {
  for (const segment of ['w_1,h_1,r_max', 'w_1,h_1,r_5', 'w_2,h_1,r_max', 'w_3,h_3,r_1', 'w_1,h_200,r_20']) {
    const { width, height, pixel } = await studio.render(red, segment);
    expect(pixel(Math.floor(width / 2), Math.floor(height / 2))[3]).toBeGreaterThan(150);
  }
});

test.each(['w_61,h_33,r_max', 'w_200,h_9,r_max', 'w_5,h_120,r_max', 'w_80,h_80,r_30:0:7:40'])(
  '%s shows as much of the paint in every pixel as it is transparent without one',
  async (segment) => {
    const clear = await studio.render(red, segment);
    const painted = await studio.render(red, `${segment},b_00f`);
    const { width, height } = clear;
    const pixels = Array.from({ length: width * height }, (_, at): [number, number] => [
      at % width,
      Math.floor(at / width),
    ]);
    const off = pixels.map(([x, y]) => {
      const [share, [r, , b, alpha]] = [clear.pixel(x, y)[3] / 255, painted.pixel(x, y)];
      return Math.max(Math.abs(r - 255 * share), Math.abs(b - 255 * (1 - share)), 255 - alpha);
    });
    expect(Math.max(...off)).toBeLessThanOrEqual(2);
    // Of every ellipse a share of pi/4 stays, cut corners lie opposite to each other alike.
    const visible = pixels.reduce((sum, [x, y]) => sum + clear.pixel(x, y)[3] / 255, 0) / (width * height);
    if (segment.includes('max')) {
      expect(visible).toBeCloseTo(Math.PI / 4, 1);
      for (const [x, y] of pixels) {
        expect(clear.pixel(x, y)[3]).toBe(clear.pixel(width - 1 - x, y)[3]);
        expect(clear.pixel(x, y)[3]).toBe(clear.pixel(x, height - 1 - y)[3]);
      }
    }
  },
);
