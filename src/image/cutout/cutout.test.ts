import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStudio, type Shown, type Studio, solid } from '../../../test/pictures/studio.ts';
import { analyse, createFinders } from '../analysis/find.ts';
import { createPeopleFinder } from './find-people.ts';

const fixture = (name: string) => new URL(`../../../test/fixtures/${name}`, import.meta.url).pathname;
/** 800 x 533: a face from 290, 130 to 510, 400; meadow around it. */
const PORTRAIT = fixture('portrait-face.jpg');
/** A crowd in the dark, too small and too many to be seen. */
const NOBODY = fixture('concert.jpg');

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const alphaAt = ({ width, height, pixel }: Shown, x: number, y: number) =>
  pixel(Math.floor(x * width), Math.floor(y * height))[3];

/** Alpha of each pixel, row by row. */
const alphasOf = ({ width, height, pixel }: Shown) =>
  Array.from({ length: width * height }, (_, at) => pixel(at % width, Math.floor(at / width))[3]);

/** The mean difference of how opaque pixels are. */
function differenceOf(one: Shown, other: Shown): number {
  expect([one.width, one.height]).toEqual([other.width, other.height]);
  const others = alphasOf(other);
  return alphasOf(one).reduce((sum, alpha, at) => sum + Math.abs(alpha - (others[at] as number)), 0) / others.length;
}

/** A cut-out that is turned or cut as an image of its own. */
const after = async (cut: Shown, change: (image: Sharp) => Sharp) =>
  studio.render(await studio.keep('changed.png', await change(sharp(cut.file)).png().toBuffer()), '');

