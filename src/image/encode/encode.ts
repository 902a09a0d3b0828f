import { readFile, writeFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import type { Picture } from '../decode.ts';
import type { Size } from '../geometry.ts';
import type { Rights } from '../rights.ts';
import type { ImageFormat } from '../step.ts';
import { encodeAuto } from './auto-quality.ts';
import { hasAtMost } from './colours.ts';
import { encoderOptions } from './encoder-settings.ts';
import { stripMetadata } from './strip.ts';

/** The original of a result that is the same picture, in its size and format. The result must not be larger. */
export interface SamePicture {
  file: string;
  size: number;
  /** What its coded pixels are: `shown` as they are, so that they can be taken over; also `profiled`; or neither. */
  pixels: Picture['pixels'];
}

export interface EncodeOrder {
  format: ImageFormat;
  quality: number | 'auto';
  /** Of the result. The size that sharp reports is wrong when a picture is cut and then extended. */
  size: Size;
  /** Kept in the result. */
  rights: Partial<Rights> | undefined;
  same: SamePicture | undefined;
  /** A file that does not exist yet, for the result. */
  output: string;
}

/** The qualities that are tried in turn when a result is larger than its original. */
const LOWER_QUALITIES = [75, 60, 45, 30, 15, 1];
/** Looking for the colours of a larger picture takes a minute. */
const PALETTE_MEGAPIXELS = 16;
/** Rows that are looked at first: in a photo a few of them have more colours than a palette. */
const FIRST_ROWS = 16;
/** Exact for pictures that have no more colours. */
const PALETTE = { palette: true, colours: 256, dither: 0, effort: 10, compressionLevel: 9 } as const;

/**
 * Encodes finished pixels into a file, once; again only when the result would be larger than the same picture in the original.
 * @returns its size in bytes
 */
export async function encodePicture(pixels: Sharp, order: EncodeOrder): Promise<number> {
  const { rights, same, output } = order;
  const signed = rights ? pixels.withExif({ IFD0: rights }) : pixels;
  const size = await encodeFirst(pixels, signed, order);
  if (!same || size <= same.size) return size;
  for await (const other of otherWays(signed, same, order)) if (other.length <= same.size) return keep(other, output);
  return size;
}

async function encodeFirst(pixels: Sharp, signed: Sharp, order: EncodeOrder): Promise<number> {
  const { quality, same, output } = order;
  if (quality === 'auto') return keep(await encodeBest(pixels, order), output);
  // A chain that may have to run again is copied. It writes straight into the file: going through memory costs 6 % more.
  const { size } = await encoded(same ? signed.clone() : signed, order, quality).toFile(output);
  return size;
}

async function keep(data: Buffer, output: string): Promise<number> {
  await writeFile(output, data);
  return data.length;
}

/** Smaller files of the same picture, the best first. */
async function* otherWays(signed: Sharp, { file, pixels }: SamePicture, order: EncodeOrder) {
  const { format, quality, rights, size } = order;
  const original = await readFile(file);
  const exif = rights && (await exifOf(rights));
  const stripped = pixels === 'shown' && stripMetadata(original, format, { exif });
  if (stripped) yield stripped;
  if (format === 'png') {
    if (await fitsPalette(signed, size)) yield await signed.clone().png(PALETTE).toBuffer();
    // Keeping its colours and their profile is better than growing.
    const profiled = pixels === 'profiled' && stripMetadata(original, format, { exif, profile: true });
    if (profiled) yield profiled;
  }
  if (format === 'png' || format === 'gif') return;
  const highest = quality === 'auto' ? 100 : quality;
  for (const lower of LOWER_QUALITIES) {
    if (lower < highest) yield await encoded(signed.clone(), order, lower).toBuffer();
  }
}

/** Whether a palette can hold every colour of a picture, with its alpha. */
async function fitsPalette(pixels: Sharp, { width, height }: Size): Promise<boolean> {
  if (megapixelsOf({ width, height }) > PALETTE_MEGAPIXELS) return false;
  for (const rows of height > FIRST_ROWS ? [FIRST_ROWS, height] : [height]) {
    const part = pixels.clone().extract({ left: 0, top: 0, width, height: rows });
    const { data, info } = await part.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
    if (!hasAtMost(PALETTE.colours, { data, width, height: rows, channels: info.channels })) return false;
  }
  return true;
}

/** An EXIF block with nothing but the rights, as sharp writes it. */
async function exifOf(rights: Partial<Rights>): Promise<Buffer | undefined> {
  const pixel = sharp({ create: { width: 1, height: 1, channels: 3, background: 'white' } });
  return (await sharp(await pixel.withExif({ IFD0: rights }).jpeg().toBuffer()).metadata()).exif;
}

function encoded(pixels: Sharp, { format, size }: EncodeOrder, quality: number): Sharp {
  return pixels.toFormat(format, encoderOptions(format, quality, megapixelsOf(size)));
}

function megapixelsOf({ width, height }: Size): number {
  return (width * height) / 1e6;
}

/** The search for the best quality encodes several times. It works on raw pixels, so that the picture is decoded once. */
async function encodeBest(pixels: Sharp, { format, rights, size }: EncodeOrder): Promise<Buffer> {
  const { data, info } = await pixels.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  const decoded = () => sharp(data, { raw: { ...size, channels: info.channels }, limitInputPixels: false });
  const raw = { data, ...size, channels: info.channels };
  const best = await encodeAuto(rights ? () => decoded().withExif({ IFD0: rights }) : decoded, format, { raw });
  return best.data;
}
