/** Pixels of the small images at the start of a lossless WebP. Source: RFC 9649, 3.5.2 to 3.7.3. */
import { type BitReader, type PrefixCode, prefixCode, readLengths } from './vp8l-codes.ts';

/** Symbols of the alphabets for one colour and for distances. */
const COLOURS = 256;
const DISTANCES = 40;
/** Symbols for lengths, after the values of green. */
const LENGTHS = 24;
const MOST_CACHE_BITS = 11;
const CACHE_HASH = 0x1e35a7bd;

/** Offsets of the 120 nearest pixels, by distance: rows above times 16, plus 8 minus columns to the left. */
const NEAREST = [
  0x18, 0x07, 0x17, 0x19, 0x28, 0x06, 0x27, 0x29, 0x16, 0x1a, 0x26, 0x2a, 0x38, 0x05, 0x37, 0x39, 0x15, 0x1b, 0x36,
  0x3a, 0x25, 0x2b, 0x48, 0x04, 0x47, 0x49, 0x14, 0x1c, 0x35, 0x3b, 0x46, 0x4a, 0x24, 0x2c, 0x58, 0x45, 0x4b, 0x34,
  0x3c, 0x03, 0x57, 0x59, 0x13, 0x1d, 0x56, 0x5a, 0x23, 0x2d, 0x44, 0x4c, 0x55, 0x5b, 0x33, 0x3d, 0x68, 0x02, 0x67,
  0x69, 0x12, 0x1e, 0x66, 0x6a, 0x22, 0x2e, 0x54, 0x5c, 0x43, 0x4d, 0x65, 0x6b, 0x32, 0x3e, 0x78, 0x01, 0x77, 0x79,
  0x53, 0x5d, 0x11, 0x1f, 0x64, 0x6c, 0x42, 0x4e, 0x76, 0x7a, 0x21, 0x2f, 0x75, 0x7b, 0x31, 0x3f, 0x63, 0x6d, 0x52,
  0x5e, 0x00, 0x74, 0x7c, 0x41, 0x4f, 0x10, 0x20, 0x62, 0x6e, 0x30, 0x73, 0x7d, 0x51, 0x5f, 0x40, 0x72, 0x7e, 0x61,
  0x6f, 0x50, 0x71, 0x7f, 0x60, 0x70,
] as const;

interface Group {
  green: PrefixCode;
  red: PrefixCode;
  blue: PrefixCode;
  alpha: PrefixCode;
  distance: PrefixCode;
}

/** Reads the index bits of a colour cache, 0 without one; undefined for damaged data. */
export function readCacheBits(bits: BitReader): number | undefined {
  if (bits.read(1) === 0) return 0;
  const count = bits.read(4);
  return count >= 1 && count <= MOST_CACHE_BITS ? count : undefined;
}

/** Makes buffers for the code lengths of a group, in file order: green, red, blue, alpha, distances. */
export function lengthBuffers(cacheBits: number) {
  const ofGreen = COLOURS + LENGTHS + (cacheBits > 0 ? 1 << cacheBits : 0);
  return {
    green: new Uint8Array(ofGreen),
    red: new Uint8Array(COLOURS),
    blue: new Uint8Array(COLOURS),
    alpha: new Uint8Array(COLOURS),
    distance: new Uint8Array(DISTANCES),
  };
}

/** Decodes an image with one prefix code group; undefined for damaged data. */
export function readPixels(bits: BitReader, width: number, height: number): Uint32Array | undefined {
  const cacheBits = readCacheBits(bits);
  if (cacheBits === undefined) return undefined;
  const group = readGroup(bits, cacheBits);
  if (!group) return undefined;
  const pixels = new Uint32Array(width * height);
  const cache = new Uint32Array(1 << cacheBits);
  let cached = 0;
  for (let at = 0; at < pixels.length; ) {
    if (bits.isPastEnd) return undefined;
    const symbol = bits.symbol(group.green);
    if (symbol < COLOURS) {
      pixels[at++] = readColour(bits, group, symbol);
    } else if (symbol < COLOURS + LENGTHS) {
      const length = readValue(bits, symbol - COLOURS);
      const distance = distanceOf(readValue(bits, bits.symbol(group.distance)), width);
      if (distance > at || at + length > pixels.length) return undefined;
      for (const end = at + length; at < end; at++) pixels[at] = pixels[at - distance] as number;
    } else {
      cachePixels(cache, cacheBits, pixels.subarray(cached, at));
      cached = at;
      pixels[at++] = cache[symbol - COLOURS - LENGTHS] as number;
    }
  }
  return bits.isPastEnd ? undefined : pixels;
}

function cachePixels(cache: Uint32Array, cacheBits: number, pixels: Uint32Array): void {
  for (const colour of pixels) cache[Math.imul(CACHE_HASH, colour) >>> (32 - cacheBits)] = colour;
}

function readGroup(bits: BitReader, cacheBits: number): Group | undefined {
  const lengths = lengthBuffers(cacheBits);
  const read = (own: Uint8Array) => (readLengths(bits, own) ? prefixCode(own) : undefined);
  const green = read(lengths.green);
  const red = green && read(lengths.red);
  const blue = red && read(lengths.blue);
  const alpha = blue && read(lengths.alpha);
  const distance = alpha && read(lengths.distance);
  return distance && { green, red, blue, alpha, distance };
}

function readColour(bits: BitReader, { red, blue, alpha }: Group, green: number): number {
  const ofRed = bits.symbol(red);
  const ofBlue = bits.symbol(blue);
  return ((bits.symbol(alpha) << 24) | (ofRed << 16) | (green << 8) | ofBlue) >>> 0;
}

/** Reads a length or a distance. */
function readValue(bits: BitReader, symbol: number): number {
  if (symbol < 4) return symbol + 1;
  const extra = (symbol - 2) >> 1;
  return ((2 + (symbol & 1)) << extra) + bits.read(extra) + 1;
}

function distanceOf(value: number, width: number): number {
  const offset = NEAREST[value - 1];
  if (offset === undefined) return value - NEAREST.length;
  return Math.max(1, (offset >> 4) * width + 8 - (offset & 15));
}