describe('e_cutout', () => {
  test('keeps the person opaque, in the same colours, and makes the background transparent', async () => {
    const cut = await studio.render(PORTRAIT, 'e_cutout');
    const whole = await studio.render(PORTRAIT, '');
    expect([cut.width, cut.height, cut.hasAlpha]).toEqual([800, 533, true]);
    // Her cheek, chin, neck and shoulders.
    for (const [x, y] of [
      [0.45, 0.5],
      [0.5, 0.65],
      [0.45, 0.8],
      [0.35, 0.95],
      [0.7, 0.95],
    ] as const) {
      const column = Math.floor(x * 800);
      const row = Math.floor(y * 533);
      expect(cut.pixel(column, row)).toEqual(whole.pixel(column, row));
    }
    for (const [x, y] of [
      [0.05, 0.05],
      [0.95, 0.05],
      [0.1, 0.5],
      [0.9, 0.5],
      [0.05, 0.95],
      [0.5, 0.02],
    ] as const) {
      expect(alphaAt(cut, x, y)).toBe(0);
    }
    const opaque = alphasOf(cut).filter((alpha) => alpha > 127).length / (800 * 533);
    expect(opaque).toBeGreaterThan(0.3);
    expect(opaque).toBeLessThan(0.45);
  });

  test('has an edge of a few pixels, not of as many as the model is coarse', async () => {
    const alphas = alphasOf(await studio.render(PORTRAIT, 'e_cutout'));
    const soft = alphas.filter((alpha) => alpha > 12 && alpha < 243).length;
    expect(soft / alphas.length).toBeLessThan(0.04);
  });

  test.each([
    ['a_90', 'a_90,e_cutout', (image: Sharp) => image.rotate(90)],
    ['a_hflip', 'a_hflip,e_cutout', (image: Sharp) => image.flop()],
    ['a_vflip.90', 'a_vflip.90,e_cutout', (image: Sharp) => image.flip().rotate(90)],
    [
      'a region',
      'rg_100:50:400:300,e_cutout',
      (image: Sharp) => image.extract({ left: 100, top: 50, width: 400, height: 300 }),
    ],
    ['a width', 'w_200,e_cutout', (image: Sharp) => image.resize(200, 133, { fit: 'fill' })],
    ['a stretch', 'w_300,h_400,c_scale,e_cutout', (image: Sharp) => image.resize(300, 400, { fit: 'fill' })],
    [
      'a crop',
      'w_266,h_266,g_east,e_cutout',
      (image: Sharp) => image.resize(399, 266, { fit: 'fill' }).extract({ left: 133, top: 0, width: 266, height: 266 }),
    ],
    ['a zoom', 'z_2,g_nw,e_cutout', (image: Sharp) => image.extract({ left: 0, top: 0, width: 400, height: 267 })],
  ])('cuts out the same with %s', async (_name, segment, change) => {
    const whole = await studio.render(PORTRAIT, 'e_cutout');
    expect(differenceOf(await studio.render(PORTRAIT, segment), await after(whole, change))).toBeLessThan(1.5);
  });

  test('cuts out the same of a picture that is turned by its EXIF orientation, or freely', async () => {
    const sideways = await sharp(PORTRAIT).rotate(90).withMetadata({ orientation: 8 }).png().toBuffer();
    const whole = await studio.render(PORTRAIT, 'w_400,e_cutout');
    const turned = await studio.render(await studio.keep('sideways.png', sideways), 'w_400,e_cutout');
    expect(differenceOf(turned, whole)).toBeLessThan(1.5);
    const tilted = await studio.render(PORTRAIT, 'a_30,e_cutout');
    const { width, height } = tilted;
    expect([alphaAt(tilted, 0.02, 0.02), alphaAt(tilted, 0.98, 0.98)]).toEqual([0, 0]);
    // The cheek is 40 pixels to the left of the middle and as high as it.
    const x = width / 2 - 40 * Math.cos(Math.PI / 6);
    const y = height / 2 - 40 * Math.sin(Math.PI / 6);
    expect(tilted.pixel(Math.round(x), Math.round(y))[3]).toBe(255);
  });

  test('cuts out the same within a border that is trimmed, turned freely too', async () => {
    const framed = await sharp(PORTRAIT)
      .extend({ top: 40, left: 90, right: 10, bottom: 0, background: 'white' })
      .png()
      .toBuffer();
    const file = await studio.keep('framed.png', framed);
    for (const turn of ['', ',a_20']) {
      const bare = await studio.render(PORTRAIT, `w_400${turn},e_cutout`);
      const trimmed = await studio.render(file, `tr_3,w_400${turn},e_cutout`);
      expect(differenceOf(trimmed, bare)).toBeLessThan(4);
    }
  });

  test('shows nothing of a trimmed border in the corners of a picture that is turned freely', async () => {
    const original = await studio.keep('grey.png', await solid(100, 100, [90, 90, 90, 255]).png().toBuffer());
    const everywhere = await solid(10, 10, [255, 255, 255, 255]).toColourspace('b-w').png().toBuffer();
    const shown = await studio.render(original, 'tr,a_45,e_cutout', 'png', {
      edges: { left: 20, top: 20, width: 60, height: 40 },
      cutout: { mask: everywhere.toString('base64') },
    });
    const { width, height } = shown;
    expect([width, height]).toEqual([71, 71]);
    const corners = [shown.pixel(8, 8), shown.pixel(62, 8), shown.pixel(8, 62), shown.pixel(62, 62)];
    expect(corners.map(([, , , alpha]) => alpha)).toEqual([0, 0, 0, 0]);
    expect(alphaAt(shown, 0.5, 0.5)).toBe(255);
  });

  test('leaves a picture without people as it is, and opaque', async () => {
    const cut = await studio.render(NOBODY, 'e_cutout');
    const whole = await studio.render(NOBODY, '');
    expect(cut.hasAlpha).toBe(false);
    expect(await sharp(cut.file).raw().toBuffer()).toEqual(await sharp(whole.file).raw().toBuffer());
    expect((await studio.render(NOBODY, 'e_cutout', 'fallback')).format).toBe('jpeg');
  });

  test('gives PNG where the client takes nothing newer, and lies on b, or on white, in a JPEG', async () => {
    expect((await studio.render(PORTRAIT, 'w_200,e_cutout', 'fallback')).format).toBe('png');
    expect((await studio.render(PORTRAIT, 'w_200,e_cutout', 'webp')).hasAlpha).toBe(true);
    const white = await studio.render(PORTRAIT, 'w_200,e_cutout,q_100', 'jpeg');
    expect([white.at(10, 10), white.at(190, 60)]).toEqual(['white', 'white']);
    const red = await studio.render(PORTRAIT, 'w_200,h_200,c_pad,e_cutout,b_f00,q_100', 'jpeg');
    expect([red.at(10, 10), red.at(10, 60), red.at(190, 100)]).toEqual(['red', 'red', 'red']);
    expect(red.at(90, 100)).not.toBe('red');
  });

  test('comes after the other effects, and before what is painted around the picture', async () => {
    const all = await studio.render(
      PORTRAIT,
      'w_200,h_200,c_pad,b_blur:5,e_blur:2,e_hue:90,e_vignette,e_cutout,bo_3:00f,r_8,o_50~l_text:Hi,g_north',
    );
    expect([all.width, all.height, all.hasAlpha]).toEqual([200, 200, true]);
  });

  test('has the layer that lies behind it as its new background', async () => {
    await studio.keep('red.png', await solid(20, 20, [255, 0, 0, 255]).png().toBuffer());
    for (const format of ['png', 'jpeg'] as const) {
      const shown = await studio.render(PORTRAIT, 'w_200,e_cutout~l_red.png,w_1.0,h_1.0,bl_behind', format);
      expect([shown.at(10, 10), shown.at(190, 60)]).toEqual(['red', 'red']);
      expect(shown.at(90, 67)).not.toBe('red');
    }
  });

  test('cuts out every frame of an animation by the people of the first', async () => {
    const { data, info } = await sharp(PORTRAIT).resize(200).raw().toBuffer({ resolveWithObject: true });
    const { width, height } = info;
    const both = Buffer.concat([data, data.map((level) => 255 - level)]);
    const strip = sharp(both, { raw: { width, height: 2 * height, channels: 3, pageHeight: height } });
    const moving = await studio.keep('moving.webp', await strip.webp({ lossless: true, delay: [100, 100] }).toBuffer());
    const { file } = await studio.render(moving, 'an_true,e_cutout', 'webp');
    const frames = await sharp(file, { animated: true }).extractChannel(3).raw().toBuffer();
    expect(frames).toHaveLength(2 * width * height);
    for (const top of [0, height]) {
      const alphaOf = (x: number, y: number) => frames[(top + Math.floor(y * height)) * width + Math.floor(x * width)];
      expect([alphaOf(0.45, 0.5), alphaOf(0.5, 0.8), alphaOf(0.05, 0.05), alphaOf(0.9, 0.5)]).toEqual([255, 255, 0, 0]);
    }
  });

  test('keeps what was transparent before', async () => {
    const half = await sharp(PORTRAIT).ensureAlpha(0.6).png().toBuffer();
    const cut = await studio.render(await studio.keep('half.png', half), 'e_cutout');
    expect(alphaAt(cut, 0.45, 0.5)).toBe(153);
    expect(alphaAt(cut, 0.05, 0.05)).toBe(0);
  });
});

test('grey pictures, pictures of 16 bits and tiny ones are looked at as others are', async () => {
  for (const [name, image] of [
    ['grey', sharp(PORTRAIT).greyscale().toColourspace('b-w')],
    ['deep', sharp(PORTRAIT).toColourspace('rgb16')],
  ] as const) {
    const cut = await studio.render(await studio.keep(name, await image.png().toBuffer()), 'w_200,e_cutout');
    expect([alphaAt(cut, 0.45, 0.5), alphaAt(cut, 0.05, 0.05)], name).toEqual([255, 0]);
  }
  const dot = await studio.keep('dot', await solid(1, 1, [90, 90, 90, 255]).png().toBuffer());
  expect((await studio.render(dot, 'e_cutout')).width).toBe(1);
});

test('a model that cannot be loaded is an error, not a picture without people', async () => {
  const people = createPeopleFinder(new URL('file:///nowhere/model.tflite'));
  const order = {
    input: PORTRAIT,
    output: studio.file('found.json'),
    analysis: { kind: 'cutout' },
    limits: { inputMegapixels: 100, animationFrames: 10 },
  } as const;
  await expect(analyse(order, { ...createFinders(), people })).rejects.toThrow('People cannot be found');
});
