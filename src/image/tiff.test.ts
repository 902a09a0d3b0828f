import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { displayP3 } from '../../test/pictures/studio.ts';
import { type TiffKind, tiffKind } from '../../test/pictures/tiff-kinds.ts';
import { decoding, openImage } from './decode.ts';
import { closeLoaders, prepareSharp } from './loaders.ts';
import { NeedsMemory } from './memory.ts';

const LIMITS = { inputMegapixels: 1, animationFrames: 10, documents: ['tiff'] } as const;
const fixture = (name: string) => new URL(`../../test/fixtures/${name}`, import.meta.url).pathname;

let folder: string;
let count = 0;
beforeAll(async () => {
  prepareSharp();
  folder = await mkdtemp(join(tmpdir(), 'tiff-'));
});
afterAll(async () => {
  closeLoaders();
  await rm(folder, { recursive: true });
});

async function keep(bytes: Buffer): Promise<string> {
  const file = join(folder, `${count++}.tif`);
  await writeFile(file, bytes);
  return file;
}

/** An image as it is shown: its size, and its pixels. */
async function shown(file: string | Buffer, page = 1) {
  const path = typeof file === 'string' ? file : await keep(file);
  const original = await openImage(path, LIMITS, undefined, { page });
  const image = original.image.clone().autoOrient().toColourspace('srgb').ensureAlpha().raw();
  const { data, info } = await decoding(() => image.toBuffer({ resolveWithObject: true }));
  const pixel = (x: number, y: number) => [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)];
  return { width: info.width, height: info.height, count: original.count, format: original.format, pixel };
}

const near = (...values: number[]) => values.map((value) => expect.closeTo(value, -0.31));

const GREY = { width: 37, height: 23, channels: 1, photometric: 1 } as const;
const RGB = { width: 37, height: 23, channels: 3, photometric: 2 } as const;

/** Grows to the right, downwards and to the bottom right, by the channel; as a share. */
const share = (x: number, y: number, channel: number) =>
  channel === 0 ? x / 36 : channel === 1 ? y / 22 : channel === 2 ? (x + y) / 58 : 0.5;

function graded(page: Omit<TiffKind, 'sample'>): TiffKind {
  const most = 2 ** page.bits - 1;
  return { ...page, sample: (x, y, channel) => Math.round(share(x, y, channel) * most) };
}

const POINTS = [
  [0, 0],
  [36, 0],
  [36, 22],
  [0, 22],
  [17, 9],
  [16, 16],
] as const;

/** Compares points of an image with the shares of its channels. */
async function expectGraded(page: TiffKind) {
  const { pixel, width, height } = await shown(tiffKind(page));
  expect([width, height]).toEqual([37, 23]);
  for (const [x, y] of POINTS) {
    const value = (channel: number) => 255 * share(x, y, page.channels < 3 ? 0 : channel);
    // A step of a sample may be more than one of 8 bits.
    const step = 255 / (2 ** page.bits - 1);
    for (const channel of [0, 1, 2]) {
      expect(Math.abs((pixel(x, y)[channel] ?? 0) - value(channel))).toBeLessThanOrEqual(step / 2 + 1);
    }
  }
}

