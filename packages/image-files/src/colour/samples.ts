import type { Metadata, Sharp } from 'sharp';
import { type Size, toSharp } from '../decoded-image.ts';
import type { HeifFaults } from '../heif/faults.ts';
import { divideByAlpha } from './premultiplied.ts';
import { expandRange } from './sample-range.ts';

/** Value of 1 of 8 bits in 16-bit samples: widened bytes, and samples that libvips shifted left. */
const UNITS = { widened: 257, shifted: 256 } as const;

/**
 * Converts to 8 bits. sharp ignores the profile of 16-bit grey, and drops alpha when it converts to 8-bit grey. The
 * result is upright.
 */
export async function toEightBits(image: Sharp, icc: Buffer): Promise<Sharp> {
  const grey = image.autoOrient().toColourspace('grey16').raw({ depth: 'ushort' });
  const { data, info } = await grey.toBuffer({ resolveWithObject: true });
  const samples = new Uint8Array(data.length / 2);
  for (let i = 0; i < samples.length; i++) samples[i] = Math.round(data.readUInt16LE(2 * i) / 257);
  const channels = info.channels as 1 | 2;
  return toSharp({ samples, width: info.width, height: info.height, channels, space: 'b-w', icc });
}

/**
 * Decodes to 16-bit samples, as tone mapping needs. The result is upright.
 * @param faults corrections that libheif does not make
 * @param size of the result, if it differs from the coded image
 */
export async function toSixteenBits(
  image: Sharp,
  { icc, depth }: Metadata,
  { narrow, isPremultiplied }: HeifFaults,
  size: Size | undefined,
): Promise<Sharp> {
  // The profile is not for these samples yet: keep it, so that it is not applied.
  const upright = image.autoOrient().keepIccProfile();
  if (size) upright.resize({ ...size, fit: 'fill' });
  const isDeep = depth === 'ushort';
  const raw = isDeep ? upright.toColourspace('rgb16').raw({ depth: 'ushort' }) : upright.raw();
  const { data, info } = await raw.toBuffer({ resolveWithObject: true });
  const samples = isDeep ? data.swap16() : widened(data);
  const channels = info.channels as 1 | 2 | 3 | 4;
  if (narrow.colours || narrow.alpha) {
    expandRange(samples, { channels, depth: 16, unit: isDeep ? UNITS.shifted : UNITS.widened }, narrow);
  }
  if (isPremultiplied) divideByAlpha(samples, channels, 16);
  const { width, height } = info;
  const space = channels < 3 ? 'b-w' : 'srgb';
  return toSharp({ samples, width, height, channels, depth: 16, space, ...(icc && { icc }) });
}

function widened(bytes: Buffer): Uint8Array {
  const samples = new Uint8Array(bytes.length * 2);
  for (let i = 0; i < bytes.length; i++) samples.fill(bytes[i] as number, 2 * i, 2 * i + 2);
  return samples;
}
