import { fileURLToPath } from 'node:url';
import { decode, isBlurhashValid } from 'blurhash';
import sharp, { type Color, type Sharp } from 'sharp';
import { rgbaToThumbHash, thumbHashToAverageRGBA, thumbHashToRGBA } from 'thumbhash';
import { describe, expect, test } from 'vitest';
import { makePlaceholders } from './describe.ts';
import { hashPerceptually } from './perceptual-hash.ts';
import { type Sample, shrink, shrinkInside, takeSample } from './sample.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../../../test/fixtures/${name}`, import.meta.url));
const PHOTOS = ['photo-2725x2225.jpg', 'portrait-face.jpg', 'no-face.jpg', 'concert.jpg', 'orientation-1.jpg'];

const sampleOf = async (image: Sharp | Buffer | string) =>
  takeSample(typeof image === 'string' || Buffer.isBuffer(image) ? sharp(image) : sharp(await image.png().toBuffer()));
const flat = (background: object | string, channels: 3 | 4 = 3) =>
  sharp({ create: { width: 90, height: 60, channels, background: background as Color } });

describe('ThumbHash', () => {
  test('of a photo is what the library makes of the same photo at 100 pixels, but for rounding', async () => {
    for (const name of PHOTOS) {
      const small = sharp(fixture(name))
        .autoOrient()
        .resize(100, 100, { fit: 'inside' })
        .toColourspace('srgb')
        .ensureAlpha();
      const { data, info } = await small.raw().toBuffer({ resolveWithObject: true });
      const wanted = thumbHashToRGBA(rgbaToThumbHash(info.width, info.height, data));
      const own = Buffer.from(makePlaceholders(await sampleOf(fixture(name))).thumbHash, 'base64');
      const shown = thumbHashToRGBA(own);
      expect([shown.w, shown.h]).toEqual([wanted.w, wanted.h]);
      const apart = shown.rgba.reduce((sum, value, index) => sum + Math.abs(value - (wanted.rgba[index] ?? 0)), 0);
      expect(apart / shown.rgba.length).toBeLessThan(3);
    }
  });

  test('keeps alpha', async () => {
    const { thumbHash } = makePlaceholders(await sampleOf(flat({ r: 255, g: 0, b: 0, alpha: 0.5 }, 4)));
    const { r, g, b, a } = thumbHashToAverageRGBA(Buffer.from(thumbHash, 'base64'));
    expect([r, g, b, a].map((value) => Math.round(value * 10) / 10)).toEqual([1, 0, 0, 0.5]);
  });
});

describe('BlurHash', () => {
  test('of a photo is that of the published algorithm', async () => {
    for (const name of PHOTOS) {
      const sample = await sampleOf(fixture(name));
      const { blurHash } = makePlaceholders(sample);
      expect(isBlurhashValid(blurHash)).toEqual({ result: true });
      const [across, down] = sample.width >= sample.height ? ([4, 3] as const) : ([3, 4] as const);
      expect(blurHash).toBe(blurHashByFormula(shrinkInside(sample, 32), across, down));
    }
  });

  test('shows what is transparent on white', async () => {
    const { blurHash } = makePlaceholders(await sampleOf(flat({ r: 0, g: 0, b: 0, alpha: 0 }, 4)));
    expect([...decode(blurHash, 1, 1)]).toEqual([255, 255, 255, 255]);
  });
});

