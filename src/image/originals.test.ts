import { readFile } from 'node:fs/promises';
import { rgbProfile, tableProfile } from '@darkroom/image-files/colour/icc';
import { BT709, gamma } from '@darkroom/image-files/colour/spaces';
import { withJpegProfile } from '@darkroom/image-files/decoded-image';
import { pngChunk, profileChunk } from '@darkroom/image-files/png';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeLosslessJpeg } from '../../test/pictures/lossless-jpeg.ts';
import {
  displayP3,
  frames,
  gradient,
  meanDifference,
  openStudio,
  quadrants,
  type Studio,
  solid,
} from '../../test/pictures/studio.ts';

const QUADRANTS = ['red', 'green', 'yellow', 'blue'];

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

describe('a lossless JPEG', () => {
  const encode = async (width: number, height: number) =>
    encodeLosslessJpeg(await quadrants(width, height).raw().toBuffer(), width, height);

  test('is shown as a whole at every size', async () => {
    const input = await studio.keep('lossless.jpg', await encode(96, 64));
    for (const segment of ['', 'w_48', 'w_20', 'w_10,h_10,c_pad', 'w_9,a_90']) {
      const shown = (await studio.render(input, segment)).corners(segment.includes('pad') ? 3 : 2);
      const turned = segment.includes('a_90') ? [...QUADRANTS.slice(3), ...QUADRANTS.slice(0, 3)] : QUADRANTS;
      expect([segment, shown]).toEqual([segment, turned]);
    }
  });

  test('also behind megabytes of metadata and fill bytes', async () => {
    const jpeg = await encode(96, 64);
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0xff, 0xff]), Buffer.alloc(65_533)]);
    const metadata = [...Array<Buffer>(40).fill(comment), Buffer.from([0xff, 0xff])];
    const input = await studio.keep(
      'comments.jpg',
      Buffer.concat([jpeg.subarray(0, 2), ...metadata, jpeg.subarray(2)]),
    );
    expect((await studio.render(input, 'w_20')).corners()).toEqual(QUADRANTS);
  });
});

describe('a JPEG without its end', () => {
  const cut = (jpeg: Buffer, bytes: number) => jpeg.subarray(0, jpeg.length - bytes);
  const shape = () => gradient(300, 200);

  test.each([
    ['baseline', () => shape().jpeg({ mozjpeg: false }).toBuffer()],
    ['progressive', () => shape().jpeg({ progressive: true }).toBuffer()],
    ['grey', () => shape().toColourspace('b-w').jpeg().toBuffer()],
    ['CMYK', () => shape().toColourspace('cmyk').jpeg().toBuffer()],
    ['lossless', async () => encodeLosslessJpeg(await quadrants(96, 64).raw().toBuffer(), 96, 64)],
    ['larger than what is read of its end', () => shape().resize(1500).jpeg({ quality: 100 }).toBuffer()],
  ])('%s, is shown', async (name, make) => {
    const whole = await make();
    const original = await studio.keep(`${name}.jpg`, whole);
    for (const bytes of [1, 2]) {
      const input = await studio.keep(`${name}-${bytes}.jpg`, cut(whole, bytes));
      // Its decoder does not shrink, which rounds otherwise.
      for (const [segment, most] of [
        ['w_60,q_100', 1],
        ['f_png', 0],
      ] as const) {
        const shown = await studio.render(input, segment);
        const expected = await studio.render(original, segment);
        expect(await meanDifference(shown.file, expected.file), segment).toBeLessThanOrEqual(most);
      }
    }
  });

  test('but not if coded pixels are missing, too', async () => {
    const whole = await shape().jpeg().toBuffer();
    for (const bytes of [10, 50, 200, 1000, 2000]) {
      const input = await studio.keep('short.jpg', cut(whole, bytes));
      for (const segment of ['w_300', 'w_60', 'w_30']) {
        expect(await studio.attempt(input, segment), `${bytes}, ${segment}`).toMatchObject({ outcome: 'undecodable' });
      }
    }
  });

  test('nor if the last scans of a progressive one are missing', async () => {
    const whole = await shape().jpeg({ progressive: true }).toBuffer();
    const scans = [...whole.toString('latin1').matchAll(/\xff\xda/g)].map(({ index }) => index);
    expect(scans.length).toBeGreaterThan(4);
    for (const end of scans.slice(2)) {
      // Before a scan come its tables.
      const table = whole.lastIndexOf(Buffer.from([0xff, 0xc4]), end);
      const start = table > (scans.findLast((scan) => scan < end) ?? 0) ? table : end;
      const input = await studio.keep('scans.jpg', whole.subarray(0, start));
      for (const segment of ['w_300', 'w_30']) {
        expect(await studio.attempt(input, segment), `${end}, ${segment}`).toMatchObject({ outcome: 'undecodable' });
      }
    }
  });

  test('is no JPEG that is followed by something else', async () => {
    const whole = await shape().jpeg().toBuffer();
    const expected = await studio.render(await studio.keep('alone.jpg', whole), 'w_60');
    const video = Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42'), Buffer.alloc(40_000)]);
    for (const more of [Buffer.alloc(100), Buffer.alloc(100_000), video, whole.subarray(0, 500)]) {
      const input = await studio.keep('followed.jpg', Buffer.concat([whole, more]));
      expect(await meanDifference((await studio.render(input, 'w_60')).file, expected.file)).toBe(0);
    }
  });
});

