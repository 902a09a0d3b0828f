import { readFileSync } from 'node:fs';
import { ImageTooLarge, toSharp, UnsupportedImage } from '@darkroom/image-files/decoded-image';
import sharp, { type Sharp } from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { block, channel, layerInfo, psdSample, type Sample, sized, wide } from '../../../test/pictures/psd-sample.ts';
import { readPsdFile } from './file.ts';
import { flattened, openPsd } from './psd.ts';

const limits = { megapixels: 1 };
const decodePsd = (file: Buffer) => flattened(readPsdFile(file, limits), limits);
const fixture = (name: string) => new URL(`../../../test/fixtures/${name}`, import.meta.url).pathname;
const bytes = (...values: number[]) => Buffer.from(values);
const shown = async (sample: Sample) => rows(await toSharp(decodePsd(psdSample(sample))));

/** Reads pixels as sRGB values, one array each. */
async function rows(image: Sharp): Promise<number[][]> {
  const { data, info } = await image.toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  return Array.from({ length: info.width * info.height }, (_, i) => [
    ...data.subarray(i * info.channels, (i + 1) * info.channels),
  ]);
}

async function profile(name: 'p3' | 'cmyk'): Promise<Buffer> {
  const pixel = sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } });
  const jpeg = pixel.toColourspace(name === 'cmyk' ? 'cmyk' : 'srgb').withIccProfile(name);
  return (await sharp(await jpeg.jpeg().toBuffer()).metadata()).icc as Buffer;
}

// As in the render worker: a decoder that needed another loader would fail here.
beforeAll(() => {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'] });
});

describe('a real PSD', () => {
  test.each(['layers-hopper.psd', 'merged-hopper.psd'])('%s has the pixels that other readers see', async (name) => {
    const { image } = await openPsd(fixture(name), limits);
    expect(await image.metadata()).toMatchObject({ width: 128, height: 128, hasAlpha: false });
    const pixels = await rows(image);
    expect(pixels[0]).toEqual([20, 21, 67]);
    expect(pixels[64 * 128 + 64]).toEqual([172, 70, 55]);
    expect(pixels[30 * 128 + 100]).toEqual([84, 123, 188]);
    expect(pixels[110 * 128 + 20]).toEqual([15, 15, 17]);
  });

  test('a 32 bit one holds linear light and comes out in sRGB', async () => {
    const pixels = await rows((await openPsd(fixture('layers-colors.psd'), limits)).image);
    expect(pixels).toHaveLength(200 * 200);
    expect(pixels[0]).toEqual([255, 0, 0]);
    expect(pixels[20 * 200 + 100]).toEqual([169, 146, 86]);
    expect(pixels[150 * 200 + 60]).toEqual([251, 240, 235]);
  });
});

