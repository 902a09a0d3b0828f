import { writeXmp } from '@darkroom/image-files/rights/write-xmp';
import { stripMetadata, stripMovingMetadata } from '@darkroom/image-files/strip';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { gradient, quadrants } from '../../../test/pictures/studio.ts';
import { withChunks, words } from '../../../test/pictures/tagged.ts';

const TAGS = { IFD0: { Copyright: '(c) Ada', Make: 'Camera' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } };

/** Of one file: whether its pixels are those of another. */
async function showsTheSame(one: Buffer, other: Buffer): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((file) => sharp(file).ensureAlpha().raw().toBuffer()));
  return a !== undefined && b !== undefined && a.equals(b);
}

const tagged = (format: 'jpeg' | 'png' | 'webp') => gradient(60, 40).withExif(TAGS).toFormat(format).toBuffer();

describe.each(['jpeg', 'png'] as const)('a stripped %s', (format) => {
  test('shows the same pixels, has no metadata and is smaller', async () => {
    const file = await tagged(format);
    const stripped = stripMetadata(file, format) as Buffer;
    expect(stripped.length).toBeLessThan(file.length);
    expect(await showsTheSame(stripped, file)).toBe(true);
    expect((await sharp(stripped).metadata()).exif).toBeUndefined();
  });
});

describe('rights', () => {
  const xmp = writeXmp({ Copyright: '© Ada', Artist: 'Bo' });

  test.each(['jpeg', 'png'] as const)('are put into a stripped %s, which shows the same pixels', async (format) => {
    const file = await tagged(format);
    const stripped = stripMetadata(file, format, { xmp }) as Buffer;
    expect(await showsTheSame(stripped, file)).toBe(true);
    const metadata = await sharp(stripped).metadata();
    expect([metadata.xmp?.toString(), metadata.exif, metadata.comments]).toEqual([xmp, undefined, undefined]);
    expect(stripMetadata(stripped, format, { xmp })).toEqual(stripped);
  });

  test('follow the JFIF segment, which is the first one', async () => {
    const plain = await gradient(60, 40).jpeg().toBuffer();
    const jfif = Buffer.from([0xff, 0xe0, 0, 16, ...Buffer.from('JFIF\0'), 1, 1, 1, 1, 44, 1, 44, 0, 0]);
    const file = Buffer.concat([plain.subarray(0, 2), jfif, plain.subarray(2)]);
    const stripped = stripMetadata(file, 'jpeg', { xmp }) as Buffer;
    expect([stripped.readUInt16BE(2), stripped.readUInt16BE(20)]).toEqual([0xffe0, 0xffe1]);
    expect((await sharp(stripped).metadata()).xmp?.toString()).toBe(xmp);
  });

  test.each(['webp', 'avif'] as const)('are left to the encoder of %s', async (format) => {
    const file = await gradient(60, 40).toFormat(format, { effort: 0 }).toBuffer();
    expect(stripMetadata(file, format, { xmp })).toBeUndefined();
    if (format === 'webp') expect(stripMovingMetadata(file, format, xmp)).toBeUndefined();
  });

  test('have no slot in a GIF', async () => {
    const file = await gradient(60, 40).gif().toBuffer();
    expect(stripMetadata(file, 'gif', { xmp })).toEqual(stripMetadata(file, 'gif'));
    expect(stripMovingMetadata(file, 'gif', xmp)).toEqual(stripMovingMetadata(file, 'gif'));
  });
});

test('a stripped PNG keeps what says how its colours are meant, where it is told to', async () => {
  const chunks = { gAMA: words(100_000), cHRM: words(1, 2, 3, 4, 5, 6, 7, 8), cICP: Buffer.from([12, 13, 0, 1]) };
  const file = withChunks(await tagged('png'), { ...chunks, tEXt: Buffer.from('a\0b') });
  const stripped = (profile: boolean) => stripMetadata(file, 'png', { keepsProfile: profile }) as Buffer;
  const has = (bytes: Buffer) => [...Object.keys(chunks), 'tEXt'].map((name) => bytes.includes(name));
  expect(has(stripped(true))).toEqual([true, true, true, false]);
  expect(has(stripped(false))).toEqual([false, false, false, false]);
});

test('an AVIF with bytes that belong to none of its items is left to the encoder', async () => {
  const file = await gradient(60, 40).avif().toBuffer();
  const mdat = file.indexOf('mdat') - 4;
  // It is the last box.
  expect(mdat + file.readUInt32BE(mdat)).toBe(file.length);
  const longer = Buffer.concat([file, Buffer.from('what an item held')]);
  longer.writeUInt32BE(longer.length - mdat, mdat);
  expect(stripMetadata(file, 'avif')).toBeDefined();
  expect(stripMetadata(longer, 'avif')).toBeUndefined();
});

