import { Bits } from './bits.ts';
import type { CodePoints } from './description.ts';
import type { SampleRange } from './sample-range.ts';

/** Unit type of a sequence header. */
const SEQUENCE_HEADER = 1;

/** Most bytes of a unit's size, with seven bits each (leb128). */
const SIZE_BYTES = 8;

const BT709_PRIMARIES = 1;
const SRGB_TRANSFER = 13;
const RGB_MATRIX = 0;

interface SequenceColour {
  codes: CodePoints | undefined;
  range: SampleRange | undefined;
}

/**
 * Reads the colour description in the sequence header of an AV1 stream; undefined if it has none, or is truncated.
 * Source: AV1 Bitstream & Decoding Process Specification (2019), 5.3 to 5.5.
 */
export function readSequenceHeader(stream: Buffer): CodePoints | undefined {
  return sequenceColourOf(stream)?.codes;
}

/** Reads the sample range of an AV1 stream; undefined if its sequence header is missing or truncated. */
export function readSequenceRange(stream: Buffer): SampleRange | undefined {
  return sequenceColourOf(stream)?.range;
}

function sequenceColourOf(stream: Buffer): SequenceColour | undefined {
  for (let at = 0; at < stream.length; ) {
    const head = stream[at] as number;
    at += head & 4 ? 2 : 1;
    let size = head & 2 ? 0 : stream.length - at;
    if (head & 2) {
      for (let digit = 0; digit < SIZE_BYTES && at < stream.length; digit++) {
        const byte = stream[at++] as number;
        size += (byte & 127) * 128 ** digit;
        if (byte < 128) break;
      }
    }
    if (((head >> 3) & 15) === SEQUENCE_HEADER) return colourOf(new Bits(stream.subarray(at, at + size)));
    at += size;
  }
  return undefined;
}

function colourOf(bits: Bits): SequenceColour {
  const profile = bits.take(3);
  bits.take(1);
  const isReduced = bits.flag();
  if (isReduced) bits.take(5);
  else skipOperatingPoints(bits);
  const widthBits = bits.take(4) + 1;
  const heightBits = bits.take(4) + 1;
  bits.take(widthBits);
  bits.take(heightBits);
  if (!isReduced && bits.flag()) bits.take(7);
  bits.take(3);
  if (!isReduced) skipTools(bits);
  bits.take(3);
  const isDeep = bits.flag();
  if (profile === 2 && isDeep) bits.take(1);
  const isMonochrome = profile !== 1 && bits.flag();
  let codes: CodePoints | undefined;
  let isRgb = false;
  if (bits.flag()) {
    const primaries = bits.take(8);
    const transfer = bits.take(8);
    if (!bits.isOver()) codes = { primaries, transfer };
    const matrix = bits.take(8);
    isRgb = primaries === BT709_PRIMARIES && transfer === SRGB_TRANSFER && matrix === RGB_MATRIX;
  }
  // RGB in sRGB has no flag: its range is always full.
  const isNarrow = !(isRgb && !isMonochrome) && !bits.flag();
  const range = bits.isOver() ? undefined : { isMonochrome, isNarrow, isStated: true };
  return { codes, range };
}

/** Skips timing, and a decoder model per operating point. */
function skipOperatingPoints(bits: Bits): void {
  let delayBits = 0;
  if (bits.flag()) {
    bits.take(64);
    if (bits.flag()) bits.exponential();
    if (bits.flag()) {
      delayBits = bits.take(5) + 1;
      bits.take(42);
    }
  }
  const hasDelays = bits.flag();
  for (let points = bits.take(5) + 1; points > 0; points--) {
    bits.take(12);
    if (bits.take(5) > 7) bits.take(1);
    if (delayBits > 0 && bits.flag()) bits.take(2 * delayBits + 1);
    if (hasDelays && bits.flag()) bits.take(4);
  }
}

/** Skips the tools of video. */
function skipTools(bits: Bits): void {
  bits.take(4);
  const hasOrder = bits.flag();
  if (hasOrder) bits.take(2);
  const forcesScreen = bits.flag() ? 2 : bits.take(1);
  if (forcesScreen > 0 && !bits.flag()) bits.take(1);
  if (hasOrder) bits.take(3);
}
