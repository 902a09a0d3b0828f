import type { ReadBytes } from '../boxes.ts';
import { type Tag, type TiffDirectory, valuesOf } from './directory.ts';

/** Sample storage of a page. */
export interface TiffLayout {
  /** True for little-endian. */
  isLittle: boolean;
  width: number;
  height: number;
  /** Bits per sample; 0 if channels differ. */
  bits: number;
  /** Samples per pixel, with alpha. */
  channels: number;
  compression: number;
  predictor: number;
  photometric: number;
  /** True if each byte has its lowest bit first. */
  isReversed: boolean;
  /** True if each channel has its own chunks. */
  isPlanar: boolean;
  isTiled: boolean;
  /** Strips are chunks as wide as the page. */
  chunk: { width: number; height: number };
  /** 1 unsigned, 2 signed, 3 floating point, 5 and 6 complex; of channels that differ, the first other than 1. */
  sampleFormat: number;
  /** Of the channel after the colours: 1 for premultiplied alpha. */
  extraSample: number;
  /** As in EXIF. */
  orientation: number;
}

/** Of a decoded page: four inks, and alpha. */
export const MAX_CHANNELS = 5;

/** Default values of missing tags. */
const DEFAULTS: Readonly<Partial<Record<Tag, number>>> = {
  compression: 1,
  predictor: 1,
  fillOrder: 1,
  channels: 1,
  planar: 1,
  orientation: 1,
};

const UNSIGNED = 1;
/** Samples without a format; programs write it for unsigned ones. */
const VOID = 4;
const PLANAR = 2;
const LOWEST_FIRST = 2;

/** Reads the layout in the tags of a page; 0 for unstated values. Source: TIFF 6.0. */
export async function readLayout(read: ReadBytes, directory: TiffDirectory): Promise<TiffLayout> {
  const value = async (tag: Tag) => (await valuesOf(read, directory, tag, 1))[0] ?? DEFAULTS[tag] ?? 0;
  const channels = await value('channels');
  // One more than necessary shows that channels differ. Pages with more channels are rejected.
  const each = Math.min(channels, MAX_CHANNELS) + 1;
  const depths = await valuesOf(read, directory, 'bits', each);
  const bits = depths[0] ?? 1;
  const formats = await valuesOf(read, directory, 'sampleFormat', each);
  const width = await value('width');
  const height = await value('height');
  const tileWidth = await value('tileWidth');
  const isTiled = tileWidth > 0;
  const stripHeight = (await value('rowsPerStrip')) || height;
  return {
    isLittle: directory.isLittle,
    width,
    height,
    bits: depths.every((depth) => depth === bits) ? bits : 0,
    channels,
    compression: await value('compression'),
    predictor: await value('predictor'),
    photometric: await value('photometric'),
    isReversed: (await value('fillOrder')) === LOWEST_FIRST,
    isPlanar: (await value('planar')) === PLANAR,
    isTiled,
    chunk: isTiled
      ? { width: tileWidth, height: await value('tileHeight') }
      : { width, height: Math.min(stripHeight, height) },
    sampleFormat: formats.find((format) => format !== UNSIGNED && format !== VOID) ?? UNSIGNED,
    extraSample: await value('extraSamples'),
    orientation: await value('orientation'),
  };
}
