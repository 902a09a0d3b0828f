import type { Metadata, Sharp } from 'sharp';
import { toSharp } from '../decoded-image.ts';

/** sharp does not apply the profile of 16 bit grey, and drops alpha when it is asked for grey of 8 bits. The result is upright. */
export async function toEightBits(image: Sharp, icc: Buffer): Promise<Sharp> {
  const grey = image.autoOrient().toColourspace('grey16').raw({ depth: 'ushort' });
  const { data, info } = await grey.toBuffer({ resolveWithObject: true });
  const samples = new Uint8Array(data.length / 2);
  for (let i = 0; i < samples.length; i++) samples[i] = Math.round(data.readUInt16LE(2 * i) / 257);
  const channels = info.channels as 1 | 2;
  return toSharp({ samples, width: info.width, height: info.height, channels, space: 'b-w', icc });
}

/** Tone mapping takes samples of 16 bits. The result is upright. */
export async function toSixteenBits(image: Sharp, { icc }: Metadata): Promise<Sharp> {
  // The profile is not for these samples yet: keeping it is the way not to apply it.
  const { data, info } = await image.autoOrient().keepIccProfile().raw().toBuffer({ resolveWithObject: true });
  const samples = new Uint8Array(data.length * 2);
  for (let i = 0; i < data.length; i++) samples.fill(data[i] as number, 2 * i, 2 * i + 2);
  const channels = info.channels as 3 | 4;
  const { width, height } = info;
  return toSharp({ samples, width, height, channels, depth: 16, space: 'srgb', ...(icc && { icc }) });
}