describe('the merged picture', () => {
  test.each([0, 1, 2] as const)('is read in compression %i', async (compression) => {
    const planes = [bytes(10, 10, 200, 3), bytes(20, 20, 100, 4), bytes(30, 30, 50, 5)];
    const expected = [
      [10, 20, 30],
      [10, 20, 30],
      [200, 100, 50],
      [3, 4, 5],
    ];
    expect(await shown({ mode: 3, width: 2, height: 2, compression, planes })).toEqual(expected);
    expect(await shown({ version: 2, mode: 3, width: 2, height: 2, compression, planes })).toEqual(expected);
  });

  test.each([0, 1, 2, 3] as const)('of 16 bits is read in compression %i', async (compression) => {
    const planes = [wide(65535, 0), wide(200 * 257, 100 * 257), wide(50 * 257, 257)];
    const expected = [
      [255, 200, 50],
      [0, 100, 1],
    ];
    expect(await shown({ mode: 3, depth: 16, width: 2, height: 1, compression, planes })).toEqual(expected);
  });

  test.each([
    ['grey', 1],
    ['duotone', 8],
  ])('in %s is grey', async (_, mode) => {
    const [first] = await shown({ mode, width: 1, height: 1, planes: [bytes(77)] });
    expect(first).toEqual([77, 77, 77]);
  });

  test('as a bitmap is black where a bit is set, rows padded to bytes', async () => {
    const pixels = await shown({ mode: 0, depth: 1, width: 3, height: 2, planes: [bytes(0b01000000, 0b10100000)] });
    expect(pixels.map(([value]) => value)).toEqual([255, 0, 255, 0, 255, 0]);
  });

  test('with a palette takes its colours, and the transparent one has no alpha', async () => {
    const modeData = Buffer.alloc(768);
    modeData.set([9, 8], 4);
    modeData.set([7, 6], 256 + 4);
    modeData.set([5, 4], 512 + 4);
    const sample = { mode: 2, width: 2, height: 1, modeData, planes: [bytes(4, 5)] };
    expect(await shown(sample)).toEqual([
      [9, 7, 5],
      [8, 6, 4],
    ]);
    expect(await shown({ ...sample, resources: { 1047: bytes(0, 5) } })).toEqual([
      [9, 7, 5, 255],
      [8, 6, 4, 0],
    ]);
  });

  test('in Lab becomes sRGB', async () => {
    // sRGB red, white, and the grey 119 as Lab (D50): 54.29 80.81 69.89, 100 0 0, 50 0 0.
    const planes = [bytes(138, 255, 128), bytes(209, 128, 128), bytes(198, 128, 128)];
    const [red, white, grey] = await shown({ mode: 9, width: 3, height: 1, planes });
    expect(Math.max(...difference(red, [255, 0, 0]))).toBeLessThan(6);
    expect(white).toEqual([255, 255, 255]);
    expect(Math.max(...difference(grey, [119, 119, 119]))).toBeLessThan(2);
    const sixteen = [wide(65535, 32768), wide(32768, 32768), wide(32768, 32768)];
    const [white16, grey16] = await shown({ mode: 9, depth: 16, width: 2, height: 1, planes: sixteen });
    expect(white16).toEqual([255, 255, 255]);
    expect(grey16).toEqual([119, 119, 119]);
  });

  test('in CMYK is stored inverted and converted through its profile, alpha apart', async () => {
    const planes = [bytes(255, 0, 255), bytes(255, 255, 255), bytes(255, 255, 255), bytes(255, 255, 0)];
    const resources = { 1039: await profile('cmyk') };
    const [paper, cyan, black] = await shown({ mode: 4, width: 3, height: 1, resources, planes });
    expect(paper).toEqual([255, 255, 255]);
    expect(Math.max(...difference(cyan, [0, 158, 224]))).toBeLessThan(12);
    expect(Math.max(...(black as number[]))).toBeLessThan(50);

    const layers = sized(layerInfo([], false));
    const transparent = Buffer.concat([layers, sized(Buffer.alloc(0)), block('Mtrn', Buffer.alloc(0))]);
    const withAlpha = { mode: 4, width: 3, height: 1, resources, planes: [...planes, bytes(255, 0, 255)] };
    const alphas = (await shown({ ...withAlpha, layers: transparent })).map((pixel) => pixel[3]);
    expect(alphas).toEqual([255, 0, 255]);
  });
});

describe('alpha', () => {
  const planes = [bytes(255, 200), bytes(128, 100), bytes(128, 50), bytes(127, 255)];
  const sample = { mode: 3, width: 2, height: 1, planes };

  test('is an extra channel that does not show, unless the file says that it is transparency', async () => {
    expect(await shown(sample)).toEqual([
      [255, 128, 128],
      [200, 100, 50],
    ]);
  });

  test('is transparency when the layer count is negative, and the blended white is taken out', async () => {
    const empty = { bounds: [0, 0, 0, 0] as [number, number, number, number], channels: {} };
    const layers = sized(layerInfo([empty], true));
    expect(await shown({ ...sample, layers })).toEqual([
      [255, 0, 0, 127],
      [200, 100, 50, 255],
    ]);
  });
});

