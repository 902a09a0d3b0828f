import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readRights } from '@darkroom/image-files/rights/rights';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  frames,
  gradient,
  meanDifference,
  openStudio,
  painted,
  quadrants,
  type Studio,
  solid,
} from '../../test/pictures/studio.ts';
import { renderImage } from './pipeline.ts';

const FORMATS = ['jpeg', 'png', 'webp', 'avif', 'gif'] as const;
const QUADRANTS = ['red', 'green', 'yellow', 'blue'];

let studio: Studio;
let map: string;

beforeAll(async () => {
  studio = await openStudio();
  map = await studio.keep('map', await gradient(600, 400).png().toBuffer());
});
afterAll(() => studio.close());

describe('whatever the picture is made of, the result is sRGB of 8 bits', () => {
  const inputs: [string, () => Promise<Buffer>][] = [
    ['JPEG', () => quadrants(96, 64).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer()],
    ['progressive JPEG', () => quadrants(96, 64).jpeg({ quality: 100, progressive: true }).toBuffer()],
    ['PNG', () => quadrants(96, 64).png().toBuffer()],
    ['palette PNG', () => quadrants(96, 64).png({ palette: true }).toBuffer()],
    ['interlaced PNG', () => quadrants(96, 64).png({ progressive: true }).toBuffer()],
    ['16 bit PNG', () => quadrants(96, 64).toColourspace('rgb16').png().toBuffer()],
    ['PNG in Display P3', () => quadrants(96, 64).withIccProfile('p3').png().toBuffer()],
    ['16 bit PNG in Display P3', () => quadrants(96, 64).toColourspace('rgb16').withIccProfile('p3').png().toBuffer()],
    ['JPEG in Display P3', () => quadrants(96, 64).withIccProfile('p3').jpeg({ quality: 100 }).toBuffer()],
    ['WebP', () => quadrants(96, 64).webp({ lossless: true }).toBuffer()],
    ['WebP in Display P3', () => quadrants(96, 64).withIccProfile('p3').webp({ lossless: true }).toBuffer()],
    ['AVIF', () => quadrants(96, 64).avif({ quality: 90, chromaSubsampling: '4:4:4' }).toBuffer()],
    ['10 bit AVIF', () => quadrants(96, 64).avif({ quality: 90, chromaSubsampling: '4:4:4', bitdepth: 10 }).toBuffer()],
  ];

  test.each(inputs)('%s', async (name, encoded) => {
    const input = await studio.keep(name, await encoded());
    for (const segment of ['', 'w_48', 'w_30,h_30,c_pad', 'a_90', 'r_5,b_f00']) {
      const result = await studio.render(input, segment);
      const { space, depth, channels, icc } = await sharp(result.file).metadata();
      expect([segment, space, depth, channels, icc]).toEqual([segment, 'srgb', 'uchar', 3, undefined]);
      if (segment === '' || segment === 'w_48') expect(result.corners(3)).toEqual(QUADRANTS);
    }
  });

  const greyInputs: [string, () => Promise<Buffer>][] = [
    ['grey JPEG', () => solid(60, 40, [128, 128, 128, 255]).toColourspace('b-w').jpeg().toBuffer()],
    ['grey PNG', () => solid(60, 40, [128, 128, 128, 255]).toColourspace('b-w').png().toBuffer()],
    ['16 bit grey PNG', () => solid(60, 40, [128, 128, 128, 255]).toColourspace('grey16').png().toBuffer()],
  ];

  test.each(greyInputs)('%s', async (name, encoded) => {
    const input = await studio.keep(name, await encoded());
    for (const format of FORMATS) {
      const result = await studio.render(input, 'w_30,h_30,c_pad,b_000', format);
      expect([result.at(15, 15), result.at(15, 2)]).toEqual(['grey', 'black']);
      expect((await sharp(result.file).metadata()).depth).toBe('uchar');
    }
  });

  test.each(greyInputs)('%s with bars, cut corners and a turn onto a colour', async (name, encoded) => {
    const input = await studio.keep(`${name}, painted`, await encoded());
    for (const format of FORMATS) {
      for (const segment of ['w_30,h_30,c_pad', 'r_20', 'a_45']) {
        const { at, width, height } = await studio.render(input, `${segment},b_f00`, format);
        const middle = at(Math.floor(width / 2), Math.floor(height / 2));
        expect([segment, format, at(1, 1), middle]).toEqual([segment, format, 'red', 'grey']);
      }
    }
  });

  test.each(['with its profile', 'without a profile'])('CMYK JPEG %s', async (which) => {
    const image = quadrants(96, 64).toColourspace('cmyk');
    const profiled = which === 'with its profile' ? image.withIccProfile('cmyk') : image;
    const input = await studio.keep(which, await profiled.jpeg({ quality: 100 }).toBuffer());
    expect((await sharp(input).metadata()).space).toBe('cmyk');
    for (const format of ['jpeg', 'png', 'webp', 'avif'] as const) {
      const result = await studio.render(input, 'w_48', format);
      const { space, channels } = await sharp(result.file).metadata();
      expect([space, channels]).toEqual(['srgb', 3]);
      // Ink cannot show the pure colours; which channel is the brightest is kept.
      for (const [x, y, channel] of [
        [5, 5, 0],
        [42, 5, 1],
        [5, 28, 2],
      ] as const) {
        const pixel = result.pixel(x, y).slice(0, 3);
        expect(pixel[channel]).toBe(Math.max(...pixel));
      }
    }
  });
});

