import type { ReadBytes } from '../boxes.ts';
import { BitReader, onlySymbol, readLengths } from './vp8l-codes.ts';
import { lengthBuffers, readCacheBits, readPixels } from './vp8l-pixels.ts';

/** Signature, 14 bits each for width and height, one for alpha and three for the version. */
const HEADER_BYTES = 5;
const SIGNATURE = 0x2f;
const OPAQUE = 255;
/** Values of a colour. Higher green codes have other meanings. */
const VALUES = 256;

/** Transforms. Source: RFC 9649, 3.5. */
const PREDICTOR = 0;
const COLOUR = 1;
const INDEXED = 3;

/** The front of a file is nearly always within the first piece; it is read again with each larger one. */
const PIECES = [2 ** 16, 2 ** 19, 2 ** 22] as const;
/** Most pixels of all small images at the front; encoders write far fewer. */
const MOST_PIXELS = 2 ** 22;

type Alpha = 'opaque' | 'possible';
/** Damaged and incomplete data are indistinguishable: both end early. */
type Found = Alpha | 'cut off';

interface Front {
  bits: BitReader;
  width: number;
  height: number;
  /** Remaining pixels of small images. */
  pixels: number;
  /** Alpha value in the codes that yields opaque pixels. */
  opaque: number;
  /** An opaque palette with fewer colours than an index can name. */
  palette?: Palette;
}

interface Palette {
  colours: number;
  indexBits: number;
}

/**
 * True for a lossless WebP that may show transparent pixels; the bit in its header is only a hint. Reads only
 * the transforms and prefix codes before the pixels. Undecidable cases count as transparent, such as several alpha
 * values, or a predictor over a palette; damaged data count as opaque, because the decoder reports them. Source: RFC
 * 9649, 3.4 to 3.7.
 * @param start of the data of the chunk
 */
export async function mayBeTransparent(read: ReadBytes, start: number, length: number): Promise<boolean> {
  for (const piece of PIECES) {
    const bytes = await read(start, Math.min(length, piece));
    const found = alphaOf(bytes);
    if (found !== 'cut off') return found === 'possible';
    if (bytes.length < piece) return false;
  }
  return true;
}

function alphaOf(bytes: Buffer): Found {
  if (bytes.length < HEADER_BYTES || bytes[0] !== SIGNATURE) return 'cut off';
  const size = bytes.readUInt32LE(1);
  const width = (size & 0x3fff) + 1;
  const height = ((size >>> 14) & 0x3fff) + 1;
  const bits = new BitReader(bytes.subarray(HEADER_BYTES));
  const front: Front = { bits, width, height, pixels: MOST_PIXELS, opaque: OPAQUE };
  return readTransforms(front) ?? readCodes(front);
}

/** Undefined if the codes of the pixels decide. */
function readTransforms(front: Front): Found | undefined {
  const { bits } = front;
  const seen = new Set<number>();
  while (bits.read(1) === 1) {
    const transform = bits.read(2);
    if (seen.has(transform)) return 'cut off';
    seen.add(transform);
    if (transform === INDEXED) {
      const found = readPalette(front);
      if (found) return found;
    }
    // Predicted indices may be anywhere.
    if (transform === PREDICTOR && front.palette) return 'possible';
    if (transform === PREDICTOR || transform === COLOUR) {
      const found = skipBlocks(front);
      if (found) return found;
    }
    // The first pixel is predicted as opaque, and all others from opaque ones.
    if (transform === PREDICTOR) front.opaque = 0;
  }
  return undefined;
}

/** Skips a small image with one pixel per block of pixels. Undefined if it could be read. */
function skipBlocks(front: Front): Found | undefined {
  const { width, height } = blocksOf(front, front.bits.read(3) + 2);
  if (width * height > front.pixels) return 'possible';
  front.pixels -= width * height;
  return readPixels(front.bits, width, height) ? undefined : 'cut off';
}

/** Undefined for opaque palettes with unused indices: those are transparent black, and encoders use that. */
function readPalette(front: Front): Found | undefined {
  const { bits, opaque, width } = front;
  const colours = bits.read(8) + 1;
  const entries = readPixels(bits, colours, 1);
  if (!entries) return 'cut off';
  let alpha = 0;
  for (const entry of entries) {
    // Each entry but the first is the difference to the one before.
    alpha = (alpha + (entry >>> 24)) & 0xff;
    if (alpha !== opaque) return 'possible';
  }
  const indexBits = colours <= 2 ? 1 : colours <= 4 ? 2 : colours <= 16 ? 4 : 8;
  // Black without alpha is correct if a predictor adds it to opaque pixels.
  if (opaque === 0 || colours === 1 << indexBits) return 'opaque';
  front.palette = { colours, indexBits };
  front.width = Math.ceil((width * indexBits) / 8);
  return undefined;
}

function readCodes(front: Front): Found {
  const { bits } = front;
  const cacheBits = readCacheBits(bits);
  if (cacheBits === undefined) return 'cut off';
  const groups = bits.read(1) === 0 ? 1 : countGroups(front);
  if (typeof groups !== 'number') return groups;
  const { green, red, blue, alpha, distance } = lengthBuffers(cacheBits);
  const codes = [green, red, blue, alpha, distance];
  for (let group = 0; group < groups; group++) {
    if (!codes.every((lengths) => readLengths(bits, lengths))) return 'cut off';
    const isOpaque = front.palette ? areWithin(front.palette, green) : onlySymbol(alpha) === front.opaque;
    if (!isOpaque) return 'possible';
  }
  return bits.isPastEnd ? 'cut off' : 'opaque';
}

/** True if each green value only contains indices of colours. Small indices share one value. */
function areWithin({ colours, indexBits }: Palette, ofGreen: Uint8Array): boolean {
  for (let value = 0; value < VALUES; value++) {
    if (ofGreen[value] === 0) continue;
    for (let bit = 0; bit < 8; bit += indexBits) {
      if (((value >> bit) & ((1 << indexBits) - 1)) >= colours) return false;
    }
  }
  return true;
}

/** Red and green of a small image are group numbers. */
function countGroups(front: Front): number | Found {
  const { width, height } = blocksOf(front, front.bits.read(3) + 2);
  if (width * height > front.pixels) return 'possible';
  const pixels = readPixels(front.bits, width, height);
  if (!pixels) return 'cut off';
  let last = 0;
  for (const pixel of pixels) last = Math.max(last, (pixel >>> 8) & 0xffff);
  return last + 1;
}

function blocksOf({ width, height }: Front, sizeBits: number): { width: number; height: number } {
  const side = 2 ** sizeBits;
  return { width: Math.ceil(width / side), height: Math.ceil(height / side) };
}
