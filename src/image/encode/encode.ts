import { readFile, writeFile } from 'node:fs/promises';
import { hidePngResolution } from '@darkroom/image-files/png';
import { stripMetadata } from '@darkroom/image-files/strip';
import type { Sharp } from 'sharp';
import type { OpenImage } from '../decode.ts';
import { holdImage, imageOf } from '../drawing/chains.ts';
import { megapixelsOf, type Size } from '../layout/geometry.ts';
import type { ExactFormat, HeldImage, ImageFormat } from '../step.ts';
import { encodeAuto, hasAtMost, hasFewColours, LOSSLESS_MEGAPIXELS, LOSSLESS_WEBP } from './auto-quality.ts';
import { addXmp, encoderOptions } from './encoder-settings.ts';

/** The original of a result that is the same image, in its size and format. The result must not be larger. */
export interface SameImage {
  file: string;
  size: number;
  /** Coded pixels that are `shown` as they are can be taken over, `profiled` ones with their profile. */
  pixels: OpenImage['pixels'];
}

export interface EncodeOrder {
  format: ImageFormat;
  quality: number | 'auto';
  /** Of the result. The size that sharp reports is wrong when an image is cut and then extended. */
  size: Size;
  /** True if the result can have transparent pixels. */
  hasAlpha: boolean;
  /** XMP packet with the rights, the only metadata of the result. */
  xmp: string | undefined;
  /** Tried as well, where the image has few colours. */
  exact: ExactFormat | undefined;
  same: SameImage | undefined;
  /** A file that does not exist yet, for the result. */
  output: string;
}

export interface Encoded {
  format: ImageFormat;
  /** Bytes. */
  size: number;
}

/** The qualities that are tried one after another when a result is larger than its original. */
export const LOWER_QUALITIES = [75, 60, 45, 30, 15, 1];
/** Looking for the colours of a larger image takes a minute. */
const PALETTE_MEGAPIXELS = 16;
/** Rows that are counted first: in a photo a few of them have more colours than a palette. */
const FIRST_ROWS = 16;
/** Exact for images that have no more colours. */
const PALETTE = { palette: true, colours: 256, dither: 0, effort: 10, compressionLevel: 9 } as const;

/**
 * Encodes finished pixels into a file, once; again only when the result would be larger than the same image in the
 * original.
 */
export async function encodeImage(pixels: Sharp, order: EncodeOrder): Promise<Encoded> {
  const result = await encodeSmall(pixels, order);
  if (result.format === 'png') await hidePngResolution(order.output);
  return result;
}

async function encodeSmall(pixels: Sharp, order: EncodeOrder): Promise<Encoded> {
  const { same, output, format } = order;
  const first = await encodeFirst(pixels, order);
  if (!same || first.size <= same.size) return first;
  const smaller = await findSmaller(pixels, same, order, first.size);
  return smaller ? { format, size: await keep(smaller, output) } : first;
}

async function encodeFirst(pixels: Sharp, order: EncodeOrder): Promise<Encoded> {
  const { format, quality, xmp, exact, same, output } = order;
  if (quality === 'auto' || exact) {
    // A search encodes several times. It works on raw pixels, so that the image is decoded once.
    const whole = await holdImage(pixels, order.size);
    const lossy =
      quality === 'auto'
        ? (await encodeAuto(whole, format, xmp)).data
        : await encoded(imageOf(whole), order, quality).toBuffer();
    const other = exact && (await encodeExact(whole, exact, xmp));
    if (other && other.length < lossy.length) return { format: exact, size: await keep(other, output) };
    return { format, size: await keep(lossy, output) };
  }
  // A chain that may have to run again is copied. It writes straight into the file: going through memory costs 6 %
  // more.
  const { size } = await encoded(same ? pixels.clone() : pixels, order, quality).toFile(output);
  return { format, size };
}

async function keep(data: Buffer, output: string): Promise<number> {
  await writeFile(output, data);
  return data.length;
}

/**
 * Finds a smaller file of the same image: the original without its metadata, a palette, or a lower quality. The first
 * of them may be larger than the original by its XMP packet, because a notice of 300 bytes is no reason to lose
 * quality.
 * @param size bytes of the file that is too large
 */
async function findSmaller(pixels: Sharp, same: SameImage, order: EncodeOrder, size: number) {
  const { format, quality, xmp } = order;
  const original = await readFile(same.file);
  const stripped = same.pixels === 'shown' ? stripMetadata(original, format, { xmp }) : undefined;
  if (stripped && stripped.length < size) return stripped;
  if (format === 'png') {
    const hasFew = await fitsPalette(pixels, order.size);
    const data = hasFew ? await addXmp(pixels.clone(), xmp).png(PALETTE).toBuffer() : undefined;
    if (data && data.length <= same.size) return data;
    // Keeping its colours and their profile is better than growing.
    const isProfiled = same.pixels === 'profiled';
    const profiled = isProfiled ? stripMetadata(original, format, { xmp, keepsProfile: true }) : undefined;
    return profiled && profiled.length < size ? profiled : undefined;
  }
  if (format === 'gif') return undefined;
  const highest = quality === 'auto' ? 100 : quality;
  for (const lower of LOWER_QUALITIES.filter((one) => one < highest)) {
    const data = await encoded(pixels.clone(), order, lower).toBuffer();
    if (data.length <= same.size) return data;
  }
  return undefined;
}

/** True if a palette can hold every colour of an image, alpha included. */
async function fitsPalette(pixels: Sharp, { width, height }: Size): Promise<boolean> {
  if (megapixelsOf({ width, height }) > PALETTE_MEGAPIXELS) return false;
  for (const rows of height > FIRST_ROWS ? [FIRST_ROWS, height] : [height]) {
    const part = pixels.clone().extract({ left: 0, top: 0, width, height: rows });
    if (!hasAtMost(PALETTE.colours, await holdImage(part, { width, height: rows }))) return false;
  }
  return true;
}

function encoded(pixels: Sharp, { format, size, hasAlpha, xmp }: EncodeOrder, quality: number): Sharp {
  return addXmp(pixels, xmp).toFormat(format, encoderOptions(format, quality, megapixelsOf(size), hasAlpha));
}

/** A file without loss; undefined for an image with too many colours to be worth it. */
async function encodeExact(whole: HeldImage, format: ExactFormat, xmp?: string): Promise<Buffer | undefined> {
  const megapixels = megapixelsOf(whole);
  if (!hasFewColours(whole)) return undefined;
  const image = () => addXmp(imageOf(whole), xmp);
  if (format === 'webp') {
    return megapixels > LOSSLESS_MEGAPIXELS ? undefined : image().webp(LOSSLESS_WEBP).toBuffer();
  }
  const fits = megapixels <= PALETTE_MEGAPIXELS && hasAtMost(PALETTE.colours, whole);
  return fits ? image().png(PALETTE).toBuffer() : undefined;
}
