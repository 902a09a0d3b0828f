import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStudio, type Pixel, type Shown, type Studio } from '../../../../test/pictures/studio.ts';

type Colour = [number, number, number];
type Formula = (colour: Colour) => Colour;

const SIDE = 64;
const EVERY = 17;

/** 4,096 colours: sixteen steps of each channel. */
const colourAt = (index: number): Colour => [
  (index % 16) * EVERY,
  (Math.floor(index / 16) % 16) * EVERY,
  Math.floor(index / 256) * EVERY,
];
const alphaAt = (index: number) => [255, 128, 40][index % 3] ?? 255;

let studio: Studio;
const inputs: Record<string, string> = {};

beforeAll(async () => {
  studio = await openStudio();
  const count = SIDE * SIDE;
  const samples = (channels: number, sampleAt: (index: number, channel: number) => number) =>
    Buffer.from(
      Array.from({ length: count * channels }, (_, at) => sampleAt(Math.floor(at / channels), at % channels)),
    );
  const image = (channels: 1 | 3 | 4, sampleAt: (index: number, channel: number) => number) =>
    sharp(samples(channels, sampleAt), { raw: { width: SIDE, height: SIDE, channels } });
  const rgb = () => image(3, (index, channel) => colourAt(index)[channel] ?? 0);
  const files: Record<string, Promise<Buffer>> = {
    RGB: rgb().png().toBuffer(),
    RGBA: image(4, (index, channel) => colourAt(index)[channel] ?? alphaAt(index))
      .png()
      .toBuffer(),
    grey: image(1, (index) => index >> 4)
      .toColourspace('b-w')
      .png()
      .toBuffer(),
    CMYK: rgb().toColourspace('cmyk').jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer(),
    '16 bit': rgb().toColourspace('rgb16').png().toBuffer(),
  };
  for (const [kind, file] of Object.entries(files)) inputs[kind] = await studio.keep(kind, await file);
});
afterAll(() => studio.close());

const luma = ([r, g, b]: Colour) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
const each =
  (change: (value: number) => number): Formula =>
  ([r, g, b]) => [change(r), change(g), change(b)];
const mixed =
  (share: number, formula: Formula): Formula =>
  (colour) =>
    formula(colour).map((value, channel) => value * share + (colour[channel] ?? 0) * (1 - share)) as Colour;
const saturated =
  (s: number): Formula =>
  ([r, g, b]) => {
    const grey = 0.213 * r + 0.715 * g + 0.072 * b;
    return [grey + (r - grey) * s, grey + (g - grey) * s, grey + (b - grey) * s];
  };
const sepia: Formula = ([r, g, b]) => [
  0.393 * r + 0.769 * g + 0.189 * b,
  0.349 * r + 0.686 * g + 0.168 * b,
  0.272 * r + 0.534 * g + 0.131 * b,
];
/** A quarter turn of the hue, as the recommendation gives it for a cosine of 0 and a sine of 1. */
const quarterTurn: Formula = ([r, g, b]) => [
  0 * r + 0 * g + 1 * b,
  0.356 * r + 0.855 * g - 0.211 * b,
  -0.574 * r + 1.43 * g + 0.144 * b,
];

const EFFECTS: [segment: string, formula: Formula][] = [
  ['e_brightness:30', each((value) => value * 1.3)],
  ['e_brightness:-100', each(() => 0)],
  ['e_contrast:50', each((value) => (value - 127.5) * 1.5 + 127.5)],
  ['e_contrast:-100', each(() => 127.5)],
  ['e_saturation:80', saturated(1.8)],
  ['e_saturation:-100', saturated(0)],
  ['e_hue:90', quarterTurn],
  ['e_grayscale', (colour) => [luma(colour), luma(colour), luma(colour)]],
  ['e_negate', each((value) => 255 - value)],
  ['e_sepia', sepia],
  ['e_sepia:40', mixed(0.4, sepia)],
  ['e_tint:ff8000', (colour) => [luma(colour), (luma(colour) * 128) / 255, 0]],
  ['e_tint:0f0:25', mixed(0.25, (colour) => [0, luma(colour), 0])],
  [
    'e_duotone:101820:ffe0a0',
    (colour) => {
      const light = luma(colour) / 255;
      return [16 + (255 - 16) * light, 24 + (224 - 24) * light, 32 + (160 - 32) * light];
    },
  ],
  // In the order of the reference, whatever that of the URL, and clamped at the end alone.
  ['e_contrast:50,e_brightness:30', each((value) => (value * 1.3 - 127.5) * 1.5 + 127.5)],
  ['e_brightness:-50,e_negate', each((value) => (255 - value) * 0.5)],
  ['e_contrast:-50,e_saturation:100', (colour) => each((value) => value * 0.5 + 63.75)(saturated(2)(colour))],
];

const pixelsOf = ({ pixel }: Shown): Pixel[] =>
  Array.from({ length: SIDE * SIDE }, (_, index) => pixel(index % SIDE, Math.floor(index / SIDE)));

describe.each(['RGB', 'RGBA', 'grey', 'CMYK', '16 bit'])('of %s', (kind) => {
  test.each(EFFECTS)('%s is its formula, and alpha stays', async (segment, formula) => {
    const before = pixelsOf(await studio.render(inputs[kind] ?? '', ''));
    const after = pixelsOf(await studio.render(inputs[kind] ?? '', segment));
    let worst = 0;
    const alphas = [before, after].map((pixels) => pixels.map(([, , , alpha]) => alpha));
    for (const [index, [r, g, b]] of before.entries()) {
      const expected = formula([r, g, b]).map((value) => Math.min(255, Math.max(0, value)));
      for (const channel of [0, 1, 2] as const) {
        worst = Math.max(worst, Math.abs((after[index]?.[channel] ?? 0) - (expected[channel] ?? 0)));
      }
    }
    expect(worst).toBeLessThanOrEqual(1);
    expect(alphas[1]).toEqual(alphas[0]);
  });
});

test('transparent pixels that are scaled keep the colours that the formula gives', async () => {
  const scaled = await studio.render(inputs.RGBA ?? '', 'w_16');
  const negated = await studio.render(inputs.RGBA ?? '', 'w_16,e_negate,e_contrast:20');
  for (let at = 0; at < 16 * 16; at++) {
    const before = scaled.pixel(at % 16, at >> 4);
    const after = negated.pixel(at % 16, at >> 4);
    expect(after[3]).toBe(before[3]);
    for (const channel of [0, 1, 2] as const) {
      const expected = Math.min(255, Math.max(0, (255 - before[channel] - 127.5) * 1.2 + 127.5));
      expect(Math.abs(after[channel] - expected)).toBeLessThanOrEqual(1.5);
    }
  }
});

test('bars stay as they are asked for', async () => {
  const shown = await studio.render(inputs.RGB ?? '', 'w_64,h_128,c_pad,b_336699,e_negate,e_blur:20');
  expect(shown.pixel(32, 4)).toEqual([0x33, 0x66, 0x99, 255]);
  expect(shown.pixel(32, 31)).toEqual([0x33, 0x66, 0x99, 255]);
});
