import { type DecodedImage, toSharp } from '@darkroom/image-files/decoded-image';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { displayP3, openStudio, type Studio } from '../../../test/pictures/studio.ts';

const GREY: DecodedImage = {
  samples: Buffer.alloc(288 * 8 * 3, 90),
  width: 288,
  height: 8,
  channels: 3,
  space: 'srgb',
};

let studio: Studio;
let p3: Buffer;

beforeAll(async () => {
  studio = await openStudio();
  p3 = await displayP3();
});
afterAll(() => studio.close());

describe('a painted colour is exactly the requested one, whatever the picture is made of', () => {
  const square = async (icc?: Buffer) => (await toSharp({ ...GREY, ...(icc && { icc }) })).keepIccProfile();
  const inks = () =>
    sharp({ create: { width: 40, height: 30, channels: 3, background: '#5a5a5a' } }).toColourspace('cmyk');
  const inputs: [string, () => Promise<Buffer>][] = [
    ['Display P3', async () => (await square(p3)).png().toBuffer()],
    ['Display P3 of 16 bits', async () => (await square(p3)).toColourspace('rgb16').png().toBuffer()],
    ['16 bits', async () => (await square()).toColourspace('rgb16').png().toBuffer()],
    ['grey', async () => (await square()).toColourspace('b-w').png().toBuffer()],
    ['grey of 16 bits', async () => (await square()).toColourspace('grey16').png().toBuffer()],
    ['grey with alpha', async () => (await square()).ensureAlpha(0).toColourspace('b-w').png().toBuffer()],
    ['CMYK', async () => inks().jpeg().toBuffer()],
    ['CMYK with a profile', async () => inks().withIccProfile('cmyk').jpeg().toBuffer()],
  ];

  test.each(inputs)('%s', async (name, encoded) => {
    const input = await studio.keep(`painted-${name}`, await encoded());
    for (const [colour, wanted] of [
      ['336699', [0x33, 0x66, 0x99, 255]],
      ['fff', [255, 255, 255, 255]],
    ] as const) {
      for (const segment of ['w_30,h_30,c_pad', 'r_max', 'a_45', 'a_45,w_20,h_60,c_pad']) {
        for (const format of ['png', 'jpeg'] as const) {
          const { pixel } = await studio.render(input, `${segment},b_${colour},q_100`, format);
          const far = pixel(0, 0).map((value, index) => Math.abs(value - (wanted[index] ?? 0)));
          expect(Math.max(...far), `${segment} as ${format}: ${pixel(0, 0)}`).toBeLessThanOrEqual(
            format === 'png' ? 1 : 4,
          );
        }
      }
    }
  });
});
