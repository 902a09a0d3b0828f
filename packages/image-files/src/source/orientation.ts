import { chunksOf, pngChunk } from '../png.ts';

const ORIENTATION = 0x0112;
const SHORT = 3;
const ENTRY_BYTES = 12;
const MOST_ENTRIES = 500;

/** True for an orientation that browsers ignore, because it is not a number of two bytes. Source: Exif 2.32, 4.6.4. */
export function hasOverlookedOrientation(exif: Buffer): boolean {
  return overlookedEntry(blockOf(exif)) !== undefined;
}

/** Returns a file with upright orientation, if browsers ignore its own; undefined for all others. */
export function withoutOverlookedOrientation(file: Buffer, exif: Buffer): Buffer | undefined {
  const block = blockOf(exif);
  const entry = overlookedEntry(block);
  const start = entry === undefined ? -1 : file.indexOf(block);
  if (entry === undefined || start < 0) return undefined;
  const isBigEndian = block[0] === 0x4d;
  const upright = Buffer.from(isBigEndian ? [0, SHORT, 0, 0, 0, 1, 0, 1, 0, 0] : [SHORT, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
  const copy = Buffer.from(file);
  upright.copy(copy, start + entry + 2);
  for (const { type, start: chunk, end } of file.toString('latin1', 1, 4) === 'PNG' ? chunksOf(copy) : []) {
    if (type === 'eXIf') pngChunk(type, copy.subarray(chunk + 8, end - 4)).copy(copy, chunk);
  }
  return copy;
}

/** Returns the block as it begins in all containers but JPEG. */
function blockOf(exif: Buffer): Buffer {
  return exif.toString('latin1', 0, 4) === 'Exif' ? exif.subarray(6) : exif;
}

/** Returns the offset of the entry. */
function overlookedEntry(block: Buffer): number | undefined {
  const isBigEndian = block[0] === 0x4d;
  const short = (at: number) => (isBigEndian ? block.readUInt16BE(at) : block.readUInt16LE(at));
  if (block.length < 8) return undefined;
  const directory = isBigEndian ? block.readUInt32BE(4) : block.readUInt32LE(4);
  if (directory + 2 > block.length) return undefined;
  const end = directory + 2 + ENTRY_BYTES * Math.min(short(directory), MOST_ENTRIES);
  for (let at = directory + 2; at + ENTRY_BYTES <= Math.min(end, block.length); at += ENTRY_BYTES) {
    if (short(at) === ORIENTATION) return short(at + 2) === SHORT ? undefined : at;
  }
  return undefined;
}
