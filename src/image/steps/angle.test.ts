import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gradient, meanDifference, openStudio, quadrants, type Studio, solid } from '../../../test/pictures/studio.ts';

let studio: Studio;
let landscape: string;
let red: string;
let glass: string;

beforeAll(async () => {
  studio = await openStudio();
  landscape = await studio.keep('landscape', await quadrants(400, 200).png().toBuffer());
  red = await studio.keep('red', await solid(400, 200, [255, 0, 0, 255]).png().toBuffer());
  glass = await studio.keep('glass', await solid(100, 100, [255, 0, 0, 0]).png().toBuffer());
});
afterAll(() => studio.close());

describe('quarter turns are clockwise and lose no pixel', () => {
  test.each([
    ['a_0', 400, 200, ['red', 'green', 'yellow', 'blue']],
    ['a_90', 200, 400, ['blue', 'red', 'green', 'yellow']],
    ['a_180', 400, 200, ['yellow', 'blue', 'red', 'green']],
    ['a_270', 200, 400, ['green', 'yellow', 'blue', 'red']],
    ['a_-90', 200, 400, ['green', 'yellow', 'blue', 'red']],
    ['a_450', 200, 400, ['blue', 'red', 'green', 'yellow']],
    ['a_auto', 400, 200, ['red', 'green', 'yellow', 'blue']],
  ])('%s', async (segment, width, height, corners) => {
    const result = await studio.render(landscape, segment);
    expect(result).toMatchObject({ width, height, hasAlpha: false });
    expect(result.corners(0)).toEqual(corners);
  });

  test('before the crop: w and h mean the turned picture', async () => {
    const result = await studio.render(landscape, 'a_90,w_100,h_100,g_north');
    expect(result).toMatchObject({ width: 100, height: 100 });
    expect(result.corners()).toEqual(['blue', 'red', 'red', 'blue']);
  });

  test('before the padding', async () => {
    const result = await studio.render(landscape, 'a_90,w_100,h_100,c_pad,b_000');
    expect([result.at(20, 50), result.at(27, 10), result.at(72, 10), result.at(80, 50)]).toEqual([
      'black',
      'blue',
      'red',
      'black',
    ]);
  });
});

describe('other angles', () => {
  test('grow the canvas to hold the turned picture', async () => {
    const result = await studio.render(red, 'a_30');
    // 400 cos 30 + 200 sin 30, 400 sin 30 + 200 cos 30
    expect(result).toMatchObject({ width: 446, height: 373 });
    expect(result.at(223, 186)).toBe('red');
  });

  test('turn clockwise', async () => {
    const { width, at } = await studio.render(landscape, 'a_30');
    // The top left corner moves right along the top, 200 sin 30 from the left.
    expect(at(105, 12)).toBe('red');
    expect(at(12, 170)).toBe('blue');
    expect(at(width - 12, 203)).toBe('green');
  });

  test.each(['png', 'webp', 'avif', 'jpeg', 'gif'] as const)('have white corners in %s without b', async (format) => {
    const result = await studio.render(red, 'a_30', format);
    expect(result.corners()).toEqual(['white', 'white', 'white', 'white']);
  });

  test.each(['png', 'webp', 'avif', 'jpeg', 'gif'] as const)('have corners of the colour b in %s', async (format) => {
    const result = await studio.render(red, 'a_-30,b_00f', format);
    expect(result.corners()).toEqual(['blue', 'blue', 'blue', 'blue']);
    expect(result.at(223, 186)).toBe('red');
  });

  test('have transparent corners with b_transparent, so PNG instead of JPEG', async () => {
    const result = await studio.render(red, 'a_30,b_transparent', 'fallback');
    expect(result).toMatchObject({ format: 'png', hasAlpha: true });
    expect(result.corners()).toEqual(Array.from({ length: 4 }, () => 'transparent'));
    expect(result.at(223, 186)).toBe('red');
  });

  test('leave transparent pixels of the picture transparent', async () => {
    const result = await studio.render(glass, 'a_45');
    expect(result.at(70, 70)).toBe('transparent');
    expect(result.corners()).toEqual(['white', 'white', 'white', 'white']);
  });

  test.each([
    ['a_45,w_100,h_50', 100, 50],
    ['a_45,w_100,h_50,c_pad', 100, 50],
    ['a_45,w_100,h_50,c_scale', 100, 50],
    ['a_10,ar_1:1,w_90', 90, 90],
    ['a_200,h_40', undefined, 40],
    ['a_1,w_1000', 1000, undefined],
  ])('come before every crop: %s', async (segment, width, height) => {
    const result = await studio.render(red, segment);
    if (width) expect(result.width).toBe(width);
    if (height) expect(result.height).toBe(height);
    expect(result.at(Math.floor(result.width / 2), Math.floor(result.height / 2))).toBe('red');
  });

  test('keep the part of the turned picture that gravity says', async () => {
    const { at } = await studio.render(landscape, 'a_45,w_100,h_50,g_north');
    // A turned 2:1 rectangle: its top corner is red, over white.
    expect([at(2, 2), at(97, 2)]).toEqual(['white', 'white']);
    expect(at(45, 30)).toBe('red');
  });
});

