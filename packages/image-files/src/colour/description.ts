import { greyProfile, rgbProfile } from './icc.ts';
import { BT709, HLG, PQ, PRIMARIES, type Primaries, srgbLight, TRANSFERS, type Transfer } from './spaces.ts';
import { toneMapGreyProfile, toneMapProfile } from './tone-map.ts';

/** Code points of ITU-T H.273. Matrix and range are the business of the decoders, but PNG, which is RGB, may have a narrow range. */
export interface CodePoints {
  primaries: number;
  transfer: number;
  isNarrow?: boolean;
}

/** A profile that says the same as a description, so that libvips can apply it. */
export interface DescribedProfile {
  icc: Buffer;
  /**
   * Whether its table maps tones. It takes samples of 16 bits: for those of 8 Little CMS makes the table smoother by the curve that
   * it has for grey, and is wrong by up to CIEDE2000 16 where other colours have another one.
   */
  isHdr: boolean;
}

/** Unknown and unspecified code points mean those of sRGB. Undefined for sRGB, and for colours that cannot be: nothing is to be done. */
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

/** Profiles that tone-map, by what they are for: each takes as long as a small render. There are few, of 216 KB at most. */
const made = new Map<string, Buffer | undefined>();

function hdr(known: Primaries, transfer: number, isNarrow: boolean, isGrey: boolean): Buffer | undefined {
  const key = [Object.values(PRIMARIES).indexOf(known), transfer, isNarrow, isGrey].join();
  if (!made.has(key)) {
    const widen = isNarrow ? fromNarrow : (value: number) => value;
    made.set(key, isGrey ? toneMapGreyProfile(transfer, widen) : toneMapProfile(known, transfer, widen));
  }
  return made.get(key);
}

/** Undefined when the primaries span no colours. */
export function sdr(primaries: Primaries, light: Transfer, isGrey: boolean): DescribedProfile | undefined {
  const icc = isGrey ? greyProfile(light) : rgbProfile(primaries, light);
  return icc && { icc, isHdr: false };
}

/** Black is 16 of 255, white 235. */
function fromNarrow(value: number): number {
  return Math.min(1, Math.max(0, (value * 255 - 16) / 219));
}
