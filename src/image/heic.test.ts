import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ImageTooLarge, UnsupportedImage } from '@darkroom/image-files/decoded-image';
import { readRights } from '@darkroom/image-files/rights/rights';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CodedItem, irot, nclx, readItems, writeHeif } from '../../test/corpus/make/heif.ts';
import { shownPq } from '../../test/pictures/standards.ts';
import { convertHeic } from './convert.ts';
import { openHeic } from './heic.ts';

const limits = { megapixels: 2 };
const fixture = (name: string) => new URL(`../../test/fixtures/${name}`, import.meta.url).pathname;
let folder: string;

// The loaders that the render worker allows.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'heic-'));
  const formats = ['JpegBuffer', 'JpegFile', 'PngBuffer', 'HeifFile'];
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: formats.map((format) => `VipsForeignLoad${format}`) });
});
afterAll(() => rm(folder, { recursive: true }));

/** One pixel, converted to sRGB. */
async function pixelAt(image: Sharp, x: number, y: number): Promise<number[]> {
  return [...(await image.clone().extract({ left: x, top: y, width: 1, height: 1 }).raw().toBuffer())];
}

const near = (...values: number[]) => values.map((value) => expect.closeTo(value, -1));

describe('a HEIC', () => {
  test('is opened with its size and pixels', async () => {
    const image = await openHeic(fixture('winter-1440x960.heic'), limits);
    expect(await image.metadata()).toMatchObject({ width: 1440, height: 960, hasAlpha: false });
    expect(await pixelAt(image, 5, 5)).toEqual(near(15, 14, 23));
    expect(await pixelAt(image, 1435, 955)).toEqual(near(202, 225, 255));
  });

  test('in Display P3 keeps its profile, so that its colours come out right', async () => {
    const image = await openHeic(fixture('display-p3.heic'), limits);
    expect((await image.metadata()).icc?.toString('latin1', 16, 20)).toBe('RGB ');
    expect(await pixelAt(image, 5, 5)).toEqual(near(255, 0, 0));
    const numbers = await sharp(await image.keepIccProfile().png().toBuffer(), { ignoreIcc: true })
      .raw()
      .toBuffer();
    expect([...numbers.subarray(0, 3)]).toEqual(near(234, 51, 35));
  });

  test('in Display P3 by its code points gets that profile', async () => {
    const bytes = await readFile(fixture('display-p3.heic'));
    const at = bytes.indexOf('colrprof') + 4;
    bytes.write('nclx', at);
    bytes.writeUInt16BE(12, at + 4);
    bytes.writeUInt16BE(13, at + 6);
    expect(await pixelAt(await openHeic(bytes, limits), 5, 5)).toEqual(near(255, 0, 0));
  });

  test('is turned once, as the file says, whatever its EXIF orientation', async () => {
    const image = await openHeic(fixture('rotated.heic'), limits);
    const { width, height, orientation } = await image.metadata();
    expect({ width, height, orientation }).toEqual({ width: 32, height: 64, orientation: undefined });
    expect(await pixelAt(image, 16, 5)).toEqual(near(234, 51, 35));
    expect(await pixelAt(image, 16, 58)).toEqual(near(255, 255, 255));
  });

  test('keeps its alpha', async () => {
    const image = await openHeic(fixture('alpha.heic'), limits);
    expect(await pixelAt(image, 5, 5)).toEqual(near(0, 0, 255, 255));
    expect((await pixelAt(image, 58, 5))[3]).toBe(0);
  });

  test('over the size limit is refused with its size', async () => {
    const opened = openHeic(fixture('winter-1440x960.heic'), { megapixels: 1 });
    await expect(opened).rejects.toThrow(ImageTooLarge);
    await expect(opened).rejects.toMatchObject({ width: 1440, height: 960 });
  });

  test('cut off anywhere is refused', async () => {
    const whole = await readFile(fixture('still.heic'));
    for (let length = 0; length < whole.length; length += 50) {
      await expect(openHeic(whole.subarray(0, length), limits)).rejects.toThrow(UnsupportedImage);
    }
    // The last 6 kB of the photo are its thumbnail.
    const photo = await readFile(fixture('winter-1440x960.heic'));
    await expect(openHeic(photo.subarray(0, photo.length - 7000), limits)).rejects.toThrow(UnsupportedImage);
  });

  test('that is damaged gives a picture within the limit or one of the two errors', async () => {
    const whole = await readFile(fixture('alpha.heic'));
    for (let at = 0; at < whole.length; at += 17) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ 0xff;
      const size = await openHeic(damaged, limits).then(
        (image) => image.metadata(),
        (error) => error,
      );
      if (size instanceof Error) expect(size instanceof UnsupportedImage || size instanceof ImageTooLarge).toBe(true);
      else expect(size.width * size.height).toBeLessThanOrEqual(2e6);
    }
  });
});

