import { constants, inflateSync } from 'node:zlib';
import { unpackBits } from '../pack-bits.ts';
import { UndecodableImage } from '../undecodable-image.ts';

const NONE = 1;
const LZW = 5;
const DEFLATE = [8, 32_946];
const PACK_BITS = 32_773;

/** Supported codings. Source: TIFF 6.0, sections 3, 9 and 13; its technical note 3. */
export const CODINGS: readonly number[] = [NONE, LZW, ...DEFLATE, PACK_BITS];

/** Unpacks a strip or a tile. @param length in bytes @throws UndecodableImage if it holds fewer */
export function unpackChunk(packed: Buffer, compression: number, length: number): Buffer {
  try {
    const bytes = unpacked(packed, compression, length);
    if (bytes.length >= length) return bytes.subarray(0, length);
  } catch (cause) {
    throw new UndecodableImage('The pixels of the TIFF are damaged.', { cause });
  }
  throw new UndecodableImage('The pixels of the TIFF are not complete.');
}

function unpacked(packed: Buffer, compression: number, length: number): Buffer {
  if (compression === NONE) return packed;
  if (compression === LZW) return unpackLzw(packed, length);
  if (DEFLATE.includes(compression)) {
    // Data after the pixels is ignored, be it padding or damage.
    return inflateSync(packed, { maxOutputLength: 2 * length + 1024, finishFlush: constants.Z_SYNC_FLUSH });
  }
  const bytes = Buffer.alloc(length);
  unpackBits(packed, bytes);
  return bytes;
}

const CLEAR = 256;
const END = 257;
const MOST_CODES = 4096;
const LEAST_WIDTH = 9;
const MOST_WIDTH = 12;

/**
 * Unpacks LZW. Every string of the table is in the output already, so the table holds positions.
 * @returns fewer bytes if codes are missing
 */
function unpackLzw(packed: Buffer, length: number): Buffer {
  const out = Buffer.alloc(length);
  const starts = new Uint32Array(MOST_CODES);
  const lengths = new Uint32Array(MOST_CODES);
  const codes = codesOf(packed);
  let size = 0;
  let next = END + 1;
  let lastStart = 0;
  let lastLength = 0;
  let width = LEAST_WIDTH;
  while (size < length) {
    const code = codes(width);
    if (code === undefined || code === END) break;
    if (code === CLEAR) {
      next = END + 1;
      width = LEAST_WIDTH;
      lastLength = 0;
      continue;
    }
    if (lastLength > 0 && next < MOST_CODES) {
      starts[next] = lastStart;
      lengths[next] = lastLength + 1;
      next++;
    }
    if (code >= next) throw new UndecodableImage('A code of LZW is not in its table.');
    const from = code < CLEAR ? undefined : (starts[code] as number);
    const count = Math.min(code < CLEAR ? 1 : (lengths[code] as number), length - size);
    if (from === undefined) out[size] = code;
    else repeatText(out, from, size, count);
    lastStart = size;
    lastLength = count;
    size += count;
    // The width grows one code early.
    while (next >= 2 ** width - 1 && width < MOST_WIDTH) width++;
  }
  return out.subarray(0, size);
}

/** Copies byte by byte, because the string may overlap itself. */
function repeatText(out: Buffer, from: number, to: number, count: number): void {
  for (let index = 0; index < count; index++) out[to + index] = out[from + index] as number;
}

/** Reads codes, the highest bit first. */
function codesOf(packed: Buffer): (width: number) => number | undefined {
  let at = 0;
  let held = 0;
  let bits = 0;
  return (width) => {
    while (bits < width) {
      if (at >= packed.length) return undefined;
      held = (held << 8) | (packed[at++] as number);
      bits += 8;
    }
    bits -= width;
    const code = held >> bits;
    held &= (1 << bits) - 1;
    return code;
  };
}
