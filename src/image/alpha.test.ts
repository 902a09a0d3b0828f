import { readFile } from 'node:fs/promises';
import { toSharp } from '@darkroom/image-files/decoded-image';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { greyProfile } from '../../test/corpus/make/profiles.ts';
import { openStudio, painted, type Studio } from '../../test/pictures/studio.ts';

const WIDTH = 60;
const HEIGHT = 40;
const GREY = 100;

/** Grey all over, the left half whole, the right half half transparent. */
const halves = painted(WIDTH, HEIGHT, (x) => [GREY, GREY, GREY, x < WIDTH / 2 ? 255 : 128]);

/** The same as grey with alpha, with a profile whose curve is nearly that of sRGB. */
async function profiledGrey() {
  const samples = new Uint8Array(WIDTH * HEIGHT * 2);
  for (let i = 0; i < WIDTH * HEIGHT; i++) samples.set([GREY, i % WIDTH < WIDTH / 2 ? 255 : 128], 2 * i);
  const icc = greyProfile(2, 2.2);
  const image = await toSharp({ samples, width: WIDTH, height: HEIGHT, channels: 2, space: 'b-w', icc });
  return image.keepIccProfile();
}

const inputs: [string, () => Promise<Buffer>][] = [
  ['8 bit grey', () => halves.clone().toColourspace('b-w').png().toBuffer()],
  ['8 bit grey with a profile', async () => (await profiledGrey()).toColourspace('b-w').png().toBuffer()],
  ['16 bit grey', () => halves.clone().toColourspace('grey16').png().toBuffer()],
  ['16 bit grey with a profile', async () => (await profiledGrey()).toColourspace('grey16').png().toBuffer()],
  ['8 bit RGBA', () => halves.clone().png().toBuffer()],
  ['16 bit RGBA', () => halves.clone().toColourspace('rgb16').png().toBuffer()],
  ['16 bit RGBA with a profile', () => halves.clone().toColourspace('rgb16').withIccProfile('p3').png().toBuffer()],
];

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

/** Red and alpha of a pixel of the left half and of one of the right half. */
async function halvesOf(input: string, segment: string, format: 'png' | 'webp' | 'avif' | 'jpeg') {
  const result = await studio.render(input, segment, format);
  const left = result.pixel(7, 10);
  const right = result.pixel(result.width - 8, 10);
  return { hasAlpha: result.hasAlpha, values: [left[0], left[3], right[0], right[3]] };
}

function expectNear(values: readonly number[], wanted: readonly number[], tolerance: number): void {
  const off = Math.max(...values.map((value, index) => Math.abs(value - (wanted[index] ?? 0))));
  expect(off, `${values}, expected ${wanted}`).toBeLessThanOrEqual(tolerance);
}

describe.each(inputs)('alpha of %s', (name, encoded) => {
  let input: string;
  beforeAll(async () => {
    input = await studio.keep(name, await encoded());
    const { channels, depth, hasProfile } = await sharp(input).metadata();
    const claimed = { channels: name.includes('grey') ? 2 : 4, depth: name.includes('16') ? 'ushort' : 'uchar' };
    expect({ channels, depth, hasProfile }).toEqual({ ...claimed, hasProfile: name.includes('profile') });
  });

  test.each(['png', 'webp', 'avif'] as const)('is kept in %s', async (format) => {
    for (const segment of ['', 'w_30', 'w_30,q_auto', 'w_40,h_40,g_face,r_3']) {
      const { hasAlpha, values } = await halvesOf(input, segment, format);
      expect([segment, hasAlpha]).toEqual([segment, true]);
      expectNear(values, [GREY, 255, GREY, 128], format === 'png' ? 3 : 8);
    }
  });

  test('lies in a JPEG on white, or on the background', async () => {
    const white = await halvesOf(input, 'w_30', 'jpeg');
    expect(white.hasAlpha).toBe(false);
    expectNear(white.values, [GREY, 255, (GREY + 255) / 2, 255], 8);
    expectNear((await halvesOf(input, 'w_30,b_000', 'jpeg')).values, [GREY, 255, GREY / 2, 255], 8);
  });
});