describe('an animation', () => {
  test('shows its first frame', async () => {
    const gif = await studio.keep('two.gif', await frames(40, 30, ['red', 'blue']).gif({ loop: 0 }).toBuffer());
    const webp = await studio.keep('two.webp', await frames(40, 30, ['red', 'blue']).webp({ loop: 0 }).toBuffer());
    for (const input of [gif, webp]) {
      expect((await sharp(input).metadata()).pages).toBe(2);
      for (const format of FORMATS) {
        const result = await studio.render(input, 'w_20', format);
        expect([result.width, result.height, result.at(10, 7)]).toEqual([20, 15, 'red']);
        expect((await sharp(result.file).metadata()).pages ?? 1).toBe(1);
      }
    }
  });
});

describe('the format', () => {
  test.each([
    ['f_avif', 'heif'],
    ['f_webp', 'webp'],
    ['f_jpeg', 'jpeg'],
    ['f_jpg', 'jpeg'],
    ['f_png', 'png'],
    ['f_gif', 'gif'],
  ])('%s', async (segment, format) => {
    expect((await studio.render(map, `w_60,${segment}`)).format).toBe(format);
  });

  test('that every client reads is PNG when the result has alpha, otherwise JPEG', async () => {
    const glass = await studio.keep('glass', await solid(40, 40, [0, 255, 0, 128]).png().toBuffer());
    expect((await studio.render(map, 'w_60', 'fallback')).format).toBe('jpeg');
    expect((await studio.render(glass, 'w_20', 'fallback')).format).toBe('png');
    expect((await studio.render(map, 'w_60,h_60,c_pad,b_transparent', 'fallback')).format).toBe('png');
    expect((await studio.render(map, 'w_60,h_40,c_pad,b_transparent', 'fallback')).format).toBe('jpeg');
    expect((await studio.render(map, 'w_60,h_60,c_pad', 'fallback')).format).toBe('jpeg');
  });

  test.each(FORMATS)('%s shows the picture, at the default quality nearly as it was', async (format) => {
    const exact = await studio.render(map, 'w_300');
    const result = await studio.render(map, 'w_300', format);
    expect(await meanDifference(exact.file, result.file)).toBeLessThan(format === 'gif' ? 8 : 2.5);
  });
});

describe('the quality', () => {
  test.each(['jpeg', 'webp', 'avif'] as const)(
    'a higher one costs more bytes and looks more like the original: %s',
    async (format) => {
      const noisy = painted(200, 200, (x, y) => [(x * 37 + y * 91) % 256, (x * y) % 256, (x ^ y) % 256, 255]);
      const input = await studio.keep(`noisy-${format}`, await noisy.png().toBuffer());
      const original = await studio.render(input, '');
      const results = [];
      for (const q of [20, 60, 95]) {
        const { size, file } = await studio.render(input, `q_${q}`, format);
        results.push({ size, difference: await meanDifference(original.file, file) });
      }
      expect(results).toEqual(results.toSorted((a, b) => a.size - b.size));
      expect(results).toEqual(results.toSorted((a, b) => b.difference - a.difference));
    },
  );

  test('85 is the default', async () => {
    const implicit = await studio.render(map, 'w_99', 'jpeg');
    const explicit = await studio.render(map, 'w_99,q_85', 'jpeg');
    expect(explicit.size).toBe(implicit.size);
  });

  test('means nothing for PNG, which is lossless', async () => {
    expect((await studio.render(map, 'q_1')).pixel(599, 0)).toEqual([255, 0, 0, 255]);
  });
});

