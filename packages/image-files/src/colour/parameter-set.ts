import { Bits } from './bits.ts';
import type { CodePoints } from './description.ts';
import type { SampleRange } from './sample-range.ts';

/** Unit type of a sequence parameter set. */
const SEQUENCE_PARAMETER_SET = 33;

/** Most short-term reference picture sets; a still image needs none. */
const REFERENCE_SETS = 64;

interface ParameterSetColour {
  /** Undefined if it states none, or is truncated. */
  codes: CodePoints | undefined;
  /** Undefined if it is truncated. */
  range: SampleRange | undefined;
}

/**
 * Reads the first parameter set in the decoder configuration of an HEVC image. Sources: ISO/IEC 14496-15, 8.3.3.1
 * (hvcC); ITU-T H.265, 7.3.2.2 and E.2.1.
 */
export function parameterSetColourOf(hvcC: Buffer): ParameterSetColour | undefined {
  let at = 23;
  for (let arrays = hvcC[22] ?? 0; arrays > 0 && at + 3 <= hvcC.length; arrays--) {
    const kind = (hvcC[at] as number) & 63;
    const units = hvcC.readUInt16BE(at + 1);
    at += 3;
    for (let unit = 0; unit < units && at + 2 <= hvcC.length; unit++) {
      const length = hvcC.readUInt16BE(at);
      if (kind === SEQUENCE_PARAMETER_SET) return colourOf(new Bits(unescaped(hvcC.subarray(at + 2, at + 2 + length))));
      at += 2 + length;
    }
  }
  return undefined;
}

/** Removes the header, and the emulation prevention bytes. */
function unescaped(unit: Buffer): Buffer {
  return Buffer.from(
    unit.subarray(2).filter((byte, at, rest) => byte !== 3 || rest[at - 1] !== 0 || rest[at - 2] !== 0),
  );
}

function colourOf(bits: Bits): ParameterSetColour {
  bits.take(4);
  const subLayers = bits.take(3);
  bits.take(1);
  skipLevels(bits, subLayers);
  bits.exponential();
  const chromaFormat = bits.exponential();
  if (chromaFormat === 3) bits.take(1);
  bits.skipExponentials(2);
  if (bits.flag()) bits.skipExponentials(4);
  bits.skipExponentials(2);
  const orderBits = bits.exponential() + 4;
  bits.skipExponentials(3 * (bits.flag() ? subLayers + 1 : 1));
  bits.skipExponentials(6);
  if (bits.flag() && bits.flag()) skipScalingLists(bits);
  bits.take(2);
  if (bits.flag()) {
    bits.take(8);
    bits.skipExponentials(2);
    bits.take(1);
  }
  skipReferenceSets(bits);
  if (bits.flag()) {
    for (let left = bits.exponential(); left > 0 && !bits.isOver(); left--) bits.take(orderBits + 1);
  }
  bits.take(2);
  const usability = bits.flag() ? usabilityOf(bits) : UNSTATED;
  if (bits.isOver()) return { codes: undefined, range: undefined };
  const { codes, isNarrow, isStated } = usability;
  return { codes, range: { isMonochrome: chromaFormat === 0, isNarrow, isStated } };
}

/** Without a flag the range is limited (ITU-T H.265, E.3.1). */
const UNSTATED = { codes: undefined, isNarrow: true, isStated: false };

/** Reads the usability information (VUI), up to the colour description. */
function usabilityOf(bits: Bits): { codes: CodePoints | undefined; isNarrow: boolean; isStated: boolean } {
  if (bits.flag() && bits.take(8) === 255) bits.take(32);
  if (bits.flag()) bits.take(1);
  if (!bits.flag()) return UNSTATED;
  bits.take(3);
  const isNarrow = !bits.flag();
  const codes = bits.flag() ? { primaries: bits.take(8), transfer: bits.take(8) } : undefined;
  return { codes, isNarrow, isStated: true };
}

/** Skips profile, tier and level, of the stream and of each of its layers. */
function skipLevels(bits: Bits, subLayers: number): void {
  bits.take(96);
  const present = Array.from({ length: subLayers }, () => [bits.flag(), bits.flag()] as const);
  if (subLayers > 0) bits.take(2 * (8 - subLayers));
  for (const [hasProfile, hasLevel] of present) bits.take((hasProfile ? 88 : 0) + (hasLevel ? 8 : 0));
}

function skipScalingLists(bits: Bits): void {
  for (let size = 0; size < 4; size++) {
    for (let matrix = 0; matrix < 6; matrix += size === 3 ? 3 : 1) {
      const isCoded = bits.flag();
      const coefficients = Math.min(64, 2 ** (4 + 2 * size)) + (size > 1 ? 1 : 0);
      bits.skipExponentials(isCoded ? coefficients : 1);
    }
  }
}

function skipReferenceSets(bits: Bits): void {
  const sets = Math.min(bits.exponential(), REFERENCE_SETS);
  let before = 0;
  for (let set = 0; set < sets && !bits.isOver(); set++) {
    if (set > 0 && bits.flag()) {
      bits.take(1);
      bits.exponential();
      let remaining = 0;
      for (let index = 0; index <= before; index++) if (bits.flag() || bits.flag()) remaining++;
      before = remaining;
    } else {
      before = Math.min(bits.exponential() + bits.exponential(), 16);
      for (let index = 0; index < before; index++) {
        bits.exponential();
        bits.take(1);
      }
    }
  }
}