test('a faint black shadow in 16 bit grey stays one', async () => {
  const shadow = new URL('../../test/fixtures/16-bit-grey-alpha.png', import.meta.url).pathname;
  const meansOf = async (file: string) => {
    const { channels } = await sharp(file).toColourspace('srgb').ensureAlpha().stats();
    return channels.map(({ mean }) => mean);
  };
  // In 16 bits, of which a result has 8.
  const opacity = ((await sharp(shadow).stats()).channels[1]?.mean ?? 0) / 257;
  expect(opacity).toBeGreaterThan(7);
  for (const format of ['png', 'webp', 'avif'] as const) {
    const { file, hasAlpha, width, height } = await studio.render(shadow, 'w_50', format);
    expect([width, height, hasAlpha]).toEqual([50, 44, true]);
    expectNear(await meansOf(file), [0, 0, 0, opacity], 1);
  }
  const flat = await studio.render(shadow, 'w_50', 'jpeg');
  expectNear(await meansOf(flat.file), [255 - opacity, 255 - opacity, 255 - opacity, 255], 1.5);
  expect((await studio.render(shadow, 'w_50', 'fallback')).format).toBe('png');
});

describe('hidden colours do not show in a smaller result', () => {
  /** Orange on hidden black. `exact` keeps what is hidden. */
  const disc = () =>
    painted(256, 256, (x, y) => (Math.hypot(x - 128, y - 128) < 100 ? [255, 160, 40, 255] : [0, 0, 0, 0]));
  const inputs: [string, () => Promise<Buffer>][] = [
    ['a lossy WebP', () => readFile(new URL('../../test/fixtures/disc-lossy.webp', import.meta.url))],
    ['a lossless WebP', () => disc().webp({ lossless: true, exact: true }).toBuffer()],
    ['a nearly lossless WebP', () => disc().webp({ nearLossless: true, exact: true, quality: 60 }).toBuffer()],
    ['a lossy WebP of low quality', () => disc().webp({ quality: 60, exact: true }).toBuffer()],
    ['a PNG', () => disc().png().toBuffer()],
    ['an AVIF', () => disc().avif({ quality: 80, effort: 0 }).toBuffer()],
  ];

  test.each(inputs)('of %s', async (name, make) => {
    const input = await studio.keep(name, await make());
    for (const segment of ['w_64', 'w_37', 'w_64,h_32', 'w_40,h_40,c_pad,b_ffffff', 'w_100,a_30,b_ffffff']) {
      const { file } = await studio.render(input, segment);
      const { data } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
      let darkest = 255;
      for (let at = 0; at < data.length; at += 4)
        if ((data[at + 3] as number) > 40) darkest = Math.min(darkest, data[at] as number);
      expect(darkest, segment).toBeGreaterThan(200);
    }
  });
});

describe('alpha that the header of a lossless WebP denies is shown', () => {
  /** Denies it in the header of the pixels, and in that of an extended file. */
  function denied(webp: Buffer): Buffer {
    const copy = Buffer.from(webp);
    const pixels = copy.indexOf('VP8L') + 8;
    copy.writeUInt8(copy.readUInt8(pixels + 4) & ~0x10, pixels + 4);
    if (copy.toString('latin1', 12, 16) === 'VP8X') copy.writeUInt8(copy.readUInt8(20) & ~0x10, 20);
    return copy;
  }
  const plain = () => halves.clone().webp({ lossless: true });
  const files: [string, () => Promise<Buffer>][] = [
    ['a simple file', () => plain().toBuffer()],
    [
      'an extended file',
      () =>
        plain()
          .withExif({ IFD0: { Software: 'x' } })
          .toBuffer(),
    ],
    ['a file with a profile', () => plain().withIccProfile('srgb').toBuffer()],
  ];

  test.each(files)('of %s', async (name, make) => {
    const input = await studio.keep(`${name}.webp`, denied(await make()));
    expect((await sharp(input).metadata()).hasAlpha).toBe(false);
    for (const segment of ['', 'w_30', 'w_30,q_auto']) {
      const { hasAlpha, values } = await halvesOf(input, segment, 'png');
      expect([segment, hasAlpha]).toEqual([segment, true]);
      expectNear(values, [GREY, 255, GREY, 128], 3);
    }
    expect((await studio.render(input, 'w_30', 'fallback')).format).toBe('png');
  });

  test('but an opaque one stays opaque', async () => {
    const opaque = painted(WIDTH, HEIGHT, (x) => [x, GREY, GREY, 255]);
    const input = await studio.keep('opaque.webp', denied(await opaque.webp({ lossless: true }).toBuffer()));
    expect((await studio.render(input, 'w_30')).hasAlpha).toBe(false);
    expect((await studio.render(input, 'w_30', 'fallback')).format).toBe('jpeg');
  });
});