/** Puts a profile into a WebP whose header is extended: RFC 9649, 2.7. */
function withWebpProfile(webp: Buffer, icc: Buffer): Buffer {
  const chunk = Buffer.concat([Buffer.from('ICCP\0\0\0\0'), icc, Buffer.alloc(icc.length % 2)]);
  chunk.writeUInt32LE(icc.length, 4);
  const whole = Buffer.concat([webp.subarray(0, 30), chunk, webp.subarray(30)]);
  whole.writeUInt32LE(whole.length - 8, 4);
  whole.writeUInt8(whole.readUInt8(20) | 0x20, 20);
  return whole;
}

/** A JPEG without its segments for profiles. */
function withoutProfile(jpeg: Buffer): Buffer {
  let bare = jpeg;
  for (let at = bare.indexOf(Buffer.from([0xff, 0xe2])); at >= 0; at = bare.indexOf(Buffer.from([0xff, 0xe2]))) {
    bare = Buffer.concat([bare.subarray(0, at), bare.subarray(at + 2 + bare.readUInt16BE(at + 2))]);
  }
  return bare;
}

describe('a profile for pixels of another kind says nothing about these', () => {
  let p3: Buffer;
  beforeAll(async () => {
    p3 = await displayP3();
  });
  /** A table that makes all colours dark, for numbers of a space. */
  const profileOf = (space: string) => {
    const icc = tableProfile(([l]) => [l * 20, 0, 0]);
    icc.write(space, 16, 'latin1');
    return icc;
  };

  test.each(['Lab ', 'XYZ ', 'GRAY', 'CMYK', 'HSV ', 'YCbr'])('%s in a JPEG of RGB', async (space) => {
    const plain = await gradient(60, 40).jpeg().toBuffer();
    const expected = await studio.render(await studio.keep('plain.jpg', plain), 'w_30');
    const input = await studio.keep('profiled.jpg', withJpegProfile(plain, profileOf(space)));
    expect(await meanDifference((await studio.render(input, 'w_30')).file, expected.file)).toBe(0);
  });

  test('Lab in a PNG, and in each frame of a WebP', async () => {
    const strip = frames(40, 30, ['red', 'blue']);
    const plain = await strip.clone().webp({ lossless: true }).toBuffer();
    const profiled = withWebpProfile(plain, profileOf('Lab '));
    const shown = await studio.render(await studio.keep('lab.webp', profiled), 'an_true,w_20', 'webp');
    expect(shown.corners()).toEqual(Array(4).fill('red'));
    const png = await quadrants(40, 30).png().toBuffer();
    const chunk = profileChunk(profileOf('Lab '));
    const input = await studio.keep('lab.png', Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]));
    expect((await studio.render(input, '')).corners()).toEqual(QUADRANTS);
  });

  test('but one of RGB counts for a grey JPEG, as in browsers', async () => {
    const grey = await solid(60, 40, [118, 118, 118, 255]).toColourspace('b-w').jpeg({ quality: 100 }).toBuffer();
    const input = await studio.keep('grey.jpg', withJpegProfile(grey, rgbProfile(BT709, gamma(1.2)) as Buffer));
    for (const segment of ['', 'w_30', 'w_30,h_30,c_pad', 'r_5', 'f_jpeg,q_100']) {
      const shown = await studio.render(input, segment);
      const [red, green, blue] = shown.pixel(shown.width >> 1, shown.height >> 1);
      expect([segment, Math.abs(red - 169) <= 2, green, blue]).toEqual([segment, true, red, red]);
    }
  });

  test('in CMYK it counts as none', async () => {
    const plain = await gradient(60, 40).toColourspace('cmyk').jpeg().toBuffer();
    const bare = withoutProfile(plain);
    const expected = await studio.render(await studio.keep('cmyk.jpg', bare), 'w_30');
    const input = await studio.keep('cmyk-p3.jpg', withJpegProfile(bare, p3));
    expect(await meanDifference((await studio.render(input, 'w_30')).file, expected.file)).toBeLessThan(4);
  });
});

