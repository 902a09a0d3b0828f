import type { Triple } from '@darkroom/image-files/colour/spaces';
import { dot, encodeSrgb, labToSrgb, XYZ_TO_SRGB } from '@darkroom/image-files/colour/to-srgb';
import { type DecodedImage, UnsupportedImage } from '@darkroom/image-files/decoded-image';
import { interleave, type Samples } from '@darkroom/image-files/samples';
import type { ColourMode, PsdFile } from './file.ts';

/** Colour channels of each mode, alpha not counted. */
export const COLOURS: Readonly<Record<ColourMode, number>> = {
  bitmap: 1,
  grey: 1,
  duotone: 1,
  indexed: 1,
  rgb: 3,
  lab: 3,
  cmyk: 4,
};

const ICC_RESOURCE = 1039;
const TRANSPARENT_INDEX_RESOURCE = 1047;

/**
 * Makes an image of the planes of a file, in its own colour space if sharp supports it: grey (duotone too), RGB, CMYK.
 * Indexed, Lab and 32-bit images become sRGB. `alpha` is not premultiplied.
 */
export function toImage(file: PsdFile, colours: Samples[], alpha: Samples | undefined): DecodedImage {
  const { width, height, mode } = file;
  if (mode === 'indexed') return fromPalette(file, colours[0] as Samples);
  if (mode === 'cmyk') return fromCmyk(file, colours, alpha);
  const converts = mode === 'lab' || file.depth === 32;
  const planes = mode === 'lab' ? labToSrgb(colours) : converts ? linearToSrgb(file, colours) : colours.map(toBytes);
  const icc = converts ? undefined : profile(file, planes.length === 1 ? 'GRAY' : 'RGB ');
  const samples = interleave(alpha ? [...planes, toBytes(alpha)] : planes);
  const channels = (planes.length + (alpha ? 1 : 0)) as 1 | 2 | 3 | 4;
  return { samples, width, height, channels, space: planes.length === 1 ? 'b-w' : 'srgb', ...(icc && { icc }) };
}

/** Returns the file's ICC profile if it is for this colour space: PNG and JPEG must not contain another. */
function profile(file: PsdFile, space: 'GRAY' | 'RGB ' | 'CMYK'): Buffer | undefined {
  const icc = file.resources.get(ICC_RESOURCE);
  return icc && icc.length >= 132 && icc.toString('latin1', 16, 20) === space ? icc : undefined;
}

function fromPalette(file: PsdFile, indexes: Samples): DecodedImage {
  if (file.modeData.length < 768) throw new UnsupportedImage('an indexed picture without palette');
  const transparent = file.resources.get(TRANSPARENT_INDEX_RESOURCE);
  const hole = transparent && transparent.length >= 2 ? transparent.readUInt16BE() : -1;
  const channels = hole >= 0 && hole < 256 ? 4 : 3;
  const samples = new Uint8Array(indexes.length * channels);
  indexes.forEach((index, i) => {
    for (let c = 0; c < 3; c++) samples[i * channels + c] = file.modeData[c * 256 + index] as number;
    if (channels === 4) samples[i * 4 + 3] = index === hole ? 0 : 255;
  });
  return { samples, width: file.width, height: file.height, channels, space: 'srgb' };
}

/** The file stores 0 for full ink. */
function fromCmyk(file: PsdFile, colours: Samples[], alpha: Samples | undefined): DecodedImage {
  const samples = interleave(colours.map(toBytes));
  for (let i = 0; i < samples.length; i++) samples[i] = 255 - (samples[i] as number);
  const icc = profile(file, 'CMYK');
  const { width, height } = file;
  return {
    samples,
    width,
    height,
    channels: 4,
    space: 'cmyk',
    ...(alpha && { alpha: toBytes(alpha) }),
    ...(icc && { icc }),
  };
}

function toBytes(samples: Samples): Uint8Array {
  return samples instanceof Uint16Array ? Uint8Array.from(samples, (value) => Math.round(value / 257)) : samples;
}

/** Converts 32-bit images, which are linear. RGB has the primaries of the file's profile, or those of sRGB. */
function linearToSrgb(file: PsdFile, planes: Samples[]): Uint8Array[] {
  const [red, green, blue] = planes;
  const icc = profile(file, 'RGB ');
  const rows = icc && matrixToSrgb(icc);
  if (!rows || !red || !green || !blue)
    return planes.map((plane) => Uint8Array.from(plane, (v) => encodeSrgb(v / 65_535)));
  const out = planes.map((plane) => new Uint8Array(plane.length));
  for (let i = 0; i < red.length; i++) {
    const rgb: Triple = [(red[i] as number) / 65_535, (green[i] as number) / 65_535, (blue[i] as number) / 65_535];
    for (let c = 0; c < 3; c++) (out[c] as Uint8Array)[i] = encodeSrgb(dot(rows[c] as Triple, rgb));
  }
  return out;
}

/** Returns the matrix from linear RGB of a matrix profile to linear sRGB, by its colorant tags (ICC.1:2022, 9.2). */
function matrixToSrgb(icc: Buffer): readonly Triple[] | undefined {
  const colorants = ['rXYZ', 'gXYZ', 'bXYZ'].map((tag) => readXyz(icc, tag));
  const [red, green, blue] = colorants;
  if (!red || !green || !blue) return undefined;
  return XYZ_TO_SRGB.map((row): Triple => [dot(row, red), dot(row, green), dot(row, blue)]);
}

function readXyz(icc: Buffer, tag: string): Triple | undefined {
  for (let at = 132; at + 12 <= Math.min(icc.length, 132 + icc.readUInt32BE(128) * 12); at += 12) {
    const from = icc.readUInt32BE(at + 4);
    if (icc.toString('latin1', at, at + 4) !== tag || from + 20 > icc.length) continue;
    const fixed = (offset: number) => icc.readInt32BE(from + offset) / 65_536;
    return [fixed(8), fixed(12), fixed(16)];
  }
  return undefined;
}