describe('samples of every depth are shown', () => {
  test.each([3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15])('grey of %i bits', (bits) =>
    expectGraded(graded({ ...GREY, bits })),
  );

  test.each([6, 10, 12, 14])('RGB of %i bits, in rows that end within a byte', (bits) =>
    expectGraded(graded({ ...RGB, bits })),
  );

  test.each<[string, Partial<TiffKind>]>([
    ['Deflate', { compression: 8 }],
    ['PackBits', { compression: 32_773 }],
    ['strips of 5 rows', { rowsPerStrip: 5 }],
    ['tiles', { tile: { width: 16, height: 32 } }],
    ['planes', { isPlanar: true, rowsPerStrip: 7 }],
    ['planes in tiles', { isPlanar: true, tile: { width: 32, height: 16 } }],
    ['the lowest bit first', { lowestBitFirst: true }],
    ['the other order of bytes', { isBigEndian: true }],
    ['BigTIFF', { isBig: true }],
  ])('RGB of 12 bits: %s', (_, more) => expectGraded(graded({ ...RGB, bits: 12, ...more })));

  test('white where it is zero', async () => {
    const { pixel } = await shown(tiffKind(graded({ ...GREY, photometric: 0, bits: 12 })));
    expect(pixel(0, 0).slice(0, 3)).toEqual([255, 255, 255]);
    expect(pixel(36, 0).slice(0, 3)).toEqual([0, 0, 0]);
  });

  test('a palette of 6 bits', async () => {
    const palette = [0, 1, 2].flatMap((channel) =>
      Array.from({ length: 64 }, (_, i) => (channel === 1 ? 65_535 - i * 1040 : i * 1040)),
    );
    const { pixel } = await shown(tiffKind(graded({ ...GREY, photometric: 3, bits: 6, palette })));
    expect(pixel(0, 0).slice(0, 3)).toEqual([0, 255, 0]);
    expect(pixel(36, 0).slice(0, 3)).toEqual(near(255, 0, 255));
  });

  test('inks of 12 bits', async () => {
    const page = { ...RGB, channels: 4, photometric: 5, bits: 12, sample: () => 0 };
    expect((await shown(tiffKind(page))).pixel(5, 5)).toEqual([255, 255, 255, 255]);
  });

  test('in the colours of their profile', async () => {
    const icc = await displayP3();
    const page = {
      ...RGB,
      bits: 12,
      icc,
      sample: (_x: number, _y: number, channel: number) => [3760, 819, 562][channel] ?? 0,
    };
    const [red = 0, green = 0, blue = 0] = (await shown(tiffKind(page))).pixel(5, 5);
    expect([red > 253, green < 4, blue < 4]).toEqual([true, true, true]);
  });

  test('the sample file of 12 bits', async () => {
    const { width, height, format } = await shown(fixture('tiff-12bit.tif'));
    expect({ width, height, format }).toEqual({ width: 32, height: 24, format: 'tiff' });
  });
});

describe('planes in tiles are shown', () => {
  const tile = { width: 16, height: 16 };
  test.each<[string, Omit<TiffKind, 'sample'>]>([
    ['8 bits', { ...RGB, bits: 8 }],
    ['16 bits', { ...RGB, bits: 16 }],
    ['16 bits, the other order of bytes', { ...RGB, bits: 16, isBigEndian: true }],
    ['8 bits, Deflate, as differences', { ...RGB, bits: 8, compression: 8, isPredicted: true }],
    ['16 bits, as differences', { ...RGB, bits: 16, isPredicted: true }],
  ])('%s', (_, page) => expectGraded(graded({ ...page, isPlanar: true, tile })));

  test('with alpha', async () => {
    const { pixel } = await shown(
      tiffKind(graded({ ...RGB, channels: 4, bits: 8, isPlanar: true, tile, extraSamples: 2 })),
    );
    expect(pixel(36, 22)).toEqual([255, 255, 255, 128]);
  });

  test('with alpha that is multiplied in', async () => {
    const sample = (_x: number, _y: number, channel: number) => [100, 50, 25, 128][channel] ?? 0;
    const page = { ...RGB, channels: 4, bits: 8, isPlanar: true, tile, extraSamples: 1, sample };
    expect((await shown(tiffKind(page))).pixel(9, 9)).toEqual(near(199, 100, 50, 128));
  });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])('is turned upright by orientation %i as libvips does it', async (orientation) => {
  const own = await shown(tiffKind(graded({ ...RGB, bits: 12, orientation })));
  const other = await shown(tiffKind(graded({ ...RGB, bits: 8, orientation })));
  expect([own.width, own.height]).toEqual([other.width, other.height]);
  for (const [x, y] of [
    [0, 0],
    [own.width - 1, 0],
    [3, own.height - 2],
  ] as const) {
    expect(own.pixel(x, y)).toEqual(near(...other.pixel(x, y)));
  }
});

