import type { Metadata, Sharp } from 'sharp';
import { type Size, toSharp } from '../decoded-image.ts';
import { type HeifFaults, NO_FAULTS } from '../heif/faults.ts';
import { divideByAlpha } from './premultiplied.ts';
import { expandRange } from './sample-range.ts';

/** What 1 of 8 bits is in samples of 16 bits: bytes that were widened, and samples that libvips shifted to the left. */
const UNITS = { widened: 257, shifted: 256 } as const;

/** sharp does not apply the profile of 16 bit grey, and drops alpha when it is asked for grey of 8 bits. The result is upright. */
export async function toEightBits(image: Sharp, icc: Buffer): Promise<Sharp> {
  const grey = image.autoOrient().toColourspace('grey16').raw({ depth: 'ushort' });
  const { data, info } = await grey.toBuffer({ resolveWithObject: true });
  const samples = new Uint8Array(data.length / 2);
  for (let i = 0; i < samples.length; i++) samples[i] = Math.round(data.readUInt16LE(2 * i) / 257);
  const channels = info.channels as 1 | 2;
  return toSharp({ samples, width: info.width, height: info.height, channels, space: 'b-w', icc });
}

/**
 * Decodes to samples of 16 bits, which tone mapping takes. The result is upright.
 * @param faults what libheif has left undone
 * @param size of the result, where it is not that of the coded image
 */
export async function toSixteenBits(
  image: Sharp,
  { icc, depth }: Metadata,
  { narrow, isPremultiplied }: HeifFaults = NO_FAULTS,
  size?: Size,
): Promise<Sharp> {
  // The profile is not for these samples yet: keeping it is the way not to apply it.
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
