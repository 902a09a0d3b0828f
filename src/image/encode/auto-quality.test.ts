import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import type { HeldImage } from '../step.ts';
import { encodeAuto } from './auto-quality.ts';
import { encoderOptions, encoderQuality } from './encoder-settings.ts';
import { similarity } from './similarity.ts';

const fixture = (name: string) => new URL(`../../../test/fixtures/${name}`, import.meta.url).pathname;
const photos = ['photo-2725x2225.jpg', 'portrait-face.jpg', 'no-face.jpg', 'orientation-1.jpg'];
const lossy = ['jpeg', 'webp', 'avif'] as const;

describe('q_auto', () => {
  for (const format of lossy) {
    test.each(photos)(`${format} of %s has no more bytes than q_85 and looks like JPEG 85`, async (name) => {
      const original = await materialise(sharp(fixture(name)).resize(360));
      const auto = await encodeAuto(await pixelsOf(original), format);
      const plain = await original.clone().toFormat(format, encoderOptions(format, 85)).toBuffer();
      const jpeg = await original.clone().jpeg(encoderOptions('jpeg', 85)).toBuffer();
      expect(auto.data.length).toBeLessThanOrEqual(plain.length);
      expect(auto.quality).toBeLessThanOrEqual(encoderQuality(format, 85));
      const target = Math.min(await likeness(original, plain), await likeness(original, jpeg), 0.999);
      expect(await likeness(original, auto.data)).toBeGreaterThanOrEqual(target);
    });
  }

  test('a flat graphic gets far fewer bytes than with q_85, lossless as WebP', async () => {
    const graphic = await chart(400, 300);
    const bytes = async (format: 'webp' | 'jpeg') =>
      (await graphic.clone().toFormat(format, encoderOptions(format, 85)).toBuffer()).length;
    const webp = await encodeAuto(await pixelsOf(graphic), 'webp');
    expect(webp.data.length).toBeLessThan(0.5 * (await bytes('webp')));
    expect(await likeness(graphic, webp.data)).toBe(1);
    const flag = sharp(fixture('flag-alpha.png')).flatten().resize(400);
    const jpeg = await encodeAuto(await pixelsOf(flag), 'jpeg');
    expect(jpeg.quality).toBeLessThan(75);
    expect((await encodeAuto(await pixelsOf(graphic), 'jpeg')).data.length).toBeLessThanOrEqual(await bytes('jpeg'));
  });

  test('transparency is kept and does not spoil the comparison', async () => {
    const original = await materialise(sharp(fixture('paper-alpha-1024x768.png')).resize(300));
    for (const format of ['webp', 'avif'] as const) {
      const auto = await encodeAuto(await pixelsOf(original), format);
      const plain = await original.clone().toFormat(format, encoderOptions(format, 85)).toBuffer();
      expect(auto.data.length).toBeLessThanOrEqual(plain.length);
      expect((await sharp(auto.data).metadata()).hasAlpha).toBe(true);
      expect(auto.quality).toBeGreaterThan(encoderQuality(format, 30));
    }
  });

  test('a grey picture and one of a single pixel are encoded', async () => {
    const grey = await materialise(sharp(fixture('concert.jpg')).resize(200).toColourspace('b-w'));
    const dot = sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } });
    for (const format of lossy) {
      expect((await encodeAuto(await pixelsOf(grey), format)).quality).toBeGreaterThan(1);
      expect((await sharp((await encodeAuto(await pixelsOf(dot), format)).data).metadata()).width).toBe(1);
    }
  });

  test('a large picture is judged by tiles of it, at full size', async () => {
    const large = await materialise(sharp(fixture('photo-2725x2225.jpg')));
    const auto = await encodeAuto(await pixelsOf(large), 'jpeg');
    const plain = await large.clone().jpeg(encoderOptions('jpeg', 85)).toBuffer();
    expect(auto.data.length).toBeLessThanOrEqual(plain.length);
    expect((await sharp(auto.data).metadata()).width).toBe(2725);
  });

  test('PNG stays lossless', async () => {
    const original = await materialise(sharp(fixture('portrait-face.jpg')).resize(120));
    expect(await likeness(original, (await encodeAuto(await pixelsOf(original), 'png')).data)).toBe(1);
  });
});

async function materialise(image: Sharp): Promise<Sharp> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
}

function chart(width: number, height: number): Promise<Sharp> {
  const bars = ['#c33', '#3a3', '#36c', '#ea0'].map((fill, i) => ({
    input: { create: { width: 40, height: 60 + 40 * i, channels: 3 as const, background: fill } },
    left: 40 + 80 * i,
    top: height - 80 - 40 * i,
  }));
  const paper = { create: { width, height, channels: 3 as const, background: 'white' } };
  return materialise(sharp(paper).composite(bars));
}

async function likeness(original: Sharp, copy: Buffer): Promise<number> {
  return similarity(await pixelsOf(opaque(original.clone())), await pixelsOf(opaque(sharp(copy))));
}

async function pixelsOf(image: Sharp): Promise<HeldImage> {
  const { data, info } = await image.clone().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
}

const opaque = (image: Sharp) => image.toColourspace('srgb').removeAlpha();
