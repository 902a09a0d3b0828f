import readExif from 'exif-reader';
import type { Metadata } from 'sharp';
import { readIptc } from './iptc.ts';
import { readXmpCreators, readXmpRights } from './xmp.ts';

/** Rights holders of an image, by the names of the EXIF fields; all other metadata is dropped. */
export type Rights = Record<'Copyright' | 'Artist', string>;

/** Parts of a file that may state rights. */
export type RightsSource = Pick<Metadata, 'exif' | 'xmp' | 'iptc' | 'comments'>;

/** Keywords of the texts in a PNG (PNG 3rd edition, 11.3.3.1). */
const PNG_KEYWORDS = { Copyright: 'Copyright', Artist: 'Author' } as const;

/**
 * Returns copyright and artist of a file; undefined if it states neither. EXIF takes precedence over XMP, IPTC and the
 * texts of a PNG.
 */
export function readRights({ exif, xmp, iptc, comments }: RightsSource): Partial<Rights> | undefined {
  const { Image } = readExifBlock(exif);
  const stated = { Copyright: firstText(Image?.Copyright), Artist: firstText(Image?.Artist) };
  const packet = xmp && !(stated.Copyright && stated.Artist) ? textOf(xmp) : '';
  const fields = iptc && readIptc(iptc);
  const commented = (name: keyof Rights) => comments?.find(({ keyword }) => keyword === PNG_KEYWORDS[name])?.text;
  const Copyright = firstText(stated.Copyright, readXmpRights(packet), fields?.copyright, commented('Copyright'));
  const creators = fields?.creators.map(textOf).join('; ');
  const Artist = firstText(stated.Artist, readXmpCreators(packet), creators, commented('Artist'));
  const rights = { ...(Copyright && { Copyright }), ...(Artist && { Artist }) };
  return Object.keys(rights).length > 0 ? rights : undefined;
}

/** Returns the first text with content: cameras fill unset fields with spaces, and EXIF may have numbers instead. */
function firstText(...values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const text = typeof value === 'string' || Buffer.isBuffer(value) ? textOf(value) : '';
    if (text.trim() !== '') return text;
  }
  return undefined;
}

/** Sub-directories: camera, location and interoperability. */
const POINTERS = [0x8769, 0x8825, 0xa005];

/** A block has at most five: image, camera, location, interoperability and thumbnail. */
const MAX_DIRECTORIES = 8;

/**
 * Reads an EXIF block; empty for one that is missing or unreadable. The reader lists every value, so overlapping values
 * in a block of 64 KB would keep it busy for seconds, and in a larger one for minutes: such blocks are not read.
 */
export function readExifBlock(exif: Buffer | undefined): Partial<ReturnType<typeof readExif>> {
  if (!exif) return {};
  try {
    return claimedValues(exif) > exif.length ? {} : readExif(exif);
  } catch {
    return {};
  }
}

/** Counts the values that all directories claim; each takes at least a byte. Source: TIFF 6.0, section 2. */
function claimedValues(exif: Buffer): number {
  const start = exif.toString('latin1', 0, 4) === 'Exif' ? 6 : 0;
  const isBig = exif[start] === 0x4d;
  const short = (at: number) => (isBig ? exif.readUInt16BE(at) : exif.readUInt16LE(at));
  const long = (at: number) => (isBig ? exif.readUInt32BE(at) : exif.readUInt32LE(at));
  const directories = new Set([start + long(start + 4)]);
  let claimed = 0;
  for (const directory of directories) {
    if (directory + 2 > exif.length) continue;
    const end = directory + 2 + 12 * short(directory);
    for (let at = directory + 2; at + 12 <= Math.min(end, exif.length); at += 12) {
      claimed += long(at + 4);
      if (POINTERS.includes(short(at))) directories.add(start + long(at + 8));
    }
    // Directory of the thumbnail.
    if (end + 4 <= exif.length && long(end) > 0) directories.add(start + long(end));
    if (claimed > exif.length || directories.size > MAX_DIRECTORIES) return Number.POSITIVE_INFINITY;
  }
  return claimed;
}

/**
 * Returns EXIF text, which should be ASCII. For other text the reader returns bytes: cameras write Latin-1 (`©`),
 * programs UTF-8.
 */
export function textOf(value: string | Buffer): string {
  if (typeof value === 'string') return value;
  const utf8 = value.toString('utf8');
  return (utf8.includes('\ufffd') ? value.toString('latin1') : utf8).replace(/\0.*$/s, '');
}
