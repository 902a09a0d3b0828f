import { readFile } from 'node:fs/promises';
import sharp, { type OutputInfo, type Sharp } from 'sharp';
import { encodeAuto } from './auto-quality.ts';
import { encoderOptions } from './quality.ts';
import type { Rights } from './rights.ts';
import type { ImageFormat } from './step.ts';
import { stripMetadata } from './strip.ts';

export interface Encoded {
  data: Buffer;
  info: Pick<OutputInfo, 'width' | 'height'>;
}

/** The original, where the result is the same picture at the same size in the same format: it may not be larger. */
export interface SamePicture {
  file: string;
  size: number;
  /** Whether its coded pixels are the very ones that are wanted, so that they can be taken over without their metadata. */
  isPlain: boolean;
}

export interface EncodeOrder {
  format: ImageFormat;
  quality: number | 'auto';
  /** Kept in the result. */
  rights: Partial<Rights> | undefined;
  same: SamePicture | undefined;
}

/** The qualities that are tried, one after the other, when a result comes out larger than the original it was made from. */
const LOWER_QUALITIES = [75, 60, 45, 30, 15, 1];

/** Encodes finished pixels, once; again only when the result would be larger than the same picture in the original. */
export async function encodePicture(pixels: Sharp, order: EncodeOrder): Promise<Encoded> {
  const { format, quality, same } = order;
  const signed = order.rights ? pixels.withExif({ IFD0: order.rights }) : pixels;
  const first = quality === 'auto' ? await encodeBest(pixels, order) : await encodeAt(signed, format, quality);
  if (!same || first.data.length <= same.size) return first;
  const stripped = same.isPlain ? stripMetadata(await readFile(same.file), format) : undefined;
  if (stripped) return { data: stripped, info: first.info };
  for (const lower of LOWER_QUALITIES.filter((candidate) => candidate < (quality === 'auto' ? 100 : quality))) {
    const smaller = await encodeAt(signed, format, lower);
    if (smaller.data.length <= same.size) return smaller;
  }
  return first;
}

function encodeAt(pixels: Sharp, format: ImageFormat, quality: number): Promise<Encoded> {
  return pixels.clone().toFormat(format, encoderOptions(format, quality)).toBuffer({ resolveWithObject: true });
}

/** The search for the best quality encodes several times; on raw pixels the picture is decoded once all the same. */
async function encodeBest(pixels: Sharp, { format, rights }: EncodeOrder): Promise<Encoded> {
  const { data, info } = await pixels.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const decoded = sharp(data, { raw: { width, height, channels }, limitInputPixels: false });
  return encodeAuto(rights ? decoded.withExif({ IFD0: rights }) : decoded, format);
}
