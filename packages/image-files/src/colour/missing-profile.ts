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
 * libvips applies profiles only where they are in the file. This puts one into those that describe their colours in another way
 * (AVIF by code points, PNG by `cICP`, or by `gAMA` and `cHRM`), and into CMYK without any. Undefined for all others, of which
 * nothing is read but the headers of AVIF and PNG.
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

/** The profile of the main picture of an AVIF or HEIC file, its own or one that says the same; undefined for sRGB. */
export async function describedProfile(read: ReadBytes, isGrey = false): Promise<DescribedProfile | undefined> {
  const colour = await readItemColour(read);
  if (!colour) return undefined;
  return 'icc' in colour ? { icc: colour.icc, isHdr: false } : profileOfCodes(colour, isGrey);
}