describe('an orientation counts as browsers read it: as a number of two bytes', () => {
  /** An EXIF block with an orientation of 6 of a type. Source: TIFF 6.0, section 2. */
  function exifOf(type: number): Buffer {
    const block = Buffer.alloc(26);
    block.write('MM\0*', 'latin1');
    block.writeUInt32BE(8, 4);
    block.writeUInt16BE(1, 8);
    block.writeUInt16BE(0x0112, 10);
    block.writeUInt16BE(type, 12);
    block.writeUInt32BE(1, 14);
    if (type === 1) block[18] = 6;
    else if (type === 3) block.writeUInt16BE(6, 18);
    else block.writeUInt32BE(6, 18);
    return block;
  }
  const marked = async (format: string, type: number): Promise<Buffer> => {
    const exif = exifOf(type);
    if (format === 'webp') {
      const plain = await quadrants(60, 40)
        .withExif({ IFD0: { Software: 'x' } })
        .webp({ lossless: true })
        .toBuffer();
      const end = plain.indexOf('EXIF');
      const head = Buffer.alloc(8);
      head.write('EXIF', 'latin1');
      head.writeUInt32LE(exif.length, 4);
      const whole = Buffer.concat([plain.subarray(0, end), head, exif]);
      whole.writeUInt32LE(whole.length - 8, 4);
      return whole;
    }
    if (format === 'png') {
      const png = await quadrants(60, 40).png().toBuffer();
      return Buffer.concat([png.subarray(0, 33), pngChunk('eXIf', exif), png.subarray(33)]);
    }
    const jpeg = await quadrants(60, 40).jpeg().toBuffer();
    const body = Buffer.concat([Buffer.from('Exif\0\0'), exif]);
    const head = Buffer.from([0xff, 0xe1, 0, body.length + 2]);
    return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)]);
  };

  test.each(['jpeg', 'png', 'webp'])('in %s', async (format) => {
    for (const [type, size] of [
      [1, [60, 40]],
      [3, [40, 60]],
      [4, [60, 40]],
      [9, [60, 40]],
    ] as const) {
      const input = await studio.keep(`${type}.${format}`, await marked(format, type));
      for (const segment of ['', 'f_gif', 'r_4,b_f00']) {
        const shown = await studio.render(input, segment);
        expect([type, segment, shown.width, shown.height]).toEqual([type, segment, ...size]);
      }
    }
  });
});

describe('an AVIF sequence', () => {
  const readSequence = () => readFile(new URL('../../test/corpus/files/sequence.avif', import.meta.url));

  test.each(['avis', 'avif', 'MA1B', 'msf1'])(
    'shows its first frame, also when its major brand is %s',
    async (brand) => {
      const expected = await studio.render(await studio.keep('sequence.avif', await readSequence()), 'w_60');
      const named = await readSequence();
      named.write(brand, 8);
      const { width, height, file } = await studio.render(await studio.keep(`${brand}.avif`, named), 'w_60');
      expect([width, height]).toEqual([60, 40]);
      expect(await meanDifference(file, expected.file)).toBe(0);
    },
  );

  test('comes out as a picture that does not move, also at its own size', async () => {
    const input = await studio.keep('sequence.avif', await readSequence());
    const { file } = await studio.render(input, '', 'avif');
    expect((await readFile(file)).includes('avis')).toBe(false);
  });

  test('of tracks alone is undecodable', async () => {
    const tracks = await readSequence();
    tracks.write('free', tracks.indexOf('meta'));
    expect(await studio.attempt(await studio.keep('tracks.avif', tracks), '')).toMatchObject({
      outcome: 'undecodable',
    });
  });

  test('cut or damaged anywhere is a picture or undecodable', async () => {
    const whole = await readSequence();
    const metadata = whole.indexOf('moov');
    for (let at = 0; at < metadata; at += 13) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ 0xff;
      for (const bytes of [whole.subarray(0, at), damaged]) {
        const { outcome } = await studio.attempt(await studio.keep('damaged.avif', bytes), 'w_10');
        expect(['rendered', 'undecodable', 'limit exceeded']).toContain(outcome);
      }
    }
  });
});

describe('a GIF', () => {
  /** The start of the second image: 0x2c, its place (0, 0) and its size. */
  const secondFrame = (gif: Buffer) => gif.lastIndexOf(Buffer.from([0x2c, 0, 0, 0, 0]));

  test('with a damaged second frame shows the first', async () => {
    const gif = await frames(40, 30, ['red', 'blue']).gif().toBuffer();
    gif.writeUInt8(0xff, secondFrame(gif));
    const input = await studio.keep('damaged.gif', gif);
    expect((await studio.render(input, '')).corners()).toEqual(Array(4).fill('red'));
  });

  test('that ends within its first frame is undecodable', async () => {
    const gif = await gradient(60, 40).gif().toBuffer();
    const input = await studio.keep('cut.gif', gif.subarray(0, gif.length / 2));
    expect(await studio.attempt(input, '')).toMatchObject({ outcome: 'undecodable' });
  });
});