describe('Lab colours are shown', () => {
  // CIE L*a*b* of sRGB red, for the white of D50.
  const RED = [54.29, 80.8, 69.89] as const;
  const stored = (bits: 8 | 16, isIcc: boolean) => (_x: number, _y: number, channel: number) => {
    const unit = bits === 8 ? 1 : 256;
    if (channel === 3) return 2 ** bits / 2;
    const value = RED[channel] ?? 0;
    if (channel === 0) return Math.round((value / 100) * (bits === 8 ? 255 : isIcc ? 65_280 : 65_535));
    const colour = Math.round(value * unit);
    return isIcc ? colour + 128 * unit : colour & (2 ** bits - 1);
  };

  test.each<[string, Partial<TiffKind> & { bits: 8 | 16 }]>([
    ['CIE, 8 bits', { bits: 8 }],
    ['CIE, 16 bits', { bits: 16 }],
    ['CIE, 16 bits, the other order of bytes, Deflate', { bits: 16, isBigEndian: true, compression: 8 }],
    ['CIE, 8 bits, said to be signed', { bits: 8, sampleFormat: 2 }],
    ['CIE, 8 bits, in planes', { bits: 8, isPlanar: true }],
    ['ICC, 8 bits', { bits: 8, photometric: 9 }],
    ['ICC, 16 bits', { bits: 16, photometric: 9 }],
  ])('%s', async (_, more) => {
    const { photometric = 8 } = more;
    const page = { ...RGB, photometric, ...more, sample: stored(more.bits, photometric === 9) };
    expect((await shown(tiffKind(page))).pixel(20, 11)).toEqual(near(255, 0, 0, 255));
  });

  test.each([8, 16] as const)('with alpha, of %i bits', async (bits) => {
    const page = { ...RGB, channels: 4, photometric: 8, bits, extraSamples: 2, sample: stored(bits, false) };
    expect((await shown(tiffKind(page))).pixel(20, 11)).toEqual(near(255, 0, 0, 128));
  });

  test.each([
    { compression: 'lzw' },
    { compression: 'lzw', predictor: 'horizontal' },
    { compression: 'lzw', predictor: 'horizontal', tile: true, tileWidth: 32, tileHeight: 16 },
    { compression: 'deflate', predictor: 'horizontal' },
    { compression: 'packbits' },
  ] as const)('as libtiff packs them: %o', async (options) => {
    // Noise makes the table of LZW grow to its end more than once.
    const width = 150;
    const height = 120;
    let seed = 1;
    const numbers = Buffer.from(
      Array.from({ length: width * height * 3 }, (_, index) => {
        seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
        return index % 3 === 0 ? (seed >> 16) & 255 : seed & (1 << 20) ? 0 : 5;
      }),
    );
    const written = await sharp(numbers, { raw: { width, height, channels: 3 } })
      .tiff(options)
      .toBuffer();
    const { pixel } = await shown(asLab(written));
    for (const [x, y] of [
      [0, 0],
      [149, 0],
      [75, 60],
      [149, 119],
    ] as const) {
      const at = (y * width + x) * 3;
      const page = {
        ...RGB,
        photometric: 8,
        bits: 8,
        sample: (_x: number, _y: number, channel: number) => numbers[at + channel] ?? 0,
      };
      expect(pixel(x, y)).toEqual((await shown(tiffKind(page))).pixel(1, 1));
    }
  });

  /** Calls the RGB of a file CIE L*a*b*. */
  function asLab(tiff: Buffer): Buffer {
    const entry = Buffer.from([6, 1, 3, 0, 1, 0, 0, 0, 2, 0]);
    const at = tiff.indexOf(entry);
    if (at < 0) throw new Error('Expected RGB.');
    tiff.writeUInt16LE(8, at + 8);
    return tiff;
  }
});

