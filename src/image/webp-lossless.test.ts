import { readerOf } from '@darkroom/image-files/boxes';
import { mayBeTransparent } from '@darkroom/image-files/source/webp-lossless';
import sharp, { type Sharp, type WebpOptions } from 'sharp';
import { describe, expect, test } from 'vitest';
import { painted } from '../../test/pictures/studio.ts';

type Paint = (x: number, y: number) => readonly [number, number, number, number];

/** The chunk of pixels follows the header of the file, and the data its own header. */
const DATA = 20;

async function encode(image: Sharp, options: WebpOptions): Promise<Buffer> {
  const webp = await image.webp({ lossless: true, ...options }).toBuffer();
  expect(webp.toString('latin1', 12, 16)).toBe('VP8L');
  return webp;
}

/** A copy whose header says that there is no alpha. */
function denied(webp: Buffer): Buffer {
  const copy = Buffer.from(webp);
  copy.writeUInt8(copy.readUInt8(DATA + 4) & ~0x10, DATA + 4);
  return copy;
}

function isFound(webp: Buffer): Promise<boolean> {
  return mayBeTransparent(readerOf(webp), DATA, webp.readUInt32LE(16));
}

/** As the decoder shows it, when it believes that there is alpha. */
async function isTransparent(webp: Buffer): Promise<boolean> {
  const believed = Buffer.from(webp);
  believed.writeUInt8(believed.readUInt8(DATA + 4) | 0x10, DATA + 4);
  const { data } = await sharp(believed).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return data.some((value, index) => index % 4 === 3 && value !== 255);
}

const noise = (x: number, y: number) => (Math.imul(x * 73_856_093 + y * 19_349_663, 0x45d9f3b) >>> 24) & 0xff;
const photo = (x: number, y: number, alpha: number) =>
  [x & 255, y & 255, (x + y + (noise(x, y) >> 4)) & 255, alpha] as const;
const indexed = (colours: number, x: number, y: number, alpha: number) => {
  const index = noise(x >> 2, y >> 2) % colours;
  return [(index * 37) & 255, (index * 91) & 255, index, alpha] as const;
};
const hole = (x: number, y: number) => (Math.hypot(x - 40, y - 30) < 12 ? 0 : 255);

const SUBJECTS: [string, Paint][] = [
  ['a photo', (x, y) => photo(x, y, 255)],
  ['a photo with a hole', (x, y) => photo(x, y, hole(x, y))],
  ['a photo that fades', (x, y) => photo(x, y, Math.min(255, 2 * x))],
  ['a photo, half transparent all over', (x, y) => photo(x, y, 128)],
  ['noise', (x, y) => [noise(x, y), noise(y, x), noise(x + 9, y), 255]],
  [
    'noise with one transparent pixel',
    (x, y) => [noise(x, y), noise(y, x), noise(x, 7), x === 79 && y === 59 ? 254 : 255],
  ],
  ['nothing', () => [0, 0, 0, 0]],
  ['white', () => [255, 255, 255, 255]],
  ...[2, 3, 4, 11, 16, 18, 60, 200, 256].flatMap((colours): [string, Paint][] => [
    [`${colours} colours`, (x, y) => indexed(colours, x, y, 255)],
    [`${colours} colours with a hole`, (x, y) => indexed(colours, x, y, hole(x, y))],
  ]),
];
const OPTIONS: [string, WebpOptions][] = [
  ['', {}],
  [', exact', { exact: true }],
  [', with little effort', { effort: 0, exact: true }],
  [', with much effort', { effort: 6, exact: true }],
  [', nearly lossless', { nearLossless: true, quality: 40, exact: true }],
];
const FILES = SUBJECTS.flatMap(([subject, paint]) =>
  OPTIONS.map(([how, options]) => [`${subject}${how}`, paint, options] as const),
);

describe('finds alpha of a lossless WebP behind a header that denies it', () => {
  test.each(FILES)('%s', async (_, paint, options) => {
    const webp = denied(await encode(painted(80, 60, paint), options));
    expect(await isFound(webp)).toBe(await isTransparent(webp));
  });

  test.each([
    [1, 1],
    [1, 300],
    [300, 1],
    [1031, 517],
  ])('at %d x %d pixels', async (width, height) => {
    for (const alpha of [255, 254]) {
      const webp = denied(
        await encode(
          painted(width, height, (x, y) => photo(x, y, alpha)),
          { exact: true },
        ),
      );
      expect([alpha, await isFound(webp)]).toEqual([alpha, alpha !== 255]);
    }
  });
});

test('takes what is cut off or damaged for opaque, so that the decoder tells', async () => {
  const webp = denied(
    await encode(
      painted(80, 60, (x, y) => photo(x, y, 255)),
      {},
    ),
  );
  for (let length = 0; length < 200; length++) {
    const part = webp.subarray(0, DATA + length);
    expect([length, await mayBeTransparent(readerOf(part), DATA, length)]).toEqual([length, false]);
  }
  const damaged = Buffer.from(webp);
  damaged[DATA] = 0x2e;
  expect(await isFound(damaged)).toBe(false);
});
