import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { differences, type Triple } from '../../test/pictures/colours.ts';
import { CUBE, expectPatches, share } from '../../test/pictures/patches.ts';
import { type PrimariesName, shown, shownHlg, shownPq, smpte240, srgbEotf } from '../../test/pictures/standards.ts';
import { openStudio, type Studio } from '../../test/pictures/studio.ts';
import { taggedAvif, taggedPng } from '../../test/pictures/tagged.ts';

const fixture = (name: string) => new URL(`../../test/fixtures/${name}`, import.meta.url).pathname;

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const COLOURS = CUBE.map(share);
/** Numbers of PQ from black to 1000 cd/m2, and a few that are brighter. */
const PQ_COLOURS = COLOURS.map((colour) => colour.map((value) => value * 0.8) as unknown as Triple);

const power = (exponent: number) => (value: number) => value ** exponent;

/** Code points, and what they mean. */
const SDR: readonly [string, number, number, PrimariesName, (value: number) => number][] = [
  ['Display P3', 12, 13, 12, srgbEotf],
  ['BT.2020', 9, 14, 9, srgbEotf],
  ['BT.2020 of 12 bits', 9, 15, 9, srgbEotf],
  ['BT.601 of 625 lines', 5, 6, 5, srgbEotf],
  ['BT.601 of 525 lines', 6, 6, 6, srgbEotf],
  ['SMPTE 240M', 7, 7, 6, smpte240],
  ['linear BT.709', 1, 8, 1, power(1)],
  ['gamma 2.2', 1, 4, 1, power(2.2)],
  ['gamma 2.8 with the primaries of BT.470', 5, 5, 5, power(2.8)],
  ['DCI-P3', 11, 17, 11, power(2.6)],
];

describe('an AVIF that names its colours by code points alone', () => {
  test.each(SDR)('%s (%i/%i) becomes sRGB', async (_name, primaries, transfer, matrix, light) => {
    const wanted = COLOURS.map((colour) => shown(matrix, light, colour));
    for (const bits of [8, 10] as const) {
      const bytes = await taggedAvif(COLOURS, { primaries, transfer, bits });
      // In linear light eight bits cannot tell the darkest colours apart.
      const tolerance = { mean: 1, largest: transfer === 8 && bits === 8 ? 8 : 4 };
      await expectPatches(studio, { name: `${primaries}-${transfer}-${bits}.avif`, bytes }, wanted, tolerance);
    }
  });

  test.each([
    [1, 13],
    [1, 1],
    [1, 6],
    [2, 2],
    [1, 2],
    [200, 200],
  ])('%i/%i is sRGB already', async (primaries, transfer) => {
    const bytes = await taggedAvif(COLOURS, { primaries, transfer });
    await expectPatches(studio, { name: `srgb-${primaries}-${transfer}.avif`, bytes }, COLOURS);
  });
});

describe('HDR is tone-mapped', () => {
  test.each([8, 10, 12] as const)('from PQ in an AVIF of %i bits', async (bits) => {
    const bytes = await taggedAvif(PQ_COLOURS, { primaries: 9, transfer: 16, bits });
    const wanted = PQ_COLOURS.map((colour) => shownPq(9, colour));
    await expectPatches(studio, { name: `pq-${bits}.avif`, bytes }, wanted, { mean: 1, largest: 4 });
  });

  test.each([8, 10, 12] as const)('from HLG in an AVIF of %i bits', async (bits) => {
    const bytes = await taggedAvif(COLOURS, { primaries: 9, transfer: 18, bits });
    const wanted = COLOURS.map(shownHlg);
    await expectPatches(studio, { name: `hlg-${bits}.avif`, bytes }, wanted, { mean: 1, largest: 4 });
  });

  test('from PQ with the primaries of Display P3', async () => {
    const bytes = await taggedAvif(PQ_COLOURS, { primaries: 12, transfer: 16 });
    const wanted = PQ_COLOURS.map((colour) => shownPq(12, colour));
    await expectPatches(studio, { name: 'pq-p3.avif', bytes }, wanted, { mean: 1, largest: 4 });
  });

  test('and greys stay grey', async () => {
    const greys = Array.from({ length: 65 }, (_, index): Triple => [index / 64, index / 64, index / 64]);
    for (const transfer of [16, 18]) {
      const bytes = await taggedAvif(greys, { primaries: 9, transfer });
      const wanted = greys.map((grey) => (transfer === 16 ? shownPq(9, grey) : shownHlg(grey)));
      await expectPatches(studio, { name: `greys-${transfer}.avif`, bytes }, wanted, { mean: 0.5, largest: 1 });
    }
  });

  test.each([8, 16] as const)('from PQ and HLG in a PNG of %i bits', async (depth) => {
    const pq = await taggedPng(PQ_COLOURS, { cICP: Buffer.from([9, 16, 0, 1]) }, depth);
    const wanted = PQ_COLOURS.map((colour) => shownPq(9, colour));
    await expectPatches(studio, { name: `pq-${depth}.png`, bytes: pq }, wanted, { mean: 1, largest: 4 });
    const hlg = await taggedPng(COLOURS, { cICP: Buffer.from([9, 18, 0, 1]) }, depth);
    await expectPatches(studio, { name: `hlg-${depth}.png`, bytes: hlg }, COLOURS.map(shownHlg), {
      mean: 1,
      largest: 4,
    });
  });

  test.each([
    ['PQ in a HEIC of 10 bits', 'hdr-pq.heic', (colour: Triple) => shownPq(9, colour)],
    ['HLG in an AVIF whose stream alone says so', 'hlg-stream.avif', shownHlg],
  ])('from %s', async (_name, file, reference) => {
    const { pixel } = await studio.render(fixture(file), '');
    const squares = Array.from({ length: 64 }, (_, index) => index);
    const wanted = squares.map((index) =>
      reference([
        [0, 0.3, 0.5, 0.7][index >> 4] ?? 0,
        [0, 0.35, 0.55, 0.75][(index >> 2) & 3] ?? 0,
        [0, 0.4, 0.6, 0.8][index & 3] ?? 0,
      ]),
    );
    const got = squares.map((index) => share(pixel((index & 7) * 8 + 4, (index >> 3) * 8 + 4).slice(0, 3)));
    const { mean, largest } = differences(got, wanted);
    expect(mean).toBeLessThan(1);
    expect(largest).toBeLessThan(4);
  });

  test('before anything is painted on it or cut from it', async () => {
    const bytes = await taggedAvif(COLOURS, { primaries: 9, transfer: 18 });
    const input = await studio.keep('effects.avif', bytes);
    const { pixel } = await studio.render(input, 'w_400,h_400,c_pad,b_3060f0');
    expect(pixel(5, 5)).toEqual([0x30, 0x60, 0xf0, 255]);
    const { pixel: scaled } = await studio.render(input, 'w_144');
    const middle = shownHlg(COLOURS[35] as Triple).map((value) => expect.closeTo(value * 255, -1));
    expect(scaled(142, 2)).toEqual([...middle, 255]);
  });
});
