import { readFile } from 'node:fs/promises';
import sharp, { type Metadata, type SharpOptions } from 'sharp';
import { pageOption, STRICTNESS } from '../header.ts';
import { NO_FAULTS } from '../heif/faults.ts';
import { type MendedHeif, mendHeif } from '../heif/mend.ts';
import { mendedGif } from '../mend-gif.ts';
import { inspectJpeg } from './jpeg.ts';
import { hasOverlookedOrientation, withoutOverlookedOrientation } from './orientation.ts';
import { withAnnouncedAlpha } from './webp.ts';

/** Input that libvips decodes as the image of a file. */
export interface Source {
  /** The file, or a corrected copy in memory. */
  input: string | Buffer;
  /** Header of the input, without a profile that does not match its pixels. */
  header: Metadata;
  options: Pick<SharpOptions, 'failOn' | 'ignoreIcc'>;
  /** Colour space to decode into, if it matters. With one, sharp does not shrink on load. */
  space?: string | undefined;
  /** Pending corrections of the samples of an AVIF. */
  heif: Omit<MendedHeif, 'source'>;
}

/** Colour spaces of pixels, as sharp names them, by the name in their profile. Source: ICC.1:2022, 7.2.6. */
const PROFILE_SPACES: Readonly<Record<string, string>> = {
  srgb: 'RGB ',
  rgb16: 'RGB ',
  'b-w': 'GRAY',
  grey16: 'GRAY',
  cmyk: 'CMYK',
};
const PROFILE_SPACE = 16;
/** Formats whose orientation is that of EXIF. */
const TURNED_BY_EXIF: readonly string[] = ['jpeg', 'png', 'webp'];

/**
 * Corrects what libvips shows differently than browsers. Reads little of most files, and a GIF entirely.
 * @param page 1 is the first one
 */
export async function sourceOf(file: string | Buffer, header: Metadata, page: number): Promise<Source> {
  const source = await upright(
    await corrected({ input: file, header, options: STRICTNESS, heif: { faults: NO_FAULTS } }, page),
    page,
  );
  return profiled(source);
}

async function corrected(plain: Source, page: number): Promise<Source> {
  const { input, header } = plain;
  if (header.format === 'heif') {
    const { source, ...heif } = await mendHeif(input);
    return { ...plain, input: source, heif };
  }
  if (typeof input !== 'string') return plain;
  if (header.format === 'gif') return copied(plain, mendedGif(await readFile(input)), page);
  if (header.format === 'webp') {
    const source = header.hasAlpha ? plain : await copied(plain, await withAnnouncedAlpha(input), page);
    // The decoder would mix hidden colours into visible ones.
    return source.header.hasAlpha ? { ...source, space: header.space } : source;
  }
  if (header.format !== 'jpeg') return plain;
  const { isLossless, completed } = await inspectJpeg(input);
  // When shrinking, the decoder would truncate a lossless JPEG and not report missing pixels. A CMYK profile is ignored
  // in its own space.
  const isWhole = isLossless || (completed && header.space !== 'cmyk');
  const source = isWhole ? { ...plain, space: header.space } : plain;
  // Missing coded pixels also cause a warning.
  return completed ? { ...source, input: completed, options: { failOn: 'warning' } } : source;
}

/** Drops orientations that browsers ignore. */
async function upright(source: Source, page: number): Promise<Source> {
  const { input, header } = source;
  const { exif, orientation = 1, format } = header;
  if (!exif || orientation === 1 || !TURNED_BY_EXIF.includes(format)) return source;
  if (!hasOverlookedOrientation(exif)) return source;
  const bytes = typeof input === 'string' ? await readFile(input) : input;
  return copied(source, withoutOverlookedOrientation(bytes, exif), page);
}

async function copied(source: Source, input: Buffer | undefined, page: number): Promise<Source> {
  if (!input) return source;
  const header = await sharp(input, { limitInputPixels: false, ...pageOption(page), ...STRICTNESS }).metadata();
  return { ...source, input, header };
}

/** Drops a profile for pixels of another kind. */
function profiled(source: Source): Source {
  const { icc, ...header } = source.header;
  const space = PROFILE_SPACES[header.space];
  const own = icc?.toString('latin1', PROFILE_SPACE, PROFILE_SPACE + 4);
  if (!space || own === undefined || own === space) return source;
  // Browsers convert grey JPEG to RGB before they apply the profile.
  const isGreyAsRgb = header.format === 'jpeg' && header.space === 'b-w' && own === PROFILE_SPACES.srgb;
  if (isGreyAsRgb) return { ...source, header: { ...source.header, space: 'srgb' }, space: 'srgb' };
  return { ...source, header, options: { ...source.options, ignoreIcc: true } };
}