describe('the perceptual hash', () => {
  const hashOf = async (image: Sharp | Buffer | string) => hashPerceptually(await sampleOf(image));
  const differing = (one = '', other = '') =>
    [...(BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2)].filter((bit) => bit === '1').length;

  test('is that of the formula', async () => {
    for (const name of PHOTOS) {
      const sample = await sampleOf(fixture(name));
      const { rgba } = shrink(sample, { width: 32, height: 32 });
      const luma = (x: number, y: number) =>
        [0.299, 0.587, 0.114].reduce((sum, share, channel) => sum + share * (rgba[(y * 32 + x) * 4 + channel] ?? 0), 0);
      const waves = Array.from({ length: 63 }, (_, index) => {
        const u = (index + 1) % 8;
        const v = Math.floor((index + 1) / 8);
        let sum = 0;
        for (let y = 0; y < 32; y++) {
          for (let x = 0; x < 32; x++) {
            sum += luma(x, y) * Math.cos((Math.PI * u * (2 * x + 1)) / 64) * Math.cos((Math.PI * v * (2 * y + 1)) / 64);
          }
        }
        return sum;
      });
      const median = waves.toSorted((a, b) => a - b)[31] ?? 0;
      const bits = waves.map((wave) => (wave > median ? '1' : '0')).join('');
      const wanted = BigInt(`0b0${bits}`).toString(16).padStart(16, '0');
      expect(differing(hashPerceptually(sample), wanted)).toBeLessThanOrEqual(3);
    }
  });

  test('hardly changes with size and coding', async () => {
    for (const name of PHOTOS) {
      const wanted = await hashOf(fixture(name));
      expect(wanted).toMatch(/^[0-9a-f]{16}$/);
      const photo = () => sharp(fixture(name)).autoOrient();
      const copies = [
        photo().jpeg({ quality: 30 }),
        photo().resize(400).webp({ quality: 40 }),
        photo().resize(150).png(),
        photo().resize(1000).avif({ quality: 35, effort: 0 }),
        photo().resize(700).modulate({ brightness: 1.1 }).jpeg({ quality: 70 }),
      ];
      for (const copy of copies) expect(differing(await hashOf(await copy.toBuffer()), wanted)).toBeLessThanOrEqual(6);
    }
  });

  test('is far from that of any other picture, also from that of its mirror image', async () => {
    const hashes = await Promise.all(PHOTOS.map((name) => hashOf(fixture(name))));
    const mirrored = await Promise.all(PHOTOS.map((name) => hashOf(sharp(fixture(name)).autoOrient().flop())));
    for (const [index, hash] of hashes.entries()) {
      for (const other of [...hashes.slice(index + 1), mirrored[index]])
        expect(differing(hash, other)).toBeGreaterThan(16);
    }
  });

  test('is unknown for a picture of one colour, which is like any other of one colour', async () => {
    for (const colour of ['white', 'black', '#123456']) expect(await hashOf(flat(colour))).toBeUndefined();
    expect(await hashOf(flat({ r: 0, g: 0, b: 0, alpha: 0 }, 4))).toBeUndefined();
  });
});

/** The algorithm as its authors describe it: the mean and the waves of linear light, in digits of base 83. */
function blurHashByFormula({ width, height, rgba }: Sample, across: number, down: number): string {
  const linear = (value: number) => (value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const coded = (value: number) => {
    const light = Math.min(1, Math.max(0, value));
    return Math.trunc((light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055) * 255 + 0.5);
  };
  const waves = Array.from({ length: across * down }, (_, index) => {
    const i = index % across;
    const j = Math.floor(index / across);
    return [0, 1, 2].map((channel) => {
      let sum = 0;
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          const wave = Math.cos((Math.PI * i * x) / width) * Math.cos((Math.PI * j * y) / height);
          sum += wave * linear(rgba[(y * width + x) * 4 + channel] ?? 0);
        }
      }
      return (sum * (index === 0 ? 1 : 2)) / (width * height);
    });
  });
  const [mean = [], ...others] = waves;
  // The encoders of the authors take the largest, not the one that is farthest from 0.
  const largest = Math.min(82, Math.max(0, Math.floor(Math.max(...others.flat()) * 166 - 0.5)));
  const amplitude = (value: number) => {
    const share = (value * 166) / (largest + 1);
    return Math.min(18, Math.max(0, Math.floor(Math.sign(share) * Math.sqrt(Math.abs(share)) * 9 + 9.5)));
  };
  return [
    in83(across - 1 + (down - 1) * 9, 1) + in83(largest, 1),
    in83(
      mean.map(coded).reduce((number, value) => number * 256 + value, 0),
      4,
    ),
    ...others.map((wave) =>
      in83(
        wave.map(amplitude).reduce((number, value) => number * 19 + value, 0),
        2,
      ),
    ),
  ].join('');
}

function in83(number: number, digits: number): string {
  const all = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~';
  return Array.from({ length: digits }, (_, index) => all[Math.floor(number / 83 ** (digits - 1 - index)) % 83]).join(
    '',
  );
}
