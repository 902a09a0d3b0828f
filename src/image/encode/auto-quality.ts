import sharp, { type OutputInfo, type Sharp } from 'sharp';
import type { ImageFormat } from '../step.ts';
import { hasAtMost } from './colours.ts';
import { type EncoderOptions, encoderOptions, encoderQuality, encoderSettings } from './encoder-settings.ts';
import { type RawPixels, similarity } from './similarity.ts';

/** An encoded picture and its quality on the encoder's own scale; 100 when it is lossless. */
export interface AutoEncoded {
  data: Buffer;
  info: OutputInfo;
  quality: number;
}

/** The sample has at most this many tiles each way, each of this many pixels, so large pictures cost no more than small ones. */
const TILES = 3;
const TILE = 128;

/** Encodes of the sample until the search ends. */
const STEPS = 5;

/** Never below what `q_20` looks like, whatever the metric says. */
const LOWEST_Q = 20;

/** Decibels above which nobody sees a difference: SSIMULACRA2 was 89 to 100 for photos and graphics. */
const IMPERCEPTIBLE = 32;

/** Photos have tens of thousands of colours in a sample. Below this number lossless WebP may be smaller than lossy. */
const FEW_COLOURS = 2048;
/** Lossless WebP takes 24 bytes a pixel while it is encoded, so it is not tried for larger pictures. */
const LOSSLESS_MEGAPIXELS = 8;

/**
 * Encodes with the fewest bytes that look the same as quality `reference` (of the URL's scale, 1 to 100) of the same picture, and
 * never with more bytes than that quality needs. The search works on a sample of tiles and ends after a fixed number of small
 * encodes. Then the picture is encoded once (twice when lossless is tried).
 * `pixels` only lacks its encoding. It runs for the result, and for the sample unless the `raw` pixels are given. Where decoding is
 * expensive, pass a function that creates it from raw pixels, because a clone would copy them.
 */
export async function encodeAuto(
  pixels: Sharp | (() => Sharp),
  format: ImageFormat,
  { reference = 85, raw }: { reference?: number; raw?: RawPixels } = {},
): Promise<AutoEncoded> {
  const fresh = typeof pixels === 'function' ? pixels : () => pixels.clone();
  if (format === 'png' || format === 'gif') {
    return { ...(await finish(fresh(), format, encoderOptions(format, reference))), quality: 100 };
  }
  const whole = raw ?? (await rawPixelsOf(fresh()));
  const megapixels = (whole.width * whole.height) / 1e6;
  const sample = takeSample(whole);
  const quality = await lowestQuality(sample, format, reference);
  const found = { ...(await finish(fresh(), format, encoderSettings(format, quality, megapixels))), quality };
  // A small file may grow when its quality falls.
  const highest = encoderQuality(format, reference);
  const isSmall = sample.width < TILES * TILE && sample.height < TILES * TILE && quality < highest;
  const plain = isSmall ? await finish(fresh(), format, encoderSettings(format, highest)) : found;
  const lossy = plain.data.length < found.data.length ? { ...plain, quality: highest } : found;
  if (format !== 'webp' || megapixels > LOSSLESS_MEGAPIXELS || !hasAtMost(FEW_COLOURS, sample)) return lossy;
  const lossless = { ...(await finish(fresh(), format, { lossless: true, effort: 4 })), quality: 100 };
  return lossless.data.length < lossy.data.length ? lossless : lossy;
}

function finish<F extends ImageFormat>(pixels: Sharp, format: F, options: EncoderOptions[F]) {
  return pixels.toFormat(format, options).toBuffer({ resolveWithObject: true });
}

/**
 * Bisects between `LOWEST_Q` and `reference`. The result should look like a JPEG of that quality, because JPEG defines the quality
 * scale. A picture with transparency, which JPEG lacks, should look like its own format.
 */
async function lowestQuality(sample: RawPixels, format: 'jpeg' | 'webp' | 'avif', reference: number): Promise<number> {
  const likeness = async (encoder: typeof format, quality: number) => {
    const data = await pipeline(sample).toFormat(encoder, encoderSettings(encoder, quality)).toBuffer();
    return decibels(similarity(sample, await decode(data, sample.channels)));
  };
  let highest = encoderQuality(format, reference);
  const look = hasTransparency(sample) ? likeness(format, highest) : likeness('jpeg', reference);
  const target = Math.min(IMPERCEPTIBLE, await look);
  let lowest = Math.min(highest, encoderQuality(format, LOWEST_Q));
  for (let step = 0; step < STEPS && lowest < highest; step++) {
    const middle = Math.floor((lowest + highest) / 2);
    if ((await likeness(format, middle)) >= target) highest = middle;
    else lowest = middle + 1;
  }
  return highest;
}

async function rawPixelsOf(pixels: Sharp): Promise<RawPixels> {
  const { data, info } = await pixels.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
}

/** All pixels of a small picture. Of a large one, tiles at full size from all over it, side by side. */
function takeSample(whole: RawPixels): RawPixels {
  const columns = tileOffsets(whole.width);
  const rows = tileOffsets(whole.height);
  const [width, height] = [sum(columns.map((span) => span.length)), sum(rows.map((span) => span.length))];
  const sample = Buffer.alloc(width * height * whole.channels);
  let at = 0;
  for (const row of rows) {
    for (let y = row.start; y < row.start + row.length; y++) {
      for (const column of columns) at += copyRow(whole, y, column, sample, at);
    }
  }
  return { data: sample, width, height, channels: whole.channels };
}

interface Span {
  start: number;
  length: number;
}

function tileOffsets(side: number): Span[] {
  if (side <= TILES * TILE) return [{ start: 0, length: side }];
  const gap = (side - TILES * TILE) / (TILES - 1);
  return Array.from({ length: TILES }, (_, i) => ({ start: Math.floor(i * (TILE + gap)), length: TILE }));
}

function copyRow({ data, width, channels }: RawPixels, y: number, column: Span, sample: Buffer, at: number): number {
  const start = (y * width + column.start) * channels;
  const row = data.subarray(start, start + column.length * channels);
  sample.set(row, at);
  return row.length;
}

function pipeline({ data, width, height, channels }: RawPixels): Sharp {
  return sharp(data, { raw: { width, height, channels: channels as 1 | 2 | 3 | 4 } });
}

/** Decodes with the sample's number of channels: a JPEG has lost its alpha, a grey PNG may have gained two channels. */
async function decode(data: Buffer, channels: number): Promise<RawPixels> {
  const image = sharp(data).toColourspace(channels < 3 ? 'b-w' : 'srgb');
  const opaque = channels === 4 || channels === 2 ? image.ensureAlpha() : image.removeAlpha();
  const { data: decoded, info } = await opaque.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  return { data: decoded, width: info.width, height: info.height, channels: info.channels };
}

function hasTransparency({ data, channels }: RawPixels): boolean {
  return channels % 2 === 0 && data.some((value, at) => at % channels === channels - 1 && value < 255);
}

const decibels = (similar: number) => (similar >= 1 ? Number.POSITIVE_INFINITY : -10 * Math.log10(1 - similar));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