describe('is refused, and says why', () => {
  test.each<[string, TiffKind, string]>([
    ['half floats', { ...graded({ ...GREY, bits: 16 }), sampleFormat: 3 }, 'SampleFormat 3'],
    ['half floats of RGB', { ...graded({ ...RGB, bits: 16 }), sampleFormat: 3 }, 'SampleFormat 3'],
    ['signed samples of 8 bits', { ...graded({ ...GREY, bits: 8 }), sampleFormat: 2 }, 'SampleFormat 2'],
    ['signed samples of 16 bits', { ...graded({ ...RGB, bits: 16 }), sampleFormat: 2 }, 'SampleFormat 2'],
    ['complex samples', { ...graded({ ...GREY, bits: 32 }), sampleFormat: 6 }, 'SampleFormat 6'],
    ['YCbCr in planes', graded({ ...RGB, photometric: 6, bits: 8, isPlanar: true }), 'YCbCr in planes'],
    [
      'old JPEG in tiles',
      graded({ ...RGB, bits: 8, compression: 6, tile: { width: 16, height: 16 } }),
      'Compression 6',
    ],
    ['Zstandard', graded({ ...RGB, bits: 8, compression: 50_000 }), 'Zstandard (Compression 50000)'],
    ['LZMA', graded({ ...RGB, bits: 8, compression: 34_925 }), 'LZMA (Compression 34925)'],
    ['WebP', graded({ ...RGB, bits: 8, compression: 50_001 }), 'WebP (Compression 50001)'],
    ['LERC', graded({ ...RGB, bits: 8, compression: 34_887 }), 'LERC (Compression 34887)'],
    ['JBIG', graded({ ...GREY, bits: 1, compression: 34_661 }), 'JBIG (Compression 34661)'],
    ['JPEG 2000', graded({ ...RGB, bits: 8, compression: 34_712 }), 'JPEG 2000 (Compression 34712)'],
    ['JPEG of 12 bits', graded({ ...RGB, bits: 12, compression: 7 }), 'Compression 7'],
    ['24 bits', graded({ ...GREY, bits: 24 }), 'samples of 24 bits'],
    ['six channels of 12 bits', graded({ ...RGB, channels: 6, bits: 12 }), '6 channels'],
  ])('%s', async (_, page, reason) => {
    await expect(shown(tiffKind(page))).rejects.toThrow(reason);
  });

  test('floating-point samples with a profile', async () => {
    const page = { ...graded({ ...RGB, bits: 32 }), sampleFormat: 3, icc: await displayP3() };
    await expect(shown(tiffKind(page))).rejects.toThrow('SampleFormat 3');
  });

  test.each(['tiff-half-float.tif', 'tiff-signed8.tif'])('%s', async (name) => {
    await expect(shown(fixture(name))).rejects.toThrow('SampleFormat');
  });

  test('a page that is cut off within its pixels', async () => {
    const whole = tiffKind(graded({ ...RGB, bits: 12 }));
    whole.fill(0xff, whole.indexOf(Buffer.from([17, 1, 4, 0])) + 8, whole.indexOf(Buffer.from([17, 1, 4, 0])) + 11);
    await expect(shown(whole)).rejects.toThrow('The pixels of the TIFF are not complete.');
  });

  test('an image over the limit, before its pixels are read', async () => {
    const page = { ...GREY, width: 1001, height: 1000, bits: 12, sample: () => 0 };
    await expect(shown(tiffKind(page))).rejects.toThrow('MAX_INPUT_MEGAPIXELS');
    const small = await keep(tiffKind(graded({ ...GREY, bits: 12 })));
    const none = () => {
      throw new NeedsMemory(1);
    };
    await expect(openImage(small, LIMITS, none)).rejects.toThrow(NeedsMemory);
  });
});

/** Changes a tag of one number. */
function withTag(tiff: Buffer, tag: number, value: number): Buffer {
  const first = tiff.readUInt32LE(4);
  for (let at = first + 2; at < first + 2 + tiff.readUInt16LE(first) * 12; at += 12) {
    if (tiff.readUInt16LE(at) === tag) tiff.writeUInt32LE(value, at + 8);
  }
  return tiff;
}