test('a part that is stretched to the size of the original never comes out as the original', async () => {
  const input = await studio.keep('low', await gradient(200, 100).jpeg({ quality: 40, mozjpeg: true }).toBuffer());
  const { width, height, pixel } = await studio.render(input, 'ar_1:1,w_200,h_100,c_scale,q_100', 'jpeg');
  expect([width, height]).toEqual([200, 100]);
  expect(Math.abs(pixel(0, 50)[0] - 64)).toBeLessThan(8);
});

describe('metadata', () => {
  test('GPS, camera and thumbnail are dropped, the copyright is kept', async () => {
    const exif = {
      IFD0: { Copyright: '(c) Ada', Make: 'Camera' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
    };
    const tagged = await gradient(60, 40).withExif(exif).jpeg().toBuffer();
    const input = await studio.keep('tagged', tagged);
    expect(tagged.includes('Camera')).toBe(true);
    for (const format of ['jpeg', 'webp', 'avif', 'png'] as const) {
      const { file } = await studio.render(input, 'w_30', format);
      const { exif: left, xmp } = await sharp(file).metadata();
      expect(left).toBeUndefined();
      expect(readRights({ xmp })).toEqual({ Copyright: '(c) Ada' });
      expect(xmp?.includes('Camera')).toBe(false);
      expect(xmp?.includes('GPS')).toBe(false);
    }
  });

  test.each(['utf8', 'latin1'] as const)('a notice beyond ASCII, written in %s, is kept in UTF-8', async (encoding) => {
    const notice = '© 2026 Zoë';
    const plain = await gradient(60, 40)
      .withExif({ IFD0: { Copyright: 'c'.repeat(40) } })
      .jpeg()
      .toBuffer();
    const text = Buffer.from(notice, encoding);
    const filled = Buffer.concat([text, Buffer.alloc(40 - text.length)]);
    plain.set(filled, plain.indexOf('c'.repeat(40)));
    const input = await studio.keep(`notice-${encoding}`, plain);
    for (const format of ['jpeg', 'webp', 'avif', 'png'] as const) {
      const { xmp } = await sharp((await studio.render(input, 'w_30', format)).file).metadata();
      expect(readRights({ xmp })).toEqual({ Copyright: notice });
    }
  });
});

describe('a picture that cannot be rendered is an outcome, not an error, and leaves no file', () => {
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('not a picture')],
    ['half a header', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
  ])('%s is undecodable', async (name, bytes) => {
    const input = await studio.keep(`broken-${name}`, bytes);
    const before = await readdir(dirname(input));
    const { outcome } = await studio.attempt(input, 'w_10');
    expect([outcome, await readdir(dirname(input))]).toEqual(['undecodable', before]);
  });

  test('a picture that ends in the middle is undecodable', async () => {
    const whole = await gradient(600, 400).jpeg().toBuffer();
    const input = await studio.keep('cut', whole.subarray(0, whole.length / 2));
    const before = await readdir(dirname(input));
    for (const segment of ['w_10', 'w_590'])
      expect(await studio.attempt(input, segment, 'jpeg')).toMatchObject({ outcome: 'undecodable' });
    expect(await readdir(dirname(input))).toEqual(before);
  });

  test.each(['jpeg', 'webp', 'avif', 'png', 'gif'] as const)('but a full disk is an error: %s', async (format) => {
    const input = await studio.keep('fine', await gradient(60, 40).png().toBuffer());
    const limits = { inputMegapixels: 1, animationFrames: 1, outputSide: 100, outputMegapixels: 1 };
    const request = { inputs: { original: input }, output: '/dev/full', options: { width: 30 }, format, limits };
    await expect(renderImage(request)).rejects.toThrow('No space left on device');
  });

  test('also after a search for the best quality', async () => {
    const input = await studio.keep('fine', await gradient(60, 40).png().toBuffer());
    const limits = { inputMegapixels: 1, animationFrames: 1, outputSide: 100, outputMegapixels: 1 };
    const options = { width: 30, quality: 'auto' } as const;
    const rendering = renderImage({
      inputs: { original: input },
      output: '/dev/full',
      options,
      format: 'jpeg',
      limits,
    });
    await expect(rendering).rejects.toMatchObject({ code: 'ENOSPC' });
  });

  test('a result over a limit names the limit, its value and its setting', async () => {
    expect(await studio.attempt(map, 'w_8192,h_8192')).toEqual({
      outcome: 'limit exceeded',
      reason: expect.stringMatching(/8192x8192.* 50 \(MAX_OUTPUT_MEGAPIXELS\)/s) as string,
    });
    expect(await studio.attempt(map, 'h_8000')).toEqual({
      outcome: 'limit exceeded',
      reason: expect.stringMatching(/12000x8000.* 8192 \(MAX_OUTPUT_SIDE\)/s) as string,
    });
  });
});