describe('a picture stored in any EXIF orientation', () => {
  const photo = fileURLToPath(new URL('../../../test/fixtures/orientation-1.jpg', import.meta.url));
  /** Stored form of the upright image for an orientation: turned, then mirrored. */
  const stored = [
    { turn: 0, mirror: false },
    { turn: 0, mirror: false },
    { turn: 0, mirror: true },
    { turn: 180, mirror: false },
    { turn: 180, mirror: true },
    { turn: 90, mirror: true },
    { turn: 270, mirror: false },
    { turn: 270, mirror: true },
    { turn: 90, mirror: false },
  ];

  /** Whole JPEG blocks a side, so that decoding at a fraction of the size meets the same pixels from either end. */
  async function storedAs(orientation: number): Promise<string> {
    const { turn = 0, mirror = false } = stored[orientation] ?? {};
    const upright = await sharp(photo).resize(448, 672).png().toBuffer();
    const turned = await sharp(upright).rotate(turn).png().toBuffer();
    const image = sharp(turned).flop(mirror);
    const tagged = orientation === 0 ? image : image.withMetadata({ orientation });
    return studio.keep(`stored-${orientation}`, await tagged.jpeg({ quality: 95 }).toBuffer());
  }

  test.each([2, 3, 4, 5, 6, 7, 8, 0])('%i looks as it does upright, with every transformation', async (orientation) => {
    const upright = await storedAs(1);
    const turned = await storedAs(orientation);
    for (const segment of [
      '',
      'w_300',
      'h_100',
      'w_200,h_200,g_north',
      'a_90,w_150',
      'a_20',
      'w_200,h_90,c_pad',
      'r_9',
    ]) {
      const one = await studio.render(upright, segment);
      const other = await studio.render(turned, segment);
      expect([segment, other.width, other.height]).toEqual([segment, one.width, one.height]);
      expect(await meanDifference(one.file, other.file), segment).toBeLessThan(2.5);
    }
  });

  test('is small in proportion to its displayed, not to its stored sides', async () => {
    const result = await studio.render(await storedAs(6), 'w_90');
    expect(result).toMatchObject({ width: 90, height: 135 });
  });

  test('has a result without an orientation', async () => {
    const { file } = await studio.render(await storedAs(6), 'w_90', 'jpeg');
    expect((await sharp(file).metadata()).orientation).toBeUndefined();
  });
});

describe('a small part of a turned or mirrored picture', () => {
  test.each(['hflip', 'vflip', 'hflip.90', 'hflip.180', 'hflip.30', '0', '90', '200'])(
    'is the same part that is cut out of the whole turned picture: a_%s',
    async (turn) => {
      const input = await studio.keep('ramp', await gradient(120, 80).png().toBuffer());
      const whole = await studio.render(input, `a_${turn}`);
      const part = await studio.render(input, `a_${turn},rg_40:30:20:10`);
      const off = [0, 9, 19].flatMap((x) =>
        [0, 9].flatMap((y) => whole.pixel(40 + x, 30 + y).map((value, at) => value - (part.pixel(x, y)[at] ?? 0))),
      );
      expect(Math.max(...off.map(Math.abs))).toBeLessThanOrEqual(3);
    },
  );
});
