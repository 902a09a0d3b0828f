import sharp from 'sharp';
import { holdImage, imageOf } from '../drawing/chains.ts';
import { megapixelsOf } from '../layout/geometry.ts';
import type { HeldImage, ImageFormat } from '../step.ts';
import { addXmp, type EncoderOptions, encoderOptions, encoderQuality, encoderSettings } from './encoder-settings.ts';
import { similarity } from './similarity.ts';

/** An encoded image and its quality on the encoder's own scale; 100 when it is lossless. */
export interface AutoEncoded {
  data: Buffer;
  quality: number;
}

/**
 * The sample has at most this many tiles each way, each of this many pixels, so large images cost no more than small
 * ones.
 */
const TILES = 3;
const TILE = 128;

/** The quality, of the URL's scale, that a result should look like. */
const REFERENCE_Q = 85;

/** Encodes of the sample until the search ends. */
const STEPS = 5;

/** Never below the look of `q_20`, regardless of the metric. */
const LOWEST_Q = 20;

/** Decibels above which no difference is visible: SSIMULACRA2 was 89 to 100 for photos and graphics. */
const IMPERCEPTIBLE = 32;

/** Photos have tens of thousands of colours in a sample. Below this number lossless WebP may be smaller than lossy. */
const FEW_COLOURS = 2048;
/** Lossless WebP takes 24 bytes a pixel while it is encoded, so it is not tried for larger images. */
export const LOSSLESS_MEGAPIXELS = 8;
export const LOSSLESS_WEBP = { lossless: true, effort: 4 } as const;

/**
 * Encodes with the fewest bytes that look the same as `q_85` of the same image, and never with more bytes than that
 * needs. The search works on a sample of tiles and ends after a fixed number of small encodes. Then the image is
 * encoded once, and once more each when it is small and when lossless is tried.
 * @param xmp for the result
 */
export async function encodeAuto(whole: HeldImage, format: ImageFormat, xmp?: string): Promise<AutoEncoded> {
  const encode = <F extends ImageFormat>(to: F, options: EncoderOptions[F]) =>
    addXmp(imageOf(whole), xmp).toFormat(to, options).toBuffer();
  if (format === 'png' || format === 'gif') {
    return { data: await encode(format, encoderOptions(format, REFERENCE_Q)), quality: 100 };
  }
  const megapixels = megapixelsOf(whole);
  const sample = takeSample(whole);
  const quality = await lowestQuality(sample, format);
  const found = { data: await encode(format, encoderSettings(format, quality, megapixels)), quality };
  // A small file may grow when its quality falls.
  const highest = encoderQuality(format, REFERENCE_Q);
  const isSmall = sample.width < TILES * TILE && sample.height < TILES * TILE && quality < highest;
  const plain = isSmall ? await encode(format, encoderSettings(format, highest)) : found.data;
  const lossy = plain.length < found.data.length ? { data: plain, quality: highest } : found;
  if (format !== 'webp' || megapixels > LOSSLESS_MEGAPIXELS || !hasAtMost(FEW_COLOURS, sample)) return lossy;
  const lossless = { data: await encode(format, LOSSLESS_WEBP), quality: 100 };
  return lossless.data.length < lossy.data.length ? lossless : lossy;
}

/** The quality, of the encoder's own scale, that `encodeAuto` would give an image by a sample of it. */
export function sampledQuality(whole: HeldImage, format: 'jpeg' | 'webp' | 'avif'): Promise<number> {
  return lowestQuality(takeSample(whole), format);
}

/** True if an image has at most `count` colours. Those that differ in alpha alone count as two. Stops early. */
export function hasAtMost(count: number, { data, channels }: HeldImage): boolean {
  const colours = new Set<number>();
  let last = -1;
  for (let at = 0; at < data.length; at += channels) {
    let colour = 0;
    for (let channel = 0; channel < channels; channel++) colour = colour * 256 + (data[at + channel] as number);
    if (colour === last) continue;
    last = colour;
    if (colours.add(colour).size > count) return false;
  }
  return true;
}

/** True if a sample has so few colours that a lossless file may be the smallest. */
export function hasFewColours(whole: HeldImage): boolean {
  return hasAtMost(FEW_COLOURS, takeSample(whole));
}

/**
 * Bisects between `LOWEST_Q` and `REFERENCE_Q`. The result should look like a JPEG of that quality, because JPEG
 * defines the quality scale. An image with transparency, which JPEG lacks, should look like its own format.
 */
async function lowestQuality(sample: HeldImage, format: 'jpeg' | 'webp' | 'avif'): Promise<number> {
  const likeness = async (encoder: typeof format, quality: number) => {
    const data = await imageOf(sample).toFormat(encoder, encoderSettings(encoder, quality)).toBuffer();
    return decibels(similarity(sample, await decode(data, sample)));
  };
  let highest = encoderQuality(format, REFERENCE_Q);
  const look = hasTransparency(sample) ? likeness(format, highest) : likeness('jpeg', REFERENCE_Q);
  const target = Math.min(IMPERCEPTIBLE, await look);
  let lowest = Math.min(highest, encoderQuality(format, LOWEST_Q));
  for (let step = 0; step < STEPS && lowest < highest; step++) {
    const middle = Math.floor((lowest + highest) / 2);
    if ((await likeness(format, middle)) >= target) highest = middle;
    else lowest = middle + 1;
  }
  return highest;
}

/** All pixels of a small image. Of a large one, tiles at full size from all over it, side by side. */
function takeSample(whole: HeldImage): HeldImage {
  const columns = tileOffsets(whole.width);
  const rows = tileOffsets(whole.height);
  const width = sum(columns.map((span) => span.length));
  const height = sum(rows.map((span) => span.length));
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

function copyRow({ data, width, channels }: HeldImage, y: number, column: Span, sample: Buffer, at: number): number {
  const start = (y * width + column.start) * channels;
  const row = data.subarray(start, start + column.length * channels);
  sample.set(row, at);
  return row.length;
}

/** Decodes with the sample's number of channels: a JPEG has lost its alpha, a grey PNG may have gained two channels. */
function decode(data: Buffer, sample: HeldImage): Promise<HeldImage> {
  const { channels } = sample;
  const image = sharp(data).toColourspace(channels < 3 ? 'b-w' : 'srgb');
  return holdImage(channels === 4 || channels === 2 ? image.ensureAlpha() : image.removeAlpha(), sample);
}

function hasTransparency({ data, channels }: HeldImage): boolean {
  return channels % 2 === 0 && data.some((value, at) => at % channels === channels - 1 && value < 255);
}

const decibels = (similar: number) => (similar >= 1 ? Number.POSITIVE_INFINITY : -10 * Math.log10(1 - similar));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