/** Converts as an upload does; gives the size of the JPEG. */
async function heicToJpeg(input: string, output: string, { megapixels }: typeof limits) {
  const result = await convertHeic({ input, output, limits: { inputMegapixels: megapixels, animationFrames: 1 } });
  expect(result.outcome).toBe('converted');
  const { width, height } = await sharp(output).metadata();
  return { width, height };
}

describe('the JPEG that is kept of a HEIC', () => {
  test('is tone-mapped to sRGB from HDR', async () => {
    const output = join(folder, 'hdr.jpg');
    expect(await heicToJpeg(fixture('hdr-pq.heic'), output, limits)).toEqual({ width: 64, height: 64 });
    for (const [column, row, ...numbers] of [
      [7, 0, 0, 0.35, 0.8],
      [4, 5, 0.5, 0.75, 0],
      [6, 7, 0.7, 0.75, 0.6],
    ] as const) {
      const wanted = shownPq(9, numbers).map((value) => expect.closeTo(value * 255, -1));
      expect(await pixelAt(sharp(output), column * 8 + 4, row * 8 + 4)).toEqual(wanted);
    }
  });

  test('has the numbers and the profile of the file', async () => {
    const output = join(folder, 'p3.jpg');
    expect(await heicToJpeg(fixture('display-p3.heic'), output, limits)).toEqual({ width: 64, height: 32 });
    expect(await sharp(output).metadata()).toMatchObject({
      format: 'jpeg',
      chromaSubsampling: '4:4:4',
      hasProfile: true,
    });
    expect(await pixelAt(sharp(output), 5, 5)).toEqual(near(255, 0, 0));
    expect(await pixelAt(sharp(output, { ignoreIcc: true }), 5, 5)).toEqual(near(234, 51, 35));
  });

  test('is upright and keeps only the copyright and the artist of the EXIF data', async () => {
    const output = join(folder, 'rotated.jpg');
    expect(await heicToJpeg(fixture('rotated.heic'), output, limits)).toEqual({ width: 32, height: 64 });
    const { exif, xmp, orientation = 1 } = await sharp(output).metadata();
    expect([orientation, exif]).toEqual([1, undefined]);
    expect(readRights({ xmp })).toEqual({ Copyright: '(c) Ada', Artist: 'Ada' });
    expect(xmp?.toString()).not.toContain('secret');
  });

  test('is white where the picture is transparent', async () => {
    const output = join(folder, 'alpha.jpg');
    await heicToJpeg(fixture('alpha.heic'), output, limits);
    expect(await pixelAt(sharp(output), 58, 5)).toEqual(near(255, 255, 255));
  });
});

describe('a monochrome HEIC', () => {
  const expanded = (value: number) => Math.min(255, Math.max(0, ((value - 16) * 255) / 219));
  const itemOf = async (): Promise<CodedItem> => {
    const [item] = readItems(await readFile(new URL('../../test/corpus/files/grey.heic', import.meta.url)));
    if (!item) throw new Error('Expected a picture.');
    return item;
  };
  const inRange = (item: CodedItem, isFull: boolean) =>
    writeHeif('heic', [{ ...item, properties: [...(item.properties ?? []), nclx(1, 13, 6, isFull)] }]);

  test('is expanded where it is in limited range', async () => {
    const item = await itemOf();
    const full = await openHeic(inRange(item, true), limits);
    const limited = await openHeic(inRange(item, false), limits);
    for (const [x, y] of [
      [5, 5],
      [100, 80],
      [230, 150],
    ] as const) {
      const [value = 0] = await pixelAt(full, x, y);
      expect((await pixelAt(limited, x, y))[0]).toBeCloseTo(expanded(value), -0.4);
    }
  });

  test('is kept so as a JPEG', async () => {
    const input = join(folder, 'limited.heic');
    await writeFile(input, inRange(await itemOf(), false));
    const output = join(folder, 'limited.jpg');
    await heicToJpeg(input, output, limits);
    const full = await openHeic(inRange(await itemOf(), true), limits);
    const [value = 0] = await pixelAt(full, 100, 80);
    expect((await pixelAt(sharp(output), 100, 80))[0]).toBeCloseTo(expanded(value), -0.7);
  });
});

describe('alpha of a HEIC', () => {
  test('follows the turns of the image', async () => {
    const bytes = await readFile(new URL('../../test/corpus/files/alpha.heic', import.meta.url));
    const [item, alpha] = readItems(bytes) as [CodedItem, CodedItem];
    const turned = (one: CodedItem, ...turns: readonly Buffer[]): CodedItem => ({
      ...one,
      properties: [...(one.properties ?? []), ...turns],
    });
    const link = { refers: [{ type: 'auxl', to: [1] }], hidden: true } as const;
    const colour = turned(item, nclx(1, 13, 6, true), irot(1));
    const right = await openHeic(writeHeif('heic', [colour, turned({ ...alpha, ...link }, irot(1))]), limits);
    const apart = await openHeic(writeHeif('heic', [colour, { ...alpha, ...link }]), limits);
    expect((await apart.clone().raw().toBuffer()).equals(await right.clone().raw().toBuffer())).toBe(true);
  });
});
