import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { EQUIVALENTS, encoderOptions, encoderQuality } from './encoder-settings.ts';

const scale = Array.from({ length: 100 }, (_, i) => i + 1);
const formats = ['jpeg', 'webp', 'avif', 'png', 'gif'] as const;
const photo = new URL('../../../test/fixtures/portrait-face.jpg', import.meta.url).pathname;
const page = readFileSync(new URL('../../../docs/encoders.md', import.meta.url), 'utf8');

describe('quality', () => {
  test('q is the quality of JPEG', () => {
    expect(scale.map((q) => encoderQuality('jpeg', q))).toEqual(scale);
  });

  test.each(formats)('the quality of %s is an integer of 1 to 100 and never falls as q rises', (format) => {
    const qualities = scale.map((q) => encoderQuality(format, q));
    expect(qualities).toEqual(qualities.toSorted((a, b) => a - b));
    expect(qualities.every((quality) => Number.isInteger(quality) && quality >= 1 && quality <= 100)).toBe(true);
  });

  test('between two rows of the table the quality is interpolated', () => {
    const low = EQUIVALENTS.find(({ q }) => q === 60);
    const high = EQUIVALENTS.find(({ q }) => q === 70);
    expect(encoderQuality('avif', 65)).toBe(Math.round(((low?.avif ?? 0) + (high?.avif ?? 0)) / 2));
  });

  test('docs/encoders.md shows the table that is used', () => {
    const rows = page.matchAll(/^\| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/gm);
    const shown = [...rows].map(([, q, jpeg, webp, avif]) => ({
      q: Number(q),
      jpeg: Number(jpeg),
      webp: Number(webp),
      avif: Number(avif),
    }));
    expect(shown).toEqual(EQUIVALENTS);
  });

  test.each(formats)('docs/encoders.md shows the settings of %s that are used', (format) => {
    const { quality, ...settings } = { quality: 0, ...encoderOptions(format, 85) };
    const shown = Object.entries(settings).map(([name, value]) => `\`${name}: ${value}\``);
    const row = page.split('\n').find((line) => line.startsWith(`| ${format} | \``));
    expect(row?.split(' | ')[1]).toBe(shown.join(', '));
  });

  test.each(['jpeg', 'webp', 'avif'] as const)('a higher q gives %s more bytes', async (format) => {
    const bytes: number[] = [];
    for (const q of [1, 20, 50, 85, 100]) {
      const image = sharp(photo).resize(200).toFormat(format, encoderOptions(format, q));
      bytes.push((await image.toBuffer()).length);
    }
    expect(bytes).toEqual([...new Set(bytes)].toSorted((a, b) => a - b));
  });

  test('PNG keeps every colour and every pixel whatever q says', async () => {
    const png = await sharp(photo).resize(200).png(encoderOptions('png', 1)).toBuffer();
    const pixels = await sharp(photo).resize(200).raw().toBuffer();
    expect((await sharp(png).raw().toBuffer()).equals(pixels)).toBe(true);
  });

  test('a large transparent PNG is compressed a level less than all others', () => {
    const levels = [
      encoderOptions('png', 85, 24, true),
      encoderOptions('png', 85, 24, false),
      encoderOptions('png', 85, 4, true),
    ].map(({ compressionLevel }) => compressionLevel);
    expect(levels).toEqual([5, 6, 6]);
  });

  test('alpha survives in PNG, WebP, AVIF and GIF at the lowest q', async () => {
    for (const format of ['png', 'webp', 'avif', 'gif'] as const) {
      const clear = { create: { width: 16, height: 16, channels: 4 as const, background: '#0000' } };
      const encoded = await sharp(clear).toFormat(format, encoderOptions(format, 1)).toBuffer();
      const { data, info } = await sharp(encoded).raw().toBuffer({ resolveWithObject: true });
      expect(info.channels).toBe(4);
      // AVIF's alpha is lossy too.
      expect(Math.max(...data.filter((_, at) => at % 4 === 3))).toBeLessThan(8);
    }
  });
});
