import { toSharp, withJpegProfile } from '@darkroom/image-files/decoded-image';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { greyProfile, rgbProfile } from '../../test/corpus/make/profiles.ts';
import { ADOBE_GAMMA, differences, type Triple, toSrgb } from '../../test/pictures/colours.ts';
import { CUBE, expectPatches, patches, share, shownPatches, type Tolerance } from '../../test/pictures/patches.ts';
import { psdSample } from '../../test/pictures/psd-sample.ts';
import { displayP3, openStudio, type Studio } from '../../test/pictures/studio.ts';

const fixture = (name: string) => new URL(`../../test/fixtures/${name}`, import.meta.url).pathname;

let studio: Studio;
let p3: Buffer;

beforeAll(async () => {
  studio = await openStudio();
  p3 = await displayP3();
});
afterAll(() => studio.close());

const GREYS = Array.from({ length: 52 }, (_, index) => index * 5);

const expectColours = (name: string, bytes: Buffer, wanted: readonly Triple[], tolerance?: Tolerance) =>
  expectPatches(studio, { name, bytes }, wanted, tolerance);

describe('RGB with a profile becomes sRGB', () => {
  const spaces = {
    'Display P3': { icc: () => p3, wanted: CUBE.map((colour) => toSrgb.p3(share(colour))) },
    'Adobe RGB': {
      icc: () => rgbProfile(2, 'adobe', ADOBE_GAMMA),
      wanted: CUBE.map((colour) => toSrgb.adobe(share(colour))),
    },
  };
  const image = (icc: Buffer) => toSharp({ ...patches(CUBE), channels: 3, space: 'srgb', icc });

  test.each(Object.entries(spaces))('%s', async (name, { icc, wanted }) => {
    const profiled = async () => (await image(icc())).keepIccProfile();
    await expectColours(`${name}.png`, await (await profiled()).png().toBuffer(), wanted);
    await expectColours(`${name}.webp`, await (await profiled()).webp({ lossless: true }).toBuffer(), wanted);
    const avif = { quality: 95, chromaSubsampling: '4:4:4', effort: 0 } as const;
    await expectColours(`${name}.avif`, await (await profiled()).avif(avif).toBuffer(), wanted, {
      mean: 1,
      largest: 5,
    });
    const jpeg = { quality: 100, chromaSubsampling: '4:4:4' } as const;
    await expectColours(`${name}.jpg`, await (await profiled()).jpeg(jpeg).toBuffer(), wanted, { mean: 1, largest: 5 });
  });

  test.each(Object.entries(spaces))('%s of 16 bits', async (name, { icc, wanted }) => {
    const deep = (await image(icc())).keepIccProfile().toColourspace('rgb16').png();
    const bytes = await deep.toBuffer();
    expect(await sharp(bytes).metadata()).toMatchObject({ depth: 'ushort', icc: icc() });
    await expectColours(`${name}-deep.png`, bytes, wanted);
  });

  test('of 16 bits without a profile it is sRGB already', async () => {
    const deep = sharp(patches(CUBE).samples, { raw: patches(CUBE) }).toColourspace('rgb16');
    await expectColours('deep.png', await deep.png().toBuffer(), CUBE.map(share));
  });
});

describe('grey', () => {
  const grey = (icc?: Buffer) =>
    toSharp({ ...patches(GREYS.map((value) => [value])), channels: 1, space: 'b-w', ...(icc && { icc }) });
  const wanted = (gamma: number) => GREYS.map((value) => toSrgb.grey(value / 255, gamma));
  const asIs = GREYS.map((value) => share([value, value, value]));

  test('without a profile is sRGB, in 8 and in 16 bits', async () => {
    await expectColours('grey.png', await (await grey()).png().toBuffer(), asIs);
    await expectColours('grey16.png', await (await grey()).toColourspace('grey16').png().toBuffer(), asIs);
    await expectColours('grey.jpg', await (await grey()).jpeg({ quality: 100 }).toBuffer(), asIs);
  });

  test.each([1.8, 2.2, 1])('with a profile of gamma %s becomes sRGB, in 8 and in 16 bits', async (gamma) => {
    const icc = greyProfile(2, gamma);
    // In linear light eight bits cannot tell the darkest greys apart.
    const tolerance = { mean: 1, largest: gamma === 1 ? 6 : 3 };
    const profiled = async () => (await grey(icc)).toColourspace('b-w').keepIccProfile();
    const png = await (await profiled()).png().toBuffer();
    expect(await sharp(png).metadata()).toMatchObject({ space: 'b-w', icc });
    await expectColours(`grey-${gamma}.png`, png, wanted(gamma), tolerance);
    const deep = await (await profiled()).toColourspace('grey16').png().toBuffer();
    expect(await sharp(deep).metadata()).toMatchObject({ space: 'grey16', icc });
    await expectColours(`grey16-${gamma}.png`, deep, wanted(gamma), tolerance);
    const jpeg = await (await profiled()).jpeg({ quality: 100 }).toBuffer();
    await expectColours(`grey-${gamma}.jpg`, jpeg, wanted(gamma), tolerance);
  });
});

/**
 * Inks (255 is full) of points of cmyk-profile.jpg; what Little CMS 2.14 makes of them in sRGB, perceptual intent,
 * through the profile of that file; and the same through the profile that libvips falls back to (sharp's
 * `withIccProfile('cmyk')`). Of each: `transicc -s -i profile.icc -o '*sRGB' -t 0`, rounded.
 */
