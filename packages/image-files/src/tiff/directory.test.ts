import { expect, test } from 'vitest';
import { tiffKind } from '../../../../test/pictures/tiff-kinds.ts';
import { type ReadBytes, readerOf } from '../boxes.ts';
import { countDirectories, readDirectory } from './directory.ts';
import { readLayout } from './layout.ts';

const PAGE = { width: 8, height: 4, channels: 3, bits: 8, photometric: 2, sample: () => 0 };

/** Reads a file, and records the length of each read. */
function noted(bytes: Buffer): { read: ReadBytes; lengths: number[] } {
  const lengths: number[] = [];
  const read: ReadBytes = async (at, length) => {
    lengths.push(length);
    return bytes.subarray(at, at + length);
  };
  return { read, lengths };
}

/** Makes directories of some fields, each a few bytes after the one before. */
function directories(count: number, { fields, apart }: { fields: number; apart: number }): Buffer {
  const bytes = Buffer.alloc(8 + count * apart + fields * 12 + 6);
  bytes.write('II*\0', 0, 'latin1');
  bytes.writeUInt32LE(8, 4);
  for (let index = 0; index < count; index++) {
    const at = 8 + index * apart;
    bytes.writeUInt16LE(fields, at);
    bytes.writeUInt32LE(index + 1 < count ? at + apart : 0, at + 2 + fields * 12);
  }
  return bytes;
}

test('a tag of one number is read as one, however many values it claims', async () => {
  const bytes = tiffKind(PAGE);
  const first = bytes.readUInt32LE(4);
  for (let at = first + 2; at < first + 2 + bytes.readUInt16LE(first) * 12; at += 12) {
    if (bytes.readUInt32LE(at + 4) > 1) continue;
    bytes.writeUInt32LE(2 ** 22, at + 4);
    bytes.writeUInt32LE(first - 4, at + 8);
  }
  const { read, lengths } = noted(bytes);
  const directory = await readDirectory(read, 1);
  if (!directory) throw new Error('Expected a directory.');
  await readLayout(read, directory);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(512);
});

test('values that do not fit into their field are not taken from it, even where one of them would', async () => {
  const read = readerOf(tiffKind(PAGE));
  const directory = await readDirectory(read, 1);
  if (!directory) throw new Error('Expected a directory.');
  expect(await readLayout(read, directory)).toMatchObject({ bits: 8, channels: 3, width: 8, height: 4 });
});

test('directories that lie over each other are damage', async () => {
  // Each has the most fields, and the next one begins within it.
  const bytes = Buffer.alloc(8 + 400 * 4 + 4096 * 12 + 400 * 4 + 8);
  directories(1, { fields: 4096, apart: 4 }).copy(bytes);
  for (let index = 0; index < 400; index++) {
    const at = 8 + index * 4;
    bytes.writeUInt16LE(4096, at);
    bytes.writeUInt32LE(at + 4, at + 2 + 4096 * 12);
  }
  await expect(countDirectories(readerOf(bytes))).rejects.toThrow('lie over each other');
  await expect(readDirectory(readerOf(bytes), 399)).rejects.toThrow('lie over each other');
});

test('more directories than any document has are damage', async () => {
  const bytes = directories(10_001, { fields: 1, apart: 18 });
  await expect(countDirectories(readerOf(bytes))).rejects.toThrow('more than 10000 directories');
  expect(await readDirectory(readerOf(bytes), 9999)).toBeDefined();
  expect(await countDirectories(readerOf(directories(10_000, { fields: 1, apart: 18 })))).toBe(10_000);
});

test('the fields of pages before the wanted one are not read', async () => {
  const { read, lengths } = noted(directories(3, { fields: 4000, apart: 4000 * 12 + 6 }));
  expect((await readDirectory(read, 3))?.isLittle).toBe(true);
  expect(lengths.filter((length) => length > 512)).toEqual([48_000]);
});