describe('the ICC profile', () => {
  const planes = [bytes(234), bytes(51), bytes(35)];

  test.each([8, 16] as const)('of a %i bit picture is kept, so that Display P3 comes out right', async (depth) => {
    const resources = { 1039: await profile('p3') };
    const stored = depth === 8 ? planes : planes.map((plane) => wide((plane[0] as number) * 257));
    const [pixel] = await shown({ mode: 3, depth, width: 1, height: 1, resources, planes: stored });
    expect(Math.max(...difference(pixel, [255, 0, 0]))).toBeLessThan(4);
  });

  test('of another colour space is left out', async () => {
    const resources = { 1039: await profile('cmyk') };
    expect(await shown({ mode: 3, width: 1, height: 1, resources, planes })).toEqual([[234, 51, 35]]);
  });
});

describe('a file without a merged picture', () => {
  const green = [0, 255, 0, 255].map((value) => channel(bytes(value, value), 1));
  const layer = {
    bounds: [0, 0, 1, 2] as [number, number, number, number],
    channels: { 0: green[0] as Buffer, 1: green[1] as Buffer, 2: green[2] as Buffer, [-1]: green[3] as Buffer },
  };
  const layers = sized(layerInfo([layer]));
  const versionInfo = (real: number) => ({ 1057: bytes(0, 0, 0, 1, real) });
  const planes = [bytes(9, 10), bytes(9, 9), bytes(9, 9)];

  test('is drawn from its layers when it says so', async () => {
    const sample = { mode: 3, width: 2, height: 1, layers, planes };
    expect(await shown({ ...sample, resources: versionInfo(0) })).toEqual([
      [0, 255, 0],
      [0, 255, 0],
    ]);
    expect(await shown({ ...sample, resources: versionInfo(1) })).toEqual([
      [9, 9, 9],
      [10, 9, 9],
    ]);
    expect(await shown(sample)).toEqual([
      [9, 9, 9],
      [10, 9, 9],
    ]);
  });

  test('or when all its pixels are the same', async () => {
    const blank = [bytes(0, 0), bytes(0, 0), bytes(0, 0)];
    expect(await shown({ mode: 3, width: 2, height: 1, layers, planes: blank })).toEqual([
      [0, 255, 0],
      [0, 255, 0],
    ]);
  });

  test('is refused when its layers cannot be drawn, unless the merged picture is a real one', async () => {
    const unknown = sized(layerInfo([{ ...layer, blend: 'diss' }]));
    const blank = { mode: 3, width: 2, height: 1, layers: unknown, planes: [bytes(1, 1), bytes(2, 2), bytes(3, 3)] };
    expect(() => decodePsd(psdSample(blank))).toThrow(UnsupportedImage);
    expect(await shown({ ...blank, resources: versionInfo(1) })).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });
});

describe('a file is refused for', () => {
  test('a declared size over the limit, before anything is decoded', () => {
    const header = psdSample({ mode: 3, width: 30_000, height: 30_000, planes: [] });
    header.writeUInt16BE(3, 12);
    expect(() => decodePsd(header)).toThrow(expect.objectContaining({ width: 30_000, height: 30_000 }));
    expect(() => decodePsd(header)).toThrow(ImageTooLarge);
  });

  test('compressed data that holds more than it should', () => {
    const planes = [Buffer.alloc(1e6), bytes(0), bytes(0)];
    expect(() => decodePsd(psdSample({ mode: 3, width: 1, height: 1, compression: 2, planes }))).toThrow(
      UnsupportedImage,
    );
  });

  test.each(['layers-hopper.psd', 'layers-colors.psd'])('being cut off anywhere: %s', (name) => {
    const whole = readFileSync(fixture(name));
    const step = whole.length > 300_000 ? 997 : 50;
    for (let length = 0; length < whole.length; length += step) {
      expect(() => decodePsd(whole.subarray(0, length))).toThrow(UnsupportedImage);
    }
  });

  test('damage, unless it still gives a picture of the declared size', () => {
    const whole = readFileSync(fixture('layers-hopper.psd'));
    for (let at = 0; at < whole.length; at += 211) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ 0xff;
      try {
        const { samples, width, height, channels } = decodePsd(damaged);
        expect(samples).toHaveLength(width * height * channels);
      } catch (error) {
        expect(error instanceof UnsupportedImage || error instanceof ImageTooLarge).toBe(true);
      }
    }
  });
});

const difference = (a: number[] | undefined, b: number[]) => b.map((value, i) => Math.abs(value - (a?.[i] ?? 999)));
