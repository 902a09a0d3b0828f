import type { ReadBytes } from '../boxes.ts';
import { chunksOf, profileChunk } from '../png.ts';
import { type DescribedProfile, profileOfCodes, sdr } from './description.ts';
import { BT709, type Chromaticity, gamma, HLG, PQ, PRIMARIES, type Primaries, srgbLight, TRANSFERS } from './spaces.ts';

/** Chunks that describe colours, by precedence. */
const COLOUR_CHUNKS = ['cICP', 'iCCP', 'sRGB', 'gAMA', 'cHRM'];

/** A file has a dozen chunks before its pixels. More are not read. */
const CHUNKS = 200;

/** Bytes read per chunk: length, type, and the longest content (`cHRM`). */
const CHUNK_BYTES = 8 + 32;

/** Values that programs write for sRGB: 1/2.2 and its primaries, with different rounding. Numbers are times 100,000. */
const SRGB_GAMMA = { value: 45_455, tolerance: 500 };
const SRGB_PRIMARIES = { values: [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000], tolerance: 150 };

/** Other gammas are damaged: none is this steep. */
const GAMMAS = { least: 10_000, most: 1_000_000 };

/**
 * Returns the profile that a PNG describes without `iCCP`; undefined if that chunk applies, or if it means sRGB anyway.
 * With `sRGB` the chunk is ignored. Source: PNG Specification (Third Edition), 4.3 and 11.3.2.
 */
export async function readPngColour(read: ReadBytes, isGrey: boolean): Promise<DescribedProfile | 'sRGB' | undefined> {
  const chunks = await colourChunks(read);
  const codes = chunks.get('cICP');
  if (codes && codes.length >= 4) {
    const [primaries = 0, transfer = 0, , range] = codes;
    const isKnown = PRIMARIES[primaries] && (TRANSFERS[transfer] || transfer === PQ || transfer === HLG);
    const described = profileOfCodes({ primaries, transfer, isNarrow: range === 0 }, isGrey);
    if (isKnown) return described ?? (chunks.has('iCCP') ? 'sRGB' : undefined);
  }
  if (chunks.has('iCCP') || chunks.has('sRGB')) return undefined;
  const exponent = readGamma(chunks.get('gAMA'));
  const primaries = readPrimaries(chunks.get('cHRM'));
  const isSrgb = primaries === undefined || isGrey;
  // 1/2.2 alone was written for sRGB before there was a chunk for it.
  if (isSrgb && (!exponent || Math.abs(1e5 / exponent - SRGB_GAMMA.value) <= SRGB_GAMMA.tolerance)) return undefined;
  return sdr(primaries ?? BT709, exponent ? gamma(exponent) : srgbLight, isGrey);
}

/** Reads the first bytes of each colour chunk before the pixels. */
async function colourChunks(read: ReadBytes): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  let at = 8;
  for (let count = 0; count < CHUNKS; count++) {
    const head = await read(at, CHUNK_BYTES);
    if (head.length < 12) break;
    const length = head.readUInt32BE();
    const type = head.toString('latin1', 4, 8);
    if (type === 'IDAT' || type === 'IEND') break;
    if (COLOUR_CHUNKS.includes(type)) found.set(type, head.subarray(8, 8 + length));
    at += 12 + length;
  }
  return found;
}

/** Returns the exponent from sample values to light. */
function readGamma(chunk: Buffer | undefined): number | undefined {
  const value = chunk && chunk.length >= 4 ? chunk.readUInt32BE() : 0;
  return value >= GAMMAS.least && value <= GAMMAS.most ? 1e5 / value : undefined;
}

/** Undefined for those of sRGB. */
function readPrimaries(chunk: Buffer | undefined): Primaries | undefined {
  if (!chunk || chunk.length < 32) return undefined;
  const values = Array.from({ length: 8 }, (_, index) => chunk.readUInt32BE(index * 4));
  const { values: srgb, tolerance } = SRGB_PRIMARIES;
  if (values.every((value, index) => Math.abs(value - (srgb[index] ?? 0)) <= tolerance)) return undefined;
  const chromaticityAt = (index: number): Chromaticity => [(values[index] ?? 0) / 1e5, (values[index + 1] ?? 0) / 1e5];
  return {
    white: chromaticityAt(0),
    red: chromaticityAt(2),
    green: chromaticityAt(4),
    blue: chromaticityAt(6),
  };
}

/**
 * Returns a PNG with this profile, or without any (sRGB), and no other colour description. Undefined if it is
 * truncated.
 */
export function withPngProfile(png: Buffer, icc: Buffer | undefined): Buffer | undefined {
  const profile = icc ? profileChunk(icc) : Buffer.alloc(0);
  // Copied chunk by chunk: a list of millions of them would take more memory than the file.
  const profiled = Buffer.allocUnsafe(png.length + profile.length);
  let at = png.copy(profiled, 0, 0, 8);
  for (const { type, start, end } of chunksOf(png)) {
    if (type === 'IDAT') return profiled.subarray(0, at + png.copy(profiled, at, start));
    if (!COLOUR_CHUNKS.includes(type)) at += png.copy(profiled, at, start, end);
    if (type === 'IHDR') at += profile.copy(profiled, at);
  }
  return undefined;
}
