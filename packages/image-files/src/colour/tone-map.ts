import { greyProfile, labOf, tableProfile, toD50 } from './icc.ts';
import { BT709, HLG, invert, multiply, type Primaries, type Transfer, type Triple, times, toXyz } from './spaces.ts';

/**
 * SDR white is the reference white of HDR, 203 cd/m2 (ITU-R BT.2408-7, 2.1). Light up to the peak is compressed into it
 * by the curve of ITU-R BT.2390-11, 5.4.1, with blacks unchanged. The largest of red, green and blue decides, so hues
 * are preserved; colours outside sRGB are clipped.
 */
const WHITE = 203;

/**
 * Peak of HLG's display, and of PQ, whose files rarely state theirs; brighter light becomes white. The system gamma of
 * HLG is 1.2 for such a display (ITU-R BT.2100-2, table 5).
 */
const PEAK = 1000;
const SYSTEM_GAMMA = 1.2;

/**
 * Makes a tone-mapping profile; undefined if the primaries span no colours.
 * @param widen from sample values of the file to full range
 */
export function toneMapProfile(primaries: Primaries, transfer: number, widen: Transfer): Buffer | undefined {
  const xyz = toXyz(primaries);
  const seen = toD50(primaries);
  const srgb = toD50(BT709);
  const back = srgb && invert(srgb);
  if (!xyz || !seen || !back) return undefined;
  const toSrgb = multiply(back, seen);
  const light = transfer === HLG ? hlgLight(xyz[1]) : (rgb: Triple) => map(rgb, pqLight);
  const shown = (rgb: Triple) => map(times(toSrgb, compress(light(map(rgb, widen)))), clip);
  return tableProfile((rgb) => labOf(times(srgb, shown(rgb))));
}

/** Makes a tone-mapping profile for grey. */
export function toneMapGreyProfile(transfer: number, widen: Transfer): Buffer {
  const light = transfer === HLG ? hlgLight([0, 1, 0]) : (rgb: Triple) => map(rgb, pqLight);
  return greyProfile((value) => compress(light([widen(value), widen(value), widen(value)]))[1]);
}

/** Converts cd/m2 to shares of SDR white. */
function compress(light: Triple): Triple {
  const brightest = Math.max(...light);
  if (brightest <= 0) return [0, 0, 0];
  const scale = compressed(Math.min(brightest, PEAK)) / brightest / WHITE;
  return map(light, (value) => value * scale);
}

/** Applies the curve (EETF): linear up to its knee, then a Hermite spline to the target's peak. */
function compressed(light: number): number {
  const peak = pqNumber(PEAK);
  const target = pqNumber(WHITE) / peak;
  const knee = 1.5 * target - 0.5;
  const number = pqNumber(light) / peak;
  if (number <= knee) return light;
  const t = (number - knee) / (1 - knee);
  const spline =
    (2 * t ** 3 - 3 * t ** 2 + 1) * knee + (t ** 3 - 2 * t ** 2 + t) * (1 - knee) + (-2 * t ** 3 + 3 * t ** 2) * target;
  return pqLight(spline * peak);
}

const M1 = 2610 / 16_384;
const M2 = (2523 / 4096) * 128;
const C1 = 3424 / 4096;
const C2 = (2413 / 4096) * 32;
const C3 = (2392 / 4096) * 32;

/** Converts PQ values to cd/m2, and back. Source: ITU-R BT.2100-2, table 4. */
function pqLight(value: number): number {
  const power = value ** (1 / M2);
  return 10_000 * (Math.max(0, power - C1) / (C2 - C3 * power)) ** (1 / M1);
}

function pqNumber(light: number): number {
  const power = (light / 10_000) ** M1;
  return ((C1 + C2 * power) / (1 + C3 * power)) ** M2;
}

/** Converts HLG values to cd/m2; the system gamma raises their overall brightness. Source: ITU-R BT.2100-2, table 5. */
function hlgLight(luminance: Triple): (rgb: Triple) => Triple {
  const a = 0.178_832_77;
  const b = 0.284_668_92;
  const c = 0.559_910_73;
  const scene = (value: number) => (value <= 0.5 ? value ** 2 / 3 : (Math.exp((value - c) / a) + b) / 12);
  return (rgb) => {
    const light = map(rgb, scene);
    const y = luminance[0] * light[0] + luminance[1] * light[1] + luminance[2] * light[2];
    return map(light, (value) => PEAK * y ** (SYSTEM_GAMMA - 1) * value);
  };
}

const clip = (value: number) => Math.min(1, Math.max(0, value));
const map = ([a, b, c]: Triple, change: (value: number) => number): Triple => [change(a), change(b), change(c)];
