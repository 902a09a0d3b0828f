import { pngChunk, profileChunk } from '@darkroom/image-files/png';
import { readRights } from '@darkroom/image-files/rights/rights';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADOBE_GAMMA, type Triple, toSrgb } from '../../test/pictures/colours.ts';
import { inLittleMemory } from '../../test/pictures/little-memory.ts';
import { CUBE, expectPatches, patches, share } from '../../test/pictures/patches.ts';
import { shown, srgbEotf } from '../../test/pictures/standards.ts';
import { openStudio, type Studio } from '../../test/pictures/studio.ts';
import { taggedPng, withChunks, words } from '../../test/pictures/tagged.ts';

let studio: Studio;
let count = 0;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const COLOURS = CUBE.map(share);
const SRGB_CHRM = words(31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000);
const ADOBE_CHRM = words(31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6_000);
const P3_CICP = Buffer.from([12, 13, 0, 1]);
const inP3 = COLOURS.map((colour) => shown(12, srgbEotf, colour));

type Chunks = Readonly<Record<string, Buffer>>;

/** Renders the cube from a PNG with these chunks. */
async function expectShown(chunks: Chunks, wanted: readonly Triple[], depth: 8 | 16 = 8) {
  const bytes = await taggedPng(COLOURS, chunks, depth);
  await expectPatches(studio, { name: `${++count}.png`, bytes }, wanted, { mean: 1, largest: 4 });
}

const atGamma = (gamma: number) => COLOURS.map((colour) => shown(1, (value) => value ** (1 / gamma), colour));

describe('a PNG without a profile', () => {
  test.each([0.55556, 0.5, 0.38, 1])('has the gamma of its gAMA chunk: %d', async (gamma) => {
    await expectShown({ gAMA: words(Math.round(gamma * 1e5)) }, atGamma(gamma), 16);
    if (gamma < 1) await expectShown({ gAMA: words(Math.round(gamma * 1e5)) }, atGamma(gamma));
  });

  test('has the primaries of its cHRM chunk, with the curve of sRGB or with its gamma', async () => {
    await expectShown(
      { cHRM: ADOBE_CHRM },
      COLOURS.map((colour) => shown('adobe', srgbEotf, colour)),
    );
    const adobe = COLOURS.map((colour) => toSrgb.adobe(colour));
    await expectShown({ gAMA: words(Math.round(1e5 / ADOBE_GAMMA)), cHRM: ADOBE_CHRM }, adobe);
    await expectShown({ gAMA: words(Math.round(1e5 / ADOBE_GAMMA)), cHRM: ADOBE_CHRM }, adobe, 16);
  });

  test('is sRGB by what programs write for it, and by an sRGB chunk whatever else it says', async () => {
    for (const chunks of [
      { gAMA: words(45_455) },
      { gAMA: words(45_000), cHRM: SRGB_CHRM },
      { cHRM: words(31_269, 32_899, 63_999, 33_001, 30_000, 60_000, 15_000, 5_999) },
      { sRGB: Buffer.from([0]), gAMA: words(100_000), cHRM: ADOBE_CHRM },
      { cICP: Buffer.from([1, 13, 0, 1]), gAMA: words(100_000), cHRM: ADOBE_CHRM },
    ]) {
      await expectShown(chunks, COLOURS);
    }
  });

  test('is sRGB where the chunks make no sense', async () => {
    for (const chunks of [
      { gAMA: words(0) },
      { gAMA: words(0xffff_ffff) },
      { gAMA: Buffer.from([0]) },
      { cHRM: words(0, 0, 0, 0, 0, 0, 0, 0) },
      { cHRM: words(31_270, 0, 64_000, 0, 30_000, 0, 15_000, 0) },
      { cHRM: words(31_270, 32_900, 50_000, 50_000, 40_000, 40_000, 30_000, 30_000) },
      { cICP: Buffer.from([0, 0, 0, 1]) },
    ] as Chunks[]) {
      await expectShown(chunks, COLOURS);
    }
  });

  test('has the colours of its cICP chunk, of a narrow range too', async () => {
    await expectShown({ cICP: P3_CICP, gAMA: words(100_000) }, inP3);
    await expectShown({ cICP: P3_CICP }, inP3, 16);
    const full = (value: number) => Math.min(1, Math.max(0, (value * 255 - 16) / 219));
    await expectShown(
      { cICP: Buffer.from([9, 14, 0, 0]) },
      COLOURS.map((colour) => shown(9, (value) => srgbEotf(full(value)), colour)),
    );
  });

  test('takes little memory, however many chunks it has', async () => {
    const chunk = pngChunk('prVt', Buffer.alloc(0));
    const plain = await taggedPng(COLOURS, {});
    const file = Buffer.concat([
      plain.subarray(0, 33),
      Buffer.alloc(300_000 * chunk.length, chunk),
      plain.subarray(33),
    ]);
    const body = `return (await load('colour/png-colour.ts')).withPngProfile(bytes, Buffer.from('a profile')).length`;
    const growth = profileChunk(Buffer.from('a profile')).length;
    expect(await inLittleMemory(body, file)).toBe(file.length + growth);
  });

  test('keeps its alpha and its rights', async () => {
    const raw = { width: 2, height: 1, channels: 4 } as const;
    const made = sharp(Buffer.from([128, 128, 128, 255, 128, 128, 128, 51]), { raw });
    const png = withChunks(
      await made
        .withExif({ IFD0: { Artist: 'Ada' } })
        .png()
        .toBuffer(),
      { gAMA: words(1e5) },
    );
    const { pixel, file } = await studio.render(await studio.keep('alpha.png', png), '');
    expect([pixel(0, 0), pixel(1, 0)]).toEqual([
      [188, 188, 188, 255],
      [188, 188, 188, 51],
    ]);
    expect(readRights(await sharp(file).metadata())).toEqual({ Artist: 'Ada' });
  });
});