const INKS: readonly (readonly [readonly number[], Triple, Triple])[] = [
  [
    [138, 120, 160, 57],
    [110, 107, 89],
    [104, 98, 84],
  ],
  [
    [142, 122, 113, 17],
    [122, 121, 125],
    [114, 111, 118],
  ],
  [
    [166, 142, 168, 108],
    [72, 74, 65],
    [69, 69, 64],
  ],
  [
    [75, 55, 56, 0],
    [182, 185, 187],
    [169, 169, 173],
  ],
  [
    [83, 66, 72, 0],
    [176, 175, 173],
    [163, 158, 158],
  ],
  [
    [160, 154, 180, 121],
    [71, 65, 54],
    [70, 61, 55],
  ],
  [
    [194, 164, 172, 187],
    [26, 33, 30],
    [31, 32, 40],
  ],
  [
    [127, 111, 140, 29],
    [129, 124, 110],
    [121, 114, 102],
  ],
  [
    [178, 91, 232, 64],
    [78, 110, 59],
    [71, 101, 50],
  ],
  [
    [129, 58, 198, 6],
    [137, 161, 95],
    [124, 147, 80],
  ],
  [
    [205, 135, 135, 75],
    [53, 86, 91],
    [46, 78, 87],
  ],
  [
    [189, 105, 255, 91],
    [61, 91, 42],
    [55, 83, 34],
  ],
  [
    [202, 124, 243, 153],
    [30, 58, 25],
    [31, 53, 31],
  ],
  [
    [102, 62, 36, 0],
    [155, 174, 195],
    [146, 161, 184],
  ],
  [
    [117, 92, 62, 2],
    [145, 150, 167],
    [135, 137, 156],
  ],
  [
    [182, 152, 142, 117],
    [59, 66, 69],
    [58, 61, 69],
  ],
  [
    [169, 135, 110, 44],
    [92, 102, 113],
    [85, 93, 108],
  ],
  [
    [32, 25, 32, 0],
    [220, 219, 215],
    [212, 208, 204],
  ],
];

/** In percent: the axis of black, and blacks that print shops mix. */
const BLACKS = [
  ...Array.from({ length: 21 }, (_, index) => [0, 0, 0, index * 5]),
  ...[
    [60, 40, 40, 100],
    [75, 68, 67, 90],
    [75, 65, 65, 95],
    [40, 30, 30, 100],
    [50, 50, 50, 100],
    [30, 0, 0, 100],
    [91, 79, 62, 97],
    [100, 100, 100, 100],
  ],
].map((inks) => inks.map((share) => Math.round(share * 2.55)));

describe('CMYK becomes sRGB', () => {
  type Inks = ReturnType<typeof patches>;
  const inks = patches(INKS.map(([values]) => values));
  const plane = ({ samples }: Inks, channel: number) =>
    Buffer.from(samples.filter((_value, index) => index % 4 === channel));

  /** The inks as they are, with or without a profile. */
  async function inkJpeg(of: Inks, icc?: Buffer): Promise<Buffer> {
    const raw = { width: of.width, height: of.height, channels: 1 } as const;
    const jpeg = await sharp(plane(of, 0), { raw })
      .joinChannel(
        [1, 2, 3].map((channel) => plane(of, channel)),
        { raw },
      )
      .toColourspace('cmyk')
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
      .toBuffer();
    return icc ? withJpegProfile(jpeg, icc) : jpeg;
  }

  /** The same in a PSD, which stores 0 for full ink. */
  function inkPsd(of: Inks, icc?: Buffer): Buffer {
    const planes = [0, 1, 2, 3].map((channel) => Buffer.from(plane(of, channel).map((value) => 255 - value)));
    const { width, height } = of;
    return psdSample({ mode: 4, width, height, planes, ...(icc && { resources: { 1039: icc } }) });
  }

  test('through its profile, in JPEG and PSD', async () => {
    const { icc } = await sharp(fixture('cmyk-profile.jpg')).metadata();
    const wanted = INKS.map(([, colour]) => share(colour));
    const jpeg = await inkJpeg(inks, icc);
    expect(await sharp(jpeg).metadata()).toMatchObject({ space: 'cmyk', icc });
    await expectColours('profiled-cmyk.jpg', jpeg, wanted);
    await expectColours('profiled-cmyk.psd', inkPsd(inks, icc), wanted);
  });

  test('without a profile through that of a press, in JPEG and PSD', async () => {
    const wanted = INKS.map(([, , colour]) => share(colour));
    const jpeg = await inkJpeg(inks);
    expect(await sharp(jpeg).metadata()).toMatchObject({ space: 'cmyk', hasProfile: false });
    await expectColours('bare-cmyk.jpg', jpeg, wanted);
    await expectColours('bare-cmyk.psd', inkPsd(inks), wanted);
  });

  test('without a profile its blacks are neutral, from paper to full ink, in JPEG and PSD', async () => {
    const blacks = patches(BLACKS);
    for (const [name, bytes] of [
      ['blacks.jpg', await inkJpeg(blacks)],
      ['blacks.psd', inkPsd(blacks)],
    ] as const) {
      const { file } = await studio.render(await studio.keep(name, bytes), '');
      const colours = await shownPatches(file, BLACKS.length);
      expect(differences(colours, colours.map(greyOf)).largest).toBeLessThan(2);
      const axis = colours.slice(0, 21).map(([, green]) => green);
      expect(axis).toEqual([...axis].sort((one, other) => other - one));
      expect([axis[0], axis[20]]).toEqual([1, expect.closeTo(0.03, 1)]);
      expect(Math.max(...colours.slice(21).flat())).toBeLessThan(0.05);
    }
  });
});

/** The grey that is as bright. */
function greyOf(colour: Triple): Triple {
  const light = colour.map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return toSrgb.grey(0.2126 * (light[0] ?? 0) + 0.7152 * (light[1] ?? 0) + 0.0722 * (light[2] ?? 0), 1);
}
