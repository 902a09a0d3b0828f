import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRights } from '@darkroom/image-files/rights/rights';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { painted, quadrants } from '../pictures/studio.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ PUBLIC_RATE_LIMIT_MAX: '0' });
});
afterAll(() => service.close());

const get = (path: string) => ask(service.url, path);
const place = (name: string, bytes: Buffer) => writeFile(join(service.originals, name), bytes);

describe('a variant at the size of the original, in its format, is never larger', () => {
  const photo = () => sharp(fixture('portrait-face.jpg')).resize(320);
  const drawing = () => quadrants(200, 120);
  const dots = () =>
    painted(160, 120, (x, y) => ((x * 7 + y * 13) % 11 < 3 ? [20, 20, 90, 255] : [250, 240, 200, 255]));
  const small = { IFD0: { Copyright: '(c) Ada' } };
  const bestPng = { compressionLevel: 9, effort: 10 } as const;
  const originals: Readonly<Record<string, () => Promise<Buffer>>> = {
    'low.jpg': () => photo().jpeg({ quality: 20, mozjpeg: true }).toBuffer(),
    'grey.jpg': () => photo().greyscale().jpeg({ quality: 40, mozjpeg: true }).toBuffer(),
    'tagged.jpg': () => photo().withExif(small).jpeg({ quality: 20, mozjpeg: true }).toBuffer(),
    'profiled.jpg': () => photo().withIccProfile('p3').jpeg({ quality: 20, mozjpeg: true }).toBuffer(),
    'photo.png': () => photo().png(bestPng).toBuffer(),
    'palette.png': () =>
      photo()
        .png({ ...bestPng, palette: true, colours: 16 })
        .toBuffer(),
    'palette-alpha.png': () =>
      photo()
        .ensureAlpha(0.5)
        .png({ ...bestPng, palette: true, colours: 32 })
        .toBuffer(),
    'palette-tagged.png': () =>
      photo()
        .withExif(small)
        .png({ ...bestPng, palette: true, colours: 16 })
        .toBuffer(),
    'palette-profiled.png': () =>
      dots()
        .withIccProfile('p3')
        .png({ ...bestPng, palette: true })
        .toBuffer(),
    'drawing.png': () =>
      drawing()
        .png({ ...bestPng, palette: true })
        .toBuffer(),
    'grey.png': () =>
      photo()
        .greyscale()
        .png({ ...bestPng, adaptiveFiltering: true })
        .toBuffer(),
    'black-and-white.png': () =>
      dots()
        .threshold()
        .png({ ...bestPng, palette: true, colours: 2 })
        .toBuffer(),
    'deep.png': () => photo().toColourspace('rgb16').png(bestPng).toBuffer(),
    'lossless.webp': () => drawing().webp({ lossless: true, effort: 6 }).toBuffer(),
    'low.webp': () => photo().webp({ quality: 10, effort: 6 }).toBuffer(),
    'alpha.webp': () => photo().ensureAlpha(0.5).webp({ quality: 10, alphaQuality: 10, effort: 6 }).toBuffer(),
    'tagged.webp': () => photo().withExif(small).webp({ quality: 10, effort: 6 }).toBuffer(),
    'profiled.webp': () => photo().withIccProfile('p3').webp({ quality: 10, effort: 6 }).toBuffer(),
    'low.avif': () => photo().avif({ quality: 15, effort: 6 }).toBuffer(),
    'tagged.avif': () => photo().withExif(small).avif({ quality: 15, effort: 6 }).toBuffer(),
    'drawing.avif': () => drawing().avif({ quality: 30, effort: 6 }).toBuffer(),
    'photo.gif': () => photo().gif({ effort: 10, colours: 16 }).toBuffer(),
    'drawing.gif': () => drawing().gif({ effort: 10 }).toBuffer(),
    'dots.gif': () => dots().gif({ effort: 10 }).toBuffer(),
  };

  test.each(Object.entries(originals))('%s', async (name, make) => {
    const original = await make();
    await place(name, original);
    const format = name.split('.')[1]?.replace('jpg', 'jpeg');
    const before = await sharp(original).metadata();
    for (const segment of [`f_${format}`, `q_100,f_${format}`, `q_auto,f_${format}`, `w_${before.width},f_${format}`]) {
      const { body, headers } = await get(`/t/${segment}/${name}`);
      expect(headers['x-transform-fallback']).toBeUndefined();
      const { width, height, exif, xmp } = await sharp(body).metadata();
      // The rights alone may take more bytes in XMP (with its segment or chunk) than in EXIF.
      const rightsGrowth = before.exif && xmp ? Math.max(0, xmp.length + 34 - before.exif.length) : 0;
      const isSame = width === before.width && height === before.height;
      expect({
        segment,
        isSame,
        isSmall: body.length <= original.length + rightsGrowth,
        bytes: body.length,
        of: original.length,
      }).toMatchObject({
        isSame: true,
        isSmall: true,
      });
      expect(exif).toBeUndefined();
      expect(readRights({ xmp })).toEqual(before.exif ? { Copyright: '(c) Ada' } : undefined);
      expect(await farApart(original, body), `${segment} shows the same`).toBeLessThan(12);
    }
  });

  /** Returns the mean difference of two images as displayed, 0 to 255. */
  async function farApart(one: Buffer, other: Buffer): Promise<number> {
    const [a, b] = await Promise.all(
      [one, other].map((file) => sharp(file).toColourspace('srgb').ensureAlpha().raw().toBuffer()),
    );
    if (!a || !b || a.length !== b.length) return 255;
    return a.reduce((sum, value, index) => sum + Math.abs(value - (b[index] ?? 0)), 0) / a.length;
  }
});

test.each(['webp', 'avif', 'jpeg'])('q_auto takes no more bytes than q_85, as %s', async (format) => {
  for (const name of ['portrait-face.jpg', 'no-face.jpg', 'flag-alpha.png']) {
    await place(name, fixture(name));
    const bytes = async (quality: string) => (await get(`/t/w_300,${quality},f_${format}/${name}`)).body.length;
    expect(await bytes('q_auto')).toBeLessThanOrEqual(await bytes('q_85'));
  }
});
