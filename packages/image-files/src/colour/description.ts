import { greyProfile, rgbProfile } from './icc.ts';
import { BT709, HLG, PQ, PRIMARIES, type Primaries, srgbLight, TRANSFERS, type Transfer } from './spaces.ts';
import { toneMapGreyProfile, toneMapProfile } from './tone-map.ts';

/** Code points of ITU-T H.273. Decoders apply matrix and range, but PNG, which is RGB, may have a narrow range. */
export interface CodePoints {
  primaries: number;
  transfer: number;
  isNarrow?: boolean;
}

/** A profile equivalent to a description, so that libvips can apply it. */
export interface DescribedProfile {
  icc: Buffer;
  /**
   * True if its table maps tones. It needs 16-bit samples: for 8-bit ones Little CMS smooths the table by the curve of
   * grey, and is wrong by up to CIEDE2000 16 where other colours have another curve.
   */
  isHdr: boolean;
}

/**
 * Returns the profile of code points. Unknown and unspecified ones mean sRGB. Undefined for sRGB, and for impossible
 * colours: nothing is to be done.
 */
export function profileOfCodes(codes: CodePoints, isGrey = false): DescribedProfile | undefined {
  const { primaries, transfer, isNarrow = false } = codes;
  const known = PRIMARIES[primaries] ?? BT709;
  if (transfer === PQ || transfer === HLG) {
    const icc = hdr(known, transfer, isNarrow, isGrey);
    return icc && { icc, isHdr: !isGrey };
  }
  const light = TRANSFERS[transfer] ?? srgbLight;
  const isSrgb = light === srgbLight && !isNarrow && (isGrey || known === BT709);
  return isSrgb ? undefined : sdr(known, isNarrow ? (value) => light(fromNarrow(value)) : light, isGrey);
}

/** Tone-mapping profiles by purpose: each takes as long as a small render. There are few, of at most 216 KB. */
const made = new Map<string, Buffer | undefined>();

function hdr(known: Primaries, transfer: number, isNarrow: boolean, isGrey: boolean): Buffer | undefined {
  const key = [Object.values(PRIMARIES).indexOf(known), transfer, isNarrow, isGrey].join();
  if (!made.has(key)) {
    const widen = isNarrow ? fromNarrow : (value: number) => value;
    made.set(key, isGrey ? toneMapGreyProfile(transfer, widen) : toneMapProfile(known, transfer, widen));
  }
  return made.get(key);
}

/** Undefined if the primaries span no colours. */
export function sdr(primaries: Primaries, light: Transfer, isGrey: boolean): DescribedProfile | undefined {
  const icc = isGrey ? greyProfile(light) : rgbProfile(primaries, light);
  return icc && { icc, isHdr: false };
}

/** Black is 16 of 255, white 235. */
function fromNarrow(value: number): number {
  return Math.min(1, Math.max(0, (value * 255 - 16) / 219));
}
