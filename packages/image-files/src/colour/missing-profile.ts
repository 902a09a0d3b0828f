import { readFile } from 'node:fs/promises';
import type { Metadata } from 'sharp';
import { type ReadBytes, readFrom } from '../boxes.ts';
import { pressProfile, withJpegProfile } from '../decoded-image.ts';
import { withAvifProfile } from './avif-profile.ts';
import { type DescribedProfile, profileOfCodes } from './description.ts';
import { readItemColour } from './item-colour.ts';
import { readPngColour, withPngProfile } from './png-colour.ts';

/** A file in memory with the profile that libvips needs to show its colours. */
export interface ProfiledFile {
  bytes: Buffer;
  isHdr: boolean;
}

/**
 * Adds a profile to files that describe their colours in another way (AVIF by code points, PNG by `cICP`, or by `gAMA`
 * and `cHRM`), and to CMYK without one: libvips only applies embedded profiles. Undefined for all others, of which only
 * headers of AVIF and PNG are read.
 */
export async function withMissingProfile(file: string | Buffer, header: Metadata): Promise<ProfiledFile | undefined> {
  if (header.format === 'jpeg' && header.space === 'cmyk' && !header.icc) {
    return { bytes: withJpegProfile(await bytesOf(file), await pressProfile()), isHdr: false };
  }
  const isGrey = header.space === 'b-w' || header.space === 'grey16';
  if (header.format === 'png') {
    const described = await readFrom(file, (read) => readPngColour(read, isGrey));
    const icc = described === 'sRGB' ? undefined : described?.icc;
    const bytes = described && withPngProfile(await bytesOf(file), icc);
    return bytes && { bytes, isHdr: described !== 'sRGB' && described.isHdr };
  }
  if (header.format !== 'heif' || header.icc) return undefined;
  const described = await readFrom(file, (read) => describedProfile(read, isGrey));
  const bytes = described && (await withAvifProfile(await bytesOf(file), described.icc));
  return bytes && { bytes, isHdr: described.isHdr };
}

const bytesOf = async (file: string | Buffer) => (typeof file === 'string' ? await readFile(file) : file);

/** Returns the profile of the main image of an AVIF or HEIC, embedded or equivalent; undefined for sRGB. */
export async function describedProfile(read: ReadBytes, isGrey = false): Promise<DescribedProfile | undefined> {
  const colour = await readItemColour(read);
  if (!colour) return undefined;
  return 'icc' in colour ? { icc: colour.icc, isHdr: false } : profileOfCodes(colour, isGrey);
}
