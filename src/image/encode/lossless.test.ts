import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gradient, openStudio, type Pixel, painted, type Studio } from '../../../test/pictures/studio.ts';
import { hasAtMost } from './auto-quality.ts';

const photo = () => sharp(new URL('../../../test/fixtures/portrait-face.jpg', import.meta.url).pathname).resize(320);
/** So many colours, each with an alpha of its own. */
const colourful = (count: number, width: number, height: number) =>
  painted(width, height, (x, y): Pixel => {
    const index = Math.min(count - 1, y * width + x);
    return [(index * 97) % 256, (index * 57) % 256, index >> 8, 255 - (index % 200)];
  });

let studio: Studio;

beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const pixelsOf = (file: string | Buffer) => sharp(file).ensureAlpha().raw({ depth: 'uchar' }).toBuffer();

describe('f_png of a PNG shows exactly its pixels', () => {
  // No encoder of a variant works as hard, so that each of them would grow.
  const hard = (image: Sharp) => image.png({ compressionLevel: 9, adaptiveFiltering: true });
  test.each([
    ['a photo with the profile of sRGB', () => hard(photo().withIccProfile('srgb'))],
    ['a photo without a profile', () => hard(photo())],
    ['a grey photo with a profile', () => hard(photo().greyscale().withIccProfile('srgb'))],
    ['257 colours', () => hard(colourful(257, 64, 64).withIccProfile('srgb'))],
    ['257 colours, of which the last is in the last row', () => hard(colourful(257, 1, 257).withIccProfile('srgb'))],
    ['256 colours', () => hard(colourful(256, 64, 64).withIccProfile('srgb'))],
    ['a gradient', () => hard(gradient(200, 200).withIccProfile('srgb'))],
  ])('%s', async (name, make) => {
    const original = await make().toBuffer();
    const input = await studio.keep(`${name}.png`, original);
    for (const segment of ['f_png', 'q_auto,f_png']) {
      const { file } = await studio.render(input, segment);
      expect((await pixelsOf(file)).equals(await pixelsOf(original)), segment).toBe(true);
    }
  });
});

describe('colours are counted exactly', () => {
  const pixels = (colours: readonly number[][]) => ({
    data: Buffer.from(colours.flat()),
    width: colours.length,
    height: 1,
    channels: colours[0]?.length as 1 | 2 | 3 | 4,
  });

  test('those that differ in alpha alone are two', () => {
    const two = pixels([
      [1, 2, 3, 255],
      [1, 2, 3, 254],
      [1, 2, 3, 255],
    ]);
    expect([hasAtMost(1, two), hasAtMost(2, two)]).toEqual([false, true]);
  });

  test('neighbours in one channel are two, in grey and in colour', () => {
    for (const channels of [1, 2, 3, 4]) {
      for (let channel = 0; channel < channels; channel++) {
        const other = Array(channels).fill(7);
        other[channel] = 8;
        expect(hasAtMost(1, pixels([Array(channels).fill(7), other]))).toBe(false);
      }
    }
  });
});
