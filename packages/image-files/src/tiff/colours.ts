import { divideByAlpha } from '../colour/premultiplied.ts';
import { labToSrgb } from '../colour/to-srgb.ts';
import type { DecodedImage } from '../decoded-image.ts';
import { interleave, type Samples } from '../samples.ts';
import { UndecodableImage } from '../undecodable-image.ts';
import type { TiffLayout } from './layout.ts';
import { PHOTOMETRIC } from './reader.ts';

/** Colours of a page, in addition to its layout. */
export interface TiffColours {
  /** All reds, all greens, all blues, 16 bits each; empty without a palette. */
  palette: readonly number[];
  icc: Buffer | undefined;
}

/** ExtraSamples: premultiplied alpha. */
const MULTIPLIED = 1;

/** Colour channels of each PhotometricInterpretation, alpha not counted. */
const CHANNELS: Readonly<Record<number, number>> = {
  [PHOTOMETRIC.whiteIsZero]: 1,
  [PHOTOMETRIC.blackIsZero]: 1,
  [PHOTOMETRIC.rgb]: 3,
  [PHOTOMETRIC.palette]: 1,
  [PHOTOMETRIC.cmyk]: 4,
  [PHOTOMETRIC.cieLab]: 3,
  [PHOTOMETRIC.iccLab]: 3,
};

/**
 * Makes an upright 8-bit image of the samples of a page. One channel after the colours is alpha, others are dropped.
 * @throws UndecodableImage
 */
export function toImage(layout: TiffLayout, samples: readonly Samples[], colours: TiffColours): DecodedImage {
  const { photometric, orientation } = layout;
  const count = CHANNELS[photometric] ?? 0;
  if (samples.length < count) throw new UndecodableImage(`The TIFF has ${samples.length} channels; expected ${count}.`);
  const planes = shownPlanes(layout, samples.slice(0, count), colours.palette);
  const extra = samples[count];
  const alpha = extra && upright(toBytes(extra, layout.bits), layout);
  const shown = planes.map((plane) => upright(plane, layout));
  const isCmyk = photometric === PHOTOMETRIC.cmyk;
  const all = alpha && !isCmyk ? [...shown, alpha] : shown;
  const data = interleave(all);
  if (alpha && !isCmyk && layout.extraSample === MULTIPLIED) divideByAlpha(data, all.length, 8);
  const icc = profileFor(layout, colours.icc);
  return {
    samples: data,
    width: orientation > 4 ? layout.height : layout.width,
    height: orientation > 4 ? layout.width : layout.height,
    channels: all.length as 1 | 2 | 3 | 4,
    space: isCmyk ? 'cmyk' : shown.length === 1 ? 'b-w' : 'srgb',
    ...(alpha && isCmyk && { alpha }),
    ...(icc && { icc }),
  };
}

function shownPlanes(layout: TiffLayout, samples: readonly Samples[], palette: readonly number[]): Uint8Array[] {
  const { photometric, bits } = layout;
  const [first] = samples;
  if (photometric === PHOTOMETRIC.palette && first) return fromPalette(first, palette, 2 ** bits);
  if (photometric === PHOTOMETRIC.cieLab)
    return labToSrgb(samples.map((plane, index) => offsetLab(plane, index, bits)));
  if (photometric === PHOTOMETRIC.iccLab) return labToSrgb(samples.map((plane, index) => wholeLab(plane, index, bits)));
  const planes = samples.map((plane) => toBytes(plane, bits));
  return photometric === PHOTOMETRIC.whiteIsZero ? planes.map((plane) => plane.map((value) => 255 - value)) : planes;
}

/** The colours of CIE L*a*b* are signed: grey is 0. Source: TIFF 6.0, section 23. */
function offsetLab(plane: Samples, index: number, bits: number): Samples {
  const middle = 2 ** (bits - 1);
  return index === 0 ? plane : plane.map((value) => value ^ middle);
}

/** With 16 bits, white of ICC L*a*b* is 0xff00. Source: TIFF technical note of Adobe Photoshop (2002). */
function wholeLab(plane: Samples, index: number, bits: number): Samples {
  return index > 0 || bits === 8
    ? plane
    : plane.map((value) => Math.min(65_535, Math.round((value * 65_535) / 65_280)));
}

function fromPalette(indexes: Samples, palette: readonly number[], size: number): Uint8Array[] {
  if (palette.length < 3 * size) throw new UndecodableImage('The TIFF has no complete palette.');
  // Some programs write 8-bit colours.
  const unit = palette.some((value) => value > 255) ? 257 : 1;
  return [0, 1, 2].map((channel) =>
    Uint8Array.from(indexes, (index) => Math.round((palette[channel * size + index] as number) / unit)),
  );
}

function toBytes(plane: Samples, bits: number): Uint8Array {
  if (bits === 8 && plane instanceof Uint8Array) return plane;
  const most = 2 ** bits - 1;
  return Uint8Array.from(plane, (value) => Math.round((value * 255) / most));
}

/** The channels of a profile have to match the page. */
function profileFor({ photometric }: TiffLayout, icc: Buffer | undefined): Buffer | undefined {
  const space = icc && icc.length >= 132 ? icc.toString('latin1', 16, 20) : '';
  const isLab = photometric === PHOTOMETRIC.cieLab || photometric === PHOTOMETRIC.iccLab;
  const expectedSpace = photometric === PHOTOMETRIC.cmyk ? 'CMYK' : CHANNELS[photometric] === 1 ? 'GRAY' : 'RGB ';
  const expected = photometric === PHOTOMETRIC.palette ? 'RGB ' : expectedSpace;
  return !isLab && space === expected ? icc : undefined;
}

/** Rotates a plane by its orientation. */
function upright(plane: Uint8Array, { width, height, orientation }: TiffLayout): Uint8Array {
  const origin = ORIGINS[orientation];
  if (!origin) return plane;
  const turned = new Uint8Array(plane.length);
  const columns = orientation > 4 ? height : width;
  for (let at = 0; at < turned.length; at++) {
    const x = at % columns;
    const y = (at - x) / columns;
    turned[at] = plane[origin(x, y, width - 1, height - 1)] as number;
  }
  return turned;
}

/** Returns the position in the plane of a pixel of the upright image. Source: Exif 2.32, 4.6.4. */
const ORIGINS: Readonly<Record<number, (x: number, y: number, right: number, bottom: number) => number>> = {
  2: (x, y, right) => y * (right + 1) + right - x,
  3: (x, y, right, bottom) => (bottom - y) * (right + 1) + right - x,
  4: (x, y, right, bottom) => (bottom - y) * (right + 1) + x,
  5: (x, y, right) => x * (right + 1) + y,
  6: (x, y, right, bottom) => (bottom - x) * (right + 1) + y,
  7: (x, y, right, bottom) => (bottom - x) * (right + 1) + right - y,
  8: (x, y, right) => x * (right + 1) + right - y,
};
