import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { distance, labOf } from '../../lab.ts';
import { findColours } from './colours.ts';
import { type Sample, takeSample } from './sample.ts';

/** An image whose pixels come from a formula. */
function draw(
  width: number,
  height: number,
  at: (x: number, y: number) => readonly [number, number, number, number?],
): Sample {
  const rgba = new Uint8Array(width * height * 4);
  for (let index = 0; index < width * height; index++) {
    const [red, green, blue, alpha = 255] = at(index % width, Math.floor(index / width));
    rgba.set([red, green, blue, alpha], index * 4);
  }
  return { width, height, rgba };
}

const RED = [255, 0, 0] as const;
const BLUE = [0, 0, 255] as const;
const GREEN = [0, 128, 0] as const;

describe('the palette', () => {
  test('has the colours of a flag, exactly, the commonest first', () => {
    const flag = draw(100, 60, (x) => (x < 50 ? BLUE : x < 80 ? RED : GREEN));
    expect(findColours(flag)).toMatchObject({ dominant: '#0000ff', palette: ['#0000ff', '#ff0000', '#008000'] });
  });

  test('has five of many, and those of small areas are the ones that are missing', () => {
    const widths = [30, 25, 20, 12, 8, 3, 2];
    const colours = [RED, BLUE, GREEN, [255, 255, 0], [0, 0, 0], [255, 255, 255], [255, 0, 255]] as const;
    const edges = widths.map((_, index) => widths.slice(0, index + 1).reduce((sum, width) => sum + width));
    const bars = draw(100, 50, (x) => colours[edges.findIndex((edge) => x < edge)] ?? RED);
    expect(findColours(bars).palette).toEqual(['#ff0000', '#0000ff', '#008000', '#ffff00', '#000000']);
  });

  test('does not have two shades of one colour', () => {
    const noisy = draw(128, 128, (x, y) => [200 + ((x * 7 + y * 13) % 24), 30 + ((x * 5 + y) % 20), 40]);
    expect(findColours(noisy).palette).toHaveLength(1);
    const gradient = draw(256, 16, (x) => [x, x, x]);
    const labs = findColours(gradient).palette.map((hex) => labOf(...rgbOf(hex)));
    expect(labs.length).toBeGreaterThanOrEqual(4);
    for (const [index, lab] of labs.entries()) {
      for (const other of labs.slice(index + 1)) expect(distance(lab, other)).toBeGreaterThanOrEqual(19);
    }
  });

  test('takes a gradient of a colour for as common as a flat area of its size', () => {
    // Two thirds are shades of blue, one third is one red.
    const sky = draw(120, 120, (_, y) => (y < 80 ? [40 + y / 4, 90 + y / 4, 200 + y / 4] : [180, 20, 20]));
    const [first] = findColours(sky).palette;
    const [red = 0, , blue = 0] = rgbOf(first ?? '');
    expect(blue).toBeGreaterThan(red);
  });

  test('of noise is found as well', () => {
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % 256;
    };
    expect(findColours(draw(256, 256, () => [random(), random(), random()])).palette).toHaveLength(5);
  });

  test('does not have what nobody sees', () => {
    const logo = draw(100, 100, (x) => (x < 90 ? [255, 0, 0, 0] : [0, 0, 255, 255]));
    expect(findColours(logo)).toMatchObject({ dominant: '#0000ff', palette: ['#0000ff'] });
    expect(findColours(draw(10, 10, () => [1, 2, 3, 0]))).toEqual({
      dominant: undefined,
      dominantLab: undefined,
      border: undefined,
      palette: [],
    });
  });
});

describe('the border', () => {
  const framed = (line: number) => (x: number, y: number) =>
    x < line || y < line || x >= 200 - line || y >= 100 - line ? RED : BLUE;

  test('is the commonest colour of the outer fiftieth', () => {
    expect(findColours(draw(200, 100, framed(4)))).toMatchObject({ border: '#ff0000', dominant: '#0000ff' });
    expect(findColours(draw(200, 100, framed(1)))).toMatchObject({ border: '#0000ff' });
  });

  test('is unknown where most of it is transparent', () => {
    const sticker = draw(100, 100, (x, y) => (Math.hypot(x - 50, y - 50) < 45 ? [0, 128, 0, 255] : [0, 0, 0, 0]));
    expect(findColours(sticker)).toMatchObject({ border: undefined, dominant: '#008000' });
  });
});

describe('Lab', () => {
  test('has the values of the standard', () => {
    // sRGB in CIELAB with D65, as Bruce Lindbloom's calculator gives them.
    for (const [rgb, [l, a, b]] of [
      [RED, [53.24, 80.09, 67.2]],
      [BLUE, [32.3, 79.19, -107.86]],
      [
        [0, 255, 0],
        [87.73, -86.18, 83.18],
      ],
      [
        [255, 255, 255],
        [100, 0, 0],
      ],
      [
        [119, 119, 119],
        [50.03, 0, 0],
      ],
    ] as const) {
      const lab = labOf(...(rgb as [number, number, number]));
      expect(Math.hypot(lab.l - l, lab.a - a, lab.b - b)).toBeLessThan(0.2);
    }
  });
});

test('a sample has four channels, whatever the picture has', async () => {
  const grey = sharp({ create: { width: 40, height: 20, channels: 3, background: '#777777' } }).toColourspace('b-w');
  const sample = await takeSample(sharp(await grey.png().toBuffer()));
  expect([sample.width, sample.height, ...sample.rgba.subarray(0, 4)]).toEqual([40, 20, 119, 119, 119, 255]);
});

function rgbOf(hex: string): [number, number, number] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
