import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plainPage, tiffOf } from '../../test/pictures/tiff-sample.ts';
import { acceptExtraTypes, EXTRA_MEDIA_TYPES, sniffMediaType } from '../media.ts';

beforeAll(() => acceptExtraTypes(['tiff']));
afterAll(() => acceptExtraTypes([]));

type Field = readonly [tag: number, value: number];

/** Makes a TIFF that begins with its first directory. */
function headOf(fields: readonly Field[], isBigEndian = false): Buffer {
  const bytes = Buffer.alloc(8 + 2 + fields.length * 12 + 4 + 100);
  const short = (value: number, at: number) =>
    isBigEndian ? bytes.writeUInt16BE(value, at) : bytes.writeUInt16LE(value, at);
  const long = (value: number, at: number) =>
    isBigEndian ? bytes.writeUInt32BE(value, at) : bytes.writeUInt32LE(value, at);
  bytes.write(isBigEndian ? 'MM' : 'II', 'latin1');
  short(42, 2);
  long(8, 4);
  short(fields.length, 8);
  for (const [index, [tag, value]] of fields.entries()) {
    const at = 10 + index * 12;
    short(tag, at);
    short(4, at + 2);
    long(1, at + 4);
    long(value, at + 8);
  }
  return bytes;
}

const plain = (count: number): Field[] =>
  Array.from({ length: count }, (_, index) => [index === 0 ? 254 : 255 + index, 0]);

describe('is a TIFF', () => {
  test('with 28 tags', async () => {
    const file = new URL('../../test/fixtures/tiff-28-tags.tif', import.meta.url);
    expect(await sniffMediaType(await readFile(file))).toBe(EXTRA_MEDIA_TYPES.tiff);
  });

  test.each<[string, Buffer]>([
    ['with 31 tags, of which the first is that of a program', headOf([[11, 0], ...plain(30)])],
    ['with a tag for printers', headOf([...plain(5), [50_341, 0]])],
    ['by a camera', headOf([...plain(3), [271, 0]])],
    [
      'by a camera, with images of other sizes',
      headOf([
        [254, 0],
        [271, 0],
        [330, 0],
      ]),
    ],
    [
      'with a preview',
      headOf([
        [254, 1],
        [330, 0],
      ]),
    ],
  ])('%s', async (_, head) => {
    expect(await sniffMediaType(head)).toBe(EXTRA_MEDIA_TYPES.tiff);
  });

  test.each(['CR', '\x1c\0\xfe\0', '\x1f\0\x0b\0'])('whose first pixels are %j', async (text) => {
    const page = plainPage(20, 20, [0, 0, 0]);
    Buffer.from(page.samples.buffer, page.samples.byteOffset).write(text, 'latin1');
    expect(await sniffMediaType(tiffOf(page))).toBe(EXTRA_MEDIA_TYPES.tiff);
  });
});

describe('is a raw file of a camera, and no TIFF', () => {
  test.each<[string, Buffer]>([
    ['CR2', Buffer.from('II*\0\x10\0\0\0CR\x02\0', 'latin1')],
    ['DNG', headOf([...plain(4), [50_706, 0x0101]])],
    ['DNG, the other order of bytes', headOf([...plain(4), [50_706, 0x0101]], true)],
    [
      'NEF or ARW: a preview by a camera',
      headOf([
        [254, 1],
        [271, 0],
        [330, 0],
      ]),
    ],
    [
      'the same, in the other order of bytes',
      headOf(
        [
          [254, 1],
          [271, 0],
          [330, 0],
        ],
        true,
      ),
    ],
  ])('%s', async (_, head) => {
    const padded = Buffer.concat([head, Buffer.alloc(5000)]);
    expect(await sniffMediaType(padded)).toBeUndefined();
  });
});

test('is nothing that is accepted where TIFF is not', async () => {
  acceptExtraTypes([]);
  expect(await sniffMediaType(headOf(plain(5)))).toBeUndefined();
  acceptExtraTypes(['tiff']);
});