describe('chunks that hold far more than the page are refused', () => {
  const HEIGHT = 257;
  const page = graded({ ...RGB, width: 1, bits: 8, isPlanar: true, tile: { width: 16, height: 16 } });

  test('tiles of a side that the page does not have', async () => {
    const huge = withTag(withTag(withTag(tiffKind(page), 322, 16_384), 323, 16_384), HEIGHT, 16_384);
    await expect(shown(huge)).rejects.toThrow('tiles of 16384x16384 pixels for a page of 1x16384');
  });

  test('many tiles that are nearly empty', async () => {
    const tall = withTag(withTag(withTag(tiffKind(page), 322, 1024), 323, 1024), HEIGHT, 100_000);
    await expect(shown(tall)).rejects.toThrow('294 strips or tiles of 1048576 bytes');
  });

  test('a strip for each of very many pixels', async () => {
    const strips = tiffKind(graded({ ...GREY, width: 1, bits: 12, rowsPerStrip: 1 }));
    await expect(shown(withTag(strips, HEIGHT, 200_000))).rejects.toThrow('200000 strips or tiles');
  });

  test('but not a large tile of a small page, nor a strip for each row', async () => {
    await expectGraded(graded({ ...RGB, bits: 12, tile: { width: 256, height: 256 } }));
    await expectGraded(graded({ ...RGB, bits: 12, rowsPerStrip: 1 }));
  });

  test('each strip counts in the time that is asked for', async () => {
    const cost = async (rowsPerStrip: number) => {
      const asked: number[] = [];
      const file = await keep(tiffKind(graded({ ...GREY, bits: 12, rowsPerStrip })));
      const { cpuMs } = await openImage(file, LIMITS, (_, ms = 0) => void asked.push(ms));
      return [asked[0] ?? 0, cpuMs];
    };
    const [[whole = 0, wholeMs = 0], [cut = 0, cutMs = 0]] = [await cost(23), await cost(1)];
    expect([cut - whole, cutMs - wholeMs]).toEqual([expect.closeTo(1.1), expect.closeTo(1.1)]);
  });

  test('a tile beyond the page counts in the memory that is asked for', async () => {
    const asked: number[] = [];
    const file = await keep(tiffKind(graded({ ...GREY, width: 16, bits: 12, tile: { width: 256, height: 1024 } })));
    await openImage(file, LIMITS, (megabytes) => void asked.push(megabytes));
    expect(asked[0]).toBeCloseTo((4 * 1.5 * 256 * 1024) / 1e6);
  });
});

describe('pages of which libvips reads some', () => {
  /** Both of one file: the offsets of the second one move behind the first one. */
  function joined(first: Buffer, second: Buffer): Buffer {
    const moved = Buffer.from(second);
    const at = second.readUInt32LE(4);
    for (let field = at + 2; field < at + 2 + moved.readUInt16LE(at) * 12; field += 12) {
      const isOffset = moved.readUInt16LE(field) === 273 || moved.readUInt32LE(field + 4) > 2;
      if (isOffset) moved.writeUInt32LE(moved.readUInt32LE(field + 8) + first.length, field + 8);
    }
    const bytes = Buffer.concat([first, moved]);
    const start = first.readUInt32LE(4);
    bytes.writeUInt32LE(first.length + at, start + 2 + first.readUInt16LE(start) * 12);
    return bytes;
  }
  const own = tiffKind(graded({ ...GREY, bits: 12 }));
  const plain = tiffKind({ ...RGB, bits: 8, sample: (_x, _y, channel) => [200, 100, 50][channel] ?? 0 });

  test.each([
    ['behind one that only the own decoder reads', joined(own, plain), 2],
    ['before one that only the own decoder reads', joined(plain, own), 1],
  ])('a plain page %s', async (_, file, page) => {
    const { pixel, count } = await shown(file, page);
    expect({ pixel: pixel(5, 5), count }).toEqual({ pixel: [200, 100, 50, 255], count: 2 });
  });

  test.each([
    ['before', joined(own, plain), 1],
    ['behind', joined(plain, own), 2],
  ])('a page for the own decoder %s a plain one', async (_, file, page) => {
    const { pixel, count } = await shown(file, page);
    expect({ pixel: pixel(36, 0), count }).toEqual({ pixel: [255, 255, 255, 255], count: 2 });
  });
});

test('is an image or an error, however it is damaged', async () => {
  for (const page of [
    graded({ ...RGB, bits: 12, compression: 8, tile: { width: 16, height: 16 }, isPlanar: true }),
    graded({ ...RGB, bits: 8, photometric: 8, compression: 32_773, rowsPerStrip: 4 }),
  ]) {
    const whole = tiffKind(page);
    for (let at = 0; at < whole.length; at += 3) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ 0xff;
      await shown(damaged).catch((error: Error) => expect(error.name).toMatch(/UndecodableImage|LimitExceeded/));
    }
  }
});
