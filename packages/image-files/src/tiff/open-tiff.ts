import { readFrom } from '../boxes.ts';
import { checkSize, type DecodedImage, type DecodeLimits } from '../decoded-image.ts';
import { UndecodableImage } from '../undecodable-image.ts';
import { toImage } from './colours.ts';
import { bytesOfTag, countDirectories, readDirectory, TAGS, valuesOf } from './directory.ts';
import { MAX_CHANNELS, readLayout } from './layout.ts';
import { measureChunks } from './measure.ts';
import { readPlanes } from './planes.ts';
import { readerOf } from './reader.ts';

/** A page of a TIFF that libvips cannot read, or would show wrong. */
export interface OwnPage {
  image: DecodedImage;
  /** Pages of the file. */
  count: number;
  /** Cost of decoding it, in pixels of a page in one chunk. */
  pixels: number;
}

/**
 * Decodes a page that libvips cannot; undefined for all others, of which only the tags are read.
 * @throws UndecodableImage for a page that neither reads correctly, and the errors of `checkSize`
 */
export function decodeOwnPage(file: string, page: number, limits: DecodeLimits): Promise<OwnPage | undefined> {
  return readFrom(file, async (read) => {
    const directory = await readDirectory(read, page);
    if (!directory) return undefined;
    const layout = await readLayout(read, directory);
    if (readerOf(layout, directory.fields.has(TAGS.icc)) === 'libvips') return undefined;
    const { width, height, channels } = layout;
    if (channels > MAX_CHANNELS) throw new UndecodableImage(`The TIFF has ${channels} channels.`);
    checkSize(width, height, { megapixels: limits.megapixels });
    const { count, pixels, bytes } = measureChunks(layout);
    limits.admit?.(pixels, bytes / pixels);
    const planes = await readPlanes(read, directory, layout, count);
    const palette = await valuesOf(read, directory, 'colourMap', 3 * 2 ** layout.bits);
    const icc = await bytesOfTag(read, directory, 'icc');
    return { image: toImage(layout, planes, { palette, icc }), count: await countDirectories(read), pixels };
  });
}

/**
 * Counts the pages of a file; 0 if even its first directory is unreadable.
 * @throws UndecodableImage for damaged directories
 */
export function countTiffPages(file: string): Promise<number> {
  return readFrom(file, countDirectories);
}