describe('a grey PNG without a profile', () => {
  const greys = Array.from({ length: 52 }, (_, index) => index * 5);
  const wanted = greys.map((value) => toSrgb.grey(value / 255, 1.8));
  const made = () => {
    const { samples, width, height } = patches(greys.map((value) => [value]));
    return sharp(samples, { raw: { width, height, channels: 1 } });
  };

  test('has the gamma of its gAMA chunk, in 8 and in 16 bits', async () => {
    for (const space of ['b-w', 'grey16']) {
      const png = await made().toColourspace(space).png().toBuffer();
      const bytes = withChunks(png, { gAMA: words(55_556), cHRM: ADOBE_CHRM });
      expect(await sharp(bytes).metadata()).toMatchObject({ space, hasProfile: false });
      await expectPatches(studio, { name: `grey-${space}.png`, bytes }, wanted);
    }
  });

  test('stays as it is by the gamma of sRGB', async () => {
    const bytes = withChunks(await made().toColourspace('b-w').png().toBuffer(), { gAMA: words(45_455) });
    const asIs = greys.map((value) => share([value, value, value]));
    await expectPatches(studio, { name: 'plain-grey.png', bytes }, asIs);
  });
});

describe('a PNG with a profile', () => {
  const profiled = async () => {
    const plain = await taggedPng(COLOURS, {});
    return await sharp(plain).withIccProfile('p3', { attach: true }).png().toBuffer();
  };

  test('has its colours, whatever gAMA and cHRM say', async () => {
    const bytes = withChunks(await profiled(), { gAMA: words(100_000), cHRM: ADOBE_CHRM });
    await expectPatches(studio, { name: 'profile-wins.png', bytes }, COLOURS);
  });

  test('has the colours of its cICP chunk, which wins', async () => {
    const file = await profiled();
    const numbers = await sharp(file, { ignoreIcc: true }).raw().toBuffer({ resolveWithObject: true });
    const { width } = numbers.info;
    const coded = COLOURS.map((_, index) => {
      const at = (Math.floor(index / 36) * 8 * width + (index % 36) * 8) * 3;
      return share([...numbers.data.subarray(at, at + 3)]);
    });
    const asSrgb = withChunks(file, { cICP: Buffer.from([1, 13, 0, 1]) });
    await expectPatches(studio, { name: 'code-points-win.png', bytes: asSrgb }, coded);
    const linear = withChunks(file, { cICP: Buffer.from([1, 8, 0, 1]) });
    const light = coded.map((colour) => shown(1, (value) => value, colour));
    await expectPatches(studio, { name: 'linear-wins.png', bytes: linear }, light, { mean: 1, largest: 8 });
  });
});
