import { readFile, stat } from 'node:fs/promises';
import { readRights } from '@darkroom/image-files/rights/rights';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gradient, openStudio, type Studio } from '../../../../test/pictures/studio.ts';
import type { ImageFormat } from '../../step.ts';
import { editsOf, PLACE_BYTES } from './edits.ts';
import { finishFile } from './finish.ts';
import { rightsBlock } from './rights-block.ts';

let studio: Studio;

beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const RIGHTS = { Copyright: '(c) Ada', Artist: 'Bo' };
const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
const grain = (side: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background: 'grey', noise } });

const pictures: [string, ImageFormat, () => Sharp][] = [
  ['a JPEG', 'jpeg', () => gradient(33, 21).jpeg()],
  ['a progressive JPEG', 'jpeg', () => gradient(33, 21).jpeg({ progressive: true })],
  ['a PNG', 'png', () => gradient(33, 21).png()],
  ['a PNG with a palette', 'png', () => gradient(33, 21).png({ palette: true })],
  ['a PNG of several megabytes', 'png', () => grain(1100).png({ compressionLevel: 0 })],
  ['a WebP', 'webp', () => gradient(33, 21).webp()],
  ['a WebP of odd length', 'webp', () => gradient(34, 21).webp({ quality: 31 })],
  ['a transparent WebP', 'webp', () => gradient(33, 21).ensureAlpha(0.5).webp()],
  ['a lossless WebP', 'webp', () => gradient(33, 21).webp({ lossless: true })],
  ['a lossless transparent WebP', 'webp', () => gradient(33, 21).ensureAlpha(0.5).webp({ lossless: true })],
  ['an AVIF', 'avif', () => gradient(33, 21).avif({ effort: 0 })],
  ['a transparent AVIF', 'avif', () => gradient(33, 21).ensureAlpha(0.5).avif({ effort: 0 })],
];

describe('the rights are put into', () => {
  test.each(pictures)('%s, which shows the same pixels', async (name, format, make) => {
    const plain = await make().toBuffer();
    const file = await studio.keep(name, plain);
    const block = await rightsBlock(RIGHTS);
    const growth = await finishFile(file, format, block);
    const finished = await readFile(file);
    expect(finished.length).toBe(plain.length + growth);
    expect(growth).toBeLessThanOrEqual(PLACE_BYTES[format] + block.length);
    const [before, after] = await Promise.all([plain, finished].map((image) => sharp(image).metadata()));
    expect(readRights({ exif: after?.exif })).toEqual(RIGHTS);
    expect([after?.width, after?.height, after?.hasAlpha]).toEqual([before?.width, before?.height, before?.hasAlpha]);
    const [one, other] = await Promise.all([plain, finished].map((image) => sharp(image).raw().toBuffer()));
    expect(one?.equals(other as Buffer)).toBe(true);
  });

  test('no GIF, which has no place for them', async () => {
    const plain = await gradient(33, 21).gif().toBuffer();
    const file = await studio.keep('plain.gif', plain);
    expect(await finishFile(file, 'gif', await rightsBlock(RIGHTS))).toBe(0);
    expect((await readFile(file)).equals(plain)).toBe(true);
  });
});

test.each(['jpeg', 'webp', 'avif', 'gif'] as const)('without rights a %s is left as it is', async (format) => {
  const file = await studio.keep(`bare.${format}`, await gradient(33, 21).toFormat(format).toBuffer());
  const { mtimeMs } = await stat(file);
  expect(await finishFile(file, format, undefined)).toBe(0);
  expect((await stat(file)).mtimeMs).toBe(mtimeMs);
});

test('an AVIF is left as it is when the boxes of its metadata do not fill them', async () => {
  const avif = await gradient(33, 21).ensureAlpha(0.5).avif({ effort: 0 }).toBuffer();
  const iref = avif.indexOf('iref') - 4;
  avif.writeUInt32BE(avif.readUInt32BE(iref) + 1, iref);
  expect(editsOf(avif, avif.length, 'avif', await rightsBlock(RIGHTS))).toEqual([]);
});

test('a PNG does not say the resolution of its original', async () => {
  for (const rights of [undefined, RIGHTS]) {
    const fine = await gradient(33, 21).withDensity(300).jpeg().toBuffer();
    const file = await studio.keep('fine.png', await sharp(fine).png().toBuffer());
    await finishFile(file, 'png', rights && (await rightsBlock(rights)));
    expect((await sharp(await readFile(file)).metadata()).density).toBe(72);
  }
});

describe('the block', () => {
  test.each([
    [{ Copyright: 'Ada' }, { Copyright: 'Ada' }],
    [{ Artist: 'B' }, { Artist: 'B' }],
    [
      { Copyright: 'Adas', Artist: 'Bob' },
      { Copyright: 'Adas', Artist: 'Bob' },
    ],
    [{ Copyright: '© 2026 Zoë' }, { Copyright: '(C) 2026 Zoe' }],
  ])('of %o says %o', async (rights, said) => {
    expect(readRights({ exif: await rightsBlock(rights) })).toEqual(said);
  });

  test('fits into a JPEG, however long the notices are', async () => {
    for (const letter of ['a', 'é']) {
      const long = letter.repeat(200_000);
      const file = await studio.keep('long.jpg', await gradient(33, 21).jpeg().toBuffer());
      await finishFile(file, 'jpeg', await rightsBlock({ Copyright: long, Artist: long }));
      const { exif } = await sharp(await readFile(file)).metadata();
      expect(readRights({ exif })?.Copyright).toMatch(/^[ae]{5000,}$/);
    }
  });
});
