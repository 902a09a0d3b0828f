import type { ReadBytes } from '../boxes.ts';
import { type Tag, type TiffDirectory, valuesOf } from './directory.ts';

/** How the samples of a page are stored. */
export interface TiffLayout {
  /** True where the low byte comes first. */
  isLittle: boolean;
  width: number;
  height: number;
  /** Bits of a sample; 0 where channels differ. */
  bits: number;
  /** Samples of a pixel, with alpha. */
  channels: number;
  compression: number;
  predictor: number;
  photometric: number;
  /** True where each byte has its lowest bit first. */
  isReversed: boolean;
  /** True where each channel has chunks of its own. */
  isPlanar: boolean;
  isTiled: boolean;
  /** Strips are chunks as wide as the page. */
  chunk: { width: number; height: number };
  /** 1 unsigned, 2 signed, 3 floating point, 5 and 6 complex; of channels that differ, the first other than 1. */
  sampleFormat: number;
  /** Of the channel after the colours: 1 for alpha that is multiplied in. */
  extraSample: number;
  /** As in EXIF. */
  orientation: number;
}

/** Of a page that is decoded: ink of four colours, and alpha. */
export const MAX_CHANNELS = 5;

/** Values that count where a tag is missing. */
const DEFAULTS: Readonly<Partial<Record<Tag, number>>> = {
  compression: 1,
  predictor: 1,
  fillOrder: 1,
  channels: 1,
  planar: 1,
  orientation: 1,
};

const UNSIGNED = 1;
/** Of samples without a format, which programs write for unsigned ones. */
const VOID = 4;
const PLANAR = 2;
const LOWEST_FIRST = 2;

/** Reads what the tags of a page say; 0 is what none says. Source: TIFF 6.0. */
export async function readLayout(read: ReadBytes, directory: TiffDirectory): Promise<TiffLayout> {
  const value = async (tag: Tag) => (await valuesOf(read, directory, tag, 1))[0] ?? DEFAULTS[tag] ?? 0;
  const channels = await value('channels');
  // One more than is meant shows that the channels differ. Pages of more channels are refused.
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