test('an AVIF with the bytes of an item that it does not list is left to the encoder', async () => {
  const file = await gradient(60, 40).ensureAlpha(0.5).avif().toBuffer();
  const unlisted = Buffer.from(file);
  const alpha = unlisted.lastIndexOf('infe');
  expect(unlisted.readUInt16BE(alpha + 8)).toBe(2);
  unlisted.writeUInt16BE(9, alpha + 8);
  expect(stripMetadata(file, 'avif')).toBe(file);
  expect(stripMetadata(unlisted, 'avif')).toBeUndefined();
});

test.each([
  ['a thumbnail', 'auxl', 'thmb'],
  ['a depth map', 'auxiliary:alpha', 'auxiliary:depth'],
])('an AVIF with %s is left to the encoder', async (_name, alpha, other) => {
  const file = await gradient(60, 40).ensureAlpha(0.5).avif().toBuffer();
  const changed = Buffer.from(file);
  expect(changed.write(other, changed.indexOf(alpha), 'latin1')).toBe(alpha.length);
  expect(stripMetadata(file, 'avif')).toBe(file);
  expect(stripMetadata(changed, 'avif')).toBeUndefined();
});

test('an AVIF with a size of 64 bits, or one up to the end of the file, is left to the encoder', async () => {
  const file = await gradient(60, 40).avif().toBuffer();
  const mdat = file.indexOf('mdat') - 4;
  const wide = Buffer.from(file);
  const open = Buffer.from(file);
  wide.writeUInt32BE(1, mdat);
  wide.writeBigUInt64BE(BigInt(file.length - mdat), mdat + 8);
  open.writeUInt32BE(0, mdat);
  expect(stripMetadata(file, 'avif')).toBe(file);
  expect(stripMetadata(wide, 'avif')).toBeUndefined();
  expect(stripMetadata(open, 'avif')).toBeUndefined();
});

test('a JPEG whose first segments hold a thumbnail is left to the encoder', async () => {
  const file = await gradient(60, 40).jpeg().toBuffer();
  const thumbnail = Buffer.from([0xff, 0xe0, 0, 20, ...Buffer.from('JFXX\0\x13'), 2, 2, ...Array(10).fill(99)]);
  const withThumbnail = Buffer.concat([file.subarray(0, 2), thumbnail, file.subarray(2)]);
  expect(stripMetadata(file, 'jpeg')).toBeDefined();
  expect(stripMetadata(withThumbnail, 'jpeg')).toBeUndefined();
});

test('nothing after the end of a JPEG is kept, where phones put second pictures', async () => {
  for (const progressive of [false, true]) {
    const file = await gradient(60, 40).jpeg({ progressive }).toBuffer();
    const second = await quadrants(8, 8).withExif(TAGS).jpeg().toBuffer();
    const stripped = stripMetadata(Buffer.concat([file, second]), 'jpeg') as Buffer;
    expect(stripped.includes('Camera')).toBe(false);
    expect(await showsTheSame(stripped, file)).toBe(true);
  }
});

test('of an animated GIF only the first frame is kept, without comments', async () => {
  const frames = await Promise.all([quadrants(8, 8), quadrants(8, 8).flop()].map((frame) => frame.png().toBuffer()));
  const file = await sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer();
  const stripped = stripMetadata(file, 'gif') as Buffer;
  expect(await sharp(stripped, { animated: true }).metadata()).toMatchObject({ height: 8 });
  expect(await showsTheSame(stripped, file)).toBe(true);
  expect(stripped.includes('NETSCAPE')).toBe(false);
});

test.each(['webp', 'avif'] as const)(
  'a %s without metadata is left as it is, one with metadata is not stripped',
  async (format) => {
    const file = await gradient(60, 40).toFormat(format, { effort: 0 }).toBuffer();
    expect(stripMetadata(file, format)).toBe(file);
    const withTags = await gradient(60, 40).withExif(TAGS).toFormat(format, { effort: 0 }).toBuffer();
    expect(stripMetadata(withTags, format)).toBeUndefined();
  },
);

test.each(['jpeg', 'png', 'gif', 'webp', 'avif'] as const)(
  'a %s that ends anywhere gives something or nothing, but no error',
  async (format) => {
    const file = await gradient(20, 20).withExif(TAGS).toFormat(format).toBuffer();
    for (let end = 14; end < file.length; end++) stripMetadata(file.subarray(0, end), format);
  },
);
