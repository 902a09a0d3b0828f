import { readFile, stat } from 'node:fs/promises';
import { readRights } from '@darkroom/image-files/rights/rights';
import { writeXmp } from '@darkroom/image-files/rights/write-xmp';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gradient, openStudio, type Studio } from '../../../test/pictures/studio.ts';
import type { ImageFormat } from '../step.ts';
import { type EncodeOrder, encodeImage } from './encode.ts';

let studio: Studio;

beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const RIGHTS = { Copyright: '© Ada', Artist: 'Bo' };
const SIZE = { width: 33, height: 21 };
const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
const opaque = () => gradient(33, 21);
const transparent = () => gradient(33, 21).ensureAlpha(0.5);

/** Encodes into a new file and returns it, with its size as reported. */
async function encode(pixels: Sharp, name: string, order: Partial<EncodeOrder>) {
  const output = studio.file(name);
  const { format, size } = await encodeImage(pixels, {
    format: 'jpeg',
    quality: 85,
    size: SIZE,
    hasAlpha: false,
    xmp: undefined,
    exact: undefined,
    same: undefined,
    output,
    ...order,
  });
  return { output, format, size, file: await readFile(output) };
}

const images: [string, () => Sharp, Partial<EncodeOrder>][] = [
  ['a JPEG', opaque, { format: 'jpeg' }],
  ['a JPEG by q_auto', opaque, { format: 'jpeg', quality: 'auto' }],
  ['a PNG', opaque, { format: 'png' }],
  ['a transparent PNG', transparent, { format: 'png', hasAlpha: true }],
  ['a WebP', opaque, { format: 'webp' }],
  ['a WebP of another length', opaque, { format: 'webp', quality: 31 }],
  ['a transparent WebP', transparent, { format: 'webp', hasAlpha: true }],
  ['a lossless WebP', opaque, { format: 'jpeg', exact: 'webp' }],
  ['a PNG with a palette', () => sharp({ create: { ...SIZE, channels: 3, background: 'red' } }), { exact: 'png' }],
  ['an AVIF', opaque, { format: 'avif' }],
  ['an AVIF by q_auto', opaque, { format: 'avif', quality: 'auto' }],
  ['a transparent AVIF', transparent, { format: 'avif', hasAlpha: true }],
];

describe('the rights are stated in', () => {
  test.each(images)('%s, which shows the same pixels', async (name, make, order) => {
    const plain = await encode(make(), `plain ${name}`, order);
    const xmp = writeXmp(RIGHTS);
    const stated = await encode(make(), name, { ...order, xmp });
    expect(stated.size).toBe(stated.file.length);
    expect(stated.format).toBe(plain.format);
    const metadata = await sharp(stated.file).metadata();
    expect(metadata.xmp?.toString()).toBe(xmp);
    expect(readRights(metadata)).toEqual(RIGHTS);
    expect([metadata.exif, metadata.iptc, metadata.icc]).toEqual([undefined, undefined, undefined]);
    const [before, after] = await Promise.all([plain, stated].map(({ file }) => sharp(file).raw().toBuffer()));
    expect(before?.equals(after as Buffer)).toBe(true);
  });

  test('no GIF, which has no slot for them', async () => {
    const plain = await encode(opaque(), 'plain.gif', { format: 'gif' });
    const stated = await encode(opaque(), 'stated.gif', { format: 'gif', xmp: writeXmp(RIGHTS) });
    expect(stated.file.equals(plain.file)).toBe(true);
  });
});

describe('an image at the size and in the format of its original, with its rights, is no larger', () => {
  const photo = new URL('../../../test/fixtures/portrait-face.jpg', import.meta.url).pathname;
  const exif = { IFD0: { Copyright: '(c) Ada', ImageDescription: 'x'.repeat(400) } };
  const originals: [ImageFormat, (image: Sharp) => Sharp][] = [
    ['jpeg', (image) => image.jpeg({ quality: 20, mozjpeg: true })],
    ['png', (image) => image.png({ palette: true, colours: 16, compressionLevel: 9 })],
    ['webp', (image) => image.webp({ quality: 10, effort: 6 })],
    ['avif', (image) => image.avif({ quality: 15, effort: 4 })],
  ];

  test.each(originals)('%s', async (format, write) => {
    const file = await studio.keep(`small.${format}`, await write(sharp(photo).resize(160).withExif(exif)).toBuffer());
    const { width, height } = await sharp(file).metadata();
    const same = { file, size: (await stat(file)).size, pixels: 'shown' } as const;
    const xmp = writeXmp({ Copyright: '(c) Ada' });
    const result = await encode(sharp(file), `same.${format}`, { format, size: { width, height }, same, xmp });
    expect(result.size).toBeLessThanOrEqual(same.size);
    expect((await sharp(result.file).metadata()).xmp?.toString()).toBe(xmp);
    expect(result.file.includes('xxxx')).toBe(false);
  });
});

describe('a PNG does not state the resolution of its original', () => {
  test.each([
    ['without rights', undefined],
    ['with rights', writeXmp(RIGHTS)],
    ['behind long rights', writeXmp({ Copyright: Array.from({ length: 9000 }, (_, i) => i).join(' ') })],
  ])('%s', async (name, xmp) => {
    const fine = await gradient(33, 21).withDensity(300).jpeg().toBuffer();
    const { file } = await encode(sharp(fine), `fine ${name}.png`, { format: 'png', xmp });
    expect((await sharp(file).metadata()).density).toBe(72);
    expect(await sharp(file).raw().toBuffer()).toEqual(await sharp(fine).raw().toBuffer());
  });

  test('of several megabytes', async () => {
    const grain = sharp({ create: { width: 1100, height: 1100, channels: 3, background: 'grey', noise } });
    const fine = sharp(await grain.withDensity(300).png().toBuffer());
    const { file, size } = await encode(fine, 'grain.png', { format: 'png', size: { width: 1100, height: 1100 } });
    expect(size).toBe(file.length);
    expect((await sharp(file).metadata()).density).toBe(72);
  });
});
