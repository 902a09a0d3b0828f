import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { inLittleMemory } from '../../../../test/pictures/little-memory.ts';
import { makeBox, readerOf, readFrom } from '../boxes.ts';
import { sequenceOf } from '../heif/av1-frames.ts';
import { withAvifProfile } from './avif-profile.ts';
import { readItemColour } from './item-colour.ts';
import { extentsOf } from './item-location.ts';
import { describedProfile } from './missing-profile.ts';
import { parameterSetColourOf } from './parameter-set.ts';

const fixture = (name: string) => readFile(new URL(`../../../../test/fixtures/${name}`, import.meta.url));
const shorts = (...values: readonly number[]) => Buffer.from(values.flatMap((value) => [value >> 8, value & 255]));
const full = (...content: readonly Buffer[]) => Buffer.concat([Buffer.alloc(4), ...content]);
const nclx = (primaries: number, transfer: number) =>
  makeBox('colr', Buffer.from('nclx'), shorts(primaries, transfer, 6), Buffer.from([0x80]));
const icc = Buffer.concat([Buffer.alloc(16), Buffer.from('RGB '), Buffer.alloc(120)]);
const prof = makeBox('colr', Buffer.from('prof'), icc);

/** Makes a file with main item 1; `associations` are the property numbers of each item. */
function itemFile(
  properties: readonly Buffer[],
  associations: readonly (readonly number[])[],
  more: readonly Buffer[],
) {
  const entries = associations.map((numbers, index) => Buffer.from([0, index + 1, numbers.length, ...numbers]));
  const ipma = makeBox('ipma', full(shorts(0, associations.length), ...entries));
  const iprp = makeBox('iprp', makeBox('ipco', ...properties), ipma);
  const meta = makeBox('meta', full(makeBox('pitm', full(shorts(1))), iprp, ...more));
  return Buffer.concat([makeBox('ftyp', Buffer.from('avif')), meta, makeBox('mdat', Buffer.alloc(8))]);
}

const read = (file: Buffer) => readItemColour(readerOf(file));

describe('the colours of an AVIF or HEIC', () => {
  test('are those of the main item, not of its thumbnail or its alpha', async () => {
    const file = itemFile([nclx(1, 13), nclx(12, 13)], [[2], [1]], []);
    expect(await read(file)).toEqual({ primaries: 12, transfer: 13 });
  });

  test('are those of its profile where it has both', async () => {
    expect(await read(itemFile([nclx(9, 16), prof], [[0x81, 2]], []))).toEqual({ icc });
    expect(await describedProfile(readerOf(itemFile([prof, nclx(9, 16)], [[2, 1]], [])))).toEqual({
      icc,
      isHdr: false,
    });
  });

  test('are those of the first tile where the grid has none', async () => {
    const iref = makeBox('iref', full(makeBox('dimg', shorts(1, 2, 3, 2))));
    expect(await read(itemFile([nclx(1, 13), nclx(12, 13)], [[], [1], [2]], [iref]))).toEqual({
      primaries: 12,
      transfer: 13,
    });
  });

  test('are those of the first track where there are no items', async () => {
    const entry = makeBox('av01', Buffer.alloc(78), nclx(12, 16));
    const stsd = makeBox('stsd', full(shorts(0, 1), entry));
    const moov = ['stbl', 'minf', 'mdia', 'trak', 'moov'].reduce((inner, type) => makeBox(type, inner), stsd);
    expect(await read(Buffer.concat([makeBox('ftyp', Buffer.from('avis')), moov]))).toEqual({
      primaries: 12,
      transfer: 16,
    });
  });

  test('are unknown where none are named, and in what is no such file', async () => {
    expect(await read(itemFile([], [[]], []))).toBeUndefined();
    expect(await read(itemFile([nclx(2, 2)], [[1]], []))).toBeUndefined();
    expect(await read(Buffer.alloc(0))).toBeUndefined();
    expect(await read(Buffer.from('\x89PNG\r\n\x1a\n, no boxes at all', 'latin1'))).toBeUndefined();
  });

  test('are those of the stream where no box names them', async () => {
    expect(await read(await fixture('hlg-stream.avif'))).toEqual({ primaries: 9, transfer: 18 });
  });

  test('are not looked for where no file has bytes', async () => {
    const still = new URL('../../../../test/fixtures/still.avif', import.meta.url).pathname;
    expect(await readFrom(still, (bytes) => bytes(2 ** 60, 16))).toHaveLength(0);
  });

  test('take little memory, however many boxes and items there are', async () => {
    const free = Buffer.alloc(8 * 300_000, makeBox('free'));
    const ipma = makeBox('ipma', Buffer.alloc(8), Buffer.alloc(3_000_000), Buffer.from([0, 1, 1, 1]));
    const iprp = makeBox('iprp', makeBox('ipco', nclx(12, 13), free), ipma);
    const meta = makeBox('meta', full(free, makeBox('pitm', full(shorts(1))), iprp));
    const body = `
      const { readerOf } = await load('boxes.ts');
      const { readItemColour } = await load('colour/item-colour.ts');
      return await readItemColour(readerOf(bytes));
    `;
    const colour = await inLittleMemory(body, Buffer.concat([makeBox('ftyp'), meta]));
    expect(colour).toEqual({ primaries: 12, transfer: 13 });
  });

  test('take no more than the file, however it is damaged', async () => {
    for (const name of ['hlg-stream.avif', 'hdr-pq.heic', 'alpha.heic']) {
      const whole = await fixture(name);
      for (let at = 0; at < Math.min(whole.length, 500); at++) {
        const damaged = Buffer.from(whole);
        damaged[at] = (damaged[at] as number) ^ 0xff;
        await read(damaged);
        await read(whole.subarray(0, at));
      }
    }
  });
});

describe('the places of items', () => {
  /** Items with many extents each, whose numbers have a given width. */
  const ilocOf = (numberBytes: number, items: number, ...more: readonly Buffer[]) => {
    const sizes = Buffer.from([0, 0, 0, 0, numberBytes * 17, 0]);
    const entries = Array.from({ length: items }, (_, index) => shorts(index, 0, 0xffff));
    return Buffer.concat([sizes, shorts(items), ...entries, ...more]);
  };

  test('are one for each item where they take no bytes, however many it says there are', () => {
    expect(extentsOf(ilocOf(0, 3)).toArray()).toEqual(
      [0, 1, 2].map((item) => ({ item, at: 0, length: 0, isInMeta: false })),
    );
  });

  test('end with the last one that is whole', () => {
    const iloc = ilocOf(4, 1, shorts(0, 9, 0, 7, 0, 8, 0));
    expect(extentsOf(iloc).toArray()).toEqual([{ item: 0, at: 9, length: 7, isInMeta: false }]);
  });
});

describe('a coded picture names its colours', () => {
  // Both were written by ffmpeg, with the primaries of BT.2020 and PQ.
  test('in an AV1 sequence header, of a sequence too', () => {
    const header = Buffer.from('0a0d00000002afff9b5f2a12201208', 'hex');
    expect(sequenceOf(header)?.codes).toEqual({ primaries: 9, transfer: 16 });
    expect(sequenceOf(Buffer.concat([Buffer.from('1200', 'hex'), header]))?.codes).toEqual({
      primaries: 9,
      transfer: 16,
    });
    // A size may take up to eight bytes.
    const padded = Buffer.concat([Buffer.from('0a8d80808080808000', 'hex'), header.subarray(2)]);
    expect(sequenceOf(padded)?.codes).toEqual({ primaries: 9, transfer: 16 });
    expect(sequenceOf(header.subarray(0, 12))?.codes).toBeUndefined();
    expect(sequenceOf(Buffer.from('0a0a00000002afff9b5f2808', 'hex'))?.codes).toBeUndefined();
  });

  test('in an HEVC parameter set', () => {
    const set = Buffer.from(
      '42010102200000030090000003000003001ea0208104d96566924caf016a12201208000003000800000300c840',
      'hex',
    );
    const hvcC = Buffer.concat([Buffer.alloc(22), Buffer.from([1, 0xa1, 0, 1]), shorts(set.length), set]);
    expect(parameterSetColourOf(hvcC)?.codes).toEqual({ primaries: 9, transfer: 16 });
    expect(parameterSetColourOf(hvcC.subarray(0, hvcC.length - 20))?.codes).toBeUndefined();
    expect(parameterSetColourOf(Buffer.alloc(10))?.codes).toBeUndefined();
  });
});

describe('an AVIF gets a profile', () => {
  test.each(['still.avif', 'hlg-stream.avif'])('and keeps its pixels: %s', async (name) => {
    const file = await fixture(name);
    const profile = (await describedProfile(readerOf(await fixture('display-p3.heic'))))?.icc as Buffer;
    const profiled = (await withAvifProfile(file, profile)) as Buffer;
    const before = await sharp(file).metadata();
    const after = await sharp(profiled).metadata();
    expect(after).toEqual({ ...before, hasProfile: true, icc: profile, size: profiled.length });
    const pixels = (bytes: Buffer) => sharp(bytes, { ignoreIcc: true }).raw({ depth: 'ushort' }).toBuffer();
    expect((await pixels(profiled)).equals(await pixels(file))).toBe(true);
  });

  test('in a file whose last box has no size of its own', async () => {
    const file = await fixture('hlg-stream.avif');
    file.writeUInt32BE(0, file.indexOf('mdat') - 4);
    const profiled = (await withAvifProfile(file, icc)) as Buffer;
    expect((await sharp(profiled).metadata()).icc).toEqual(icc);
  });

  test('in a file whose last box has a size of 64 bits', async () => {
    const free = Buffer.from('\0\0\0\x01free\0\0\0\0\0\0\0\x10', 'latin1');
    const file = Buffer.concat([await fixture('hlg-stream.avif'), free]);
    const profiled = (await withAvifProfile(file, icc)) as Buffer;
    expect((await sharp(profiled).metadata()).icc).toEqual(icc);
  });

  test('unless it is cut off', async () => {
    const file = await fixture('hlg-stream.avif');
    expect(await withAvifProfile(file.subarray(0, file.length - 1), icc)).toBeUndefined();
    expect(await withAvifProfile(file.subarray(0, 100), icc)).toBeUndefined();
  });
});
