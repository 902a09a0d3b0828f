import { readFile, stat } from 'node:fs/promises';
import sharp from 'sharp';
import { svgStart } from '../../media/svg-start.ts';
import { UndecodableImage } from '../failure.ts';
import { closeLoader, openLoader } from '../loaders.ts';
import type { OpenDocument } from './open-document.ts';

const MAX_MEGABYTES = 10;
/** A pixel of CSS is one of the picture. */
const DENSITY = 72;
/** Of sharp. */
const LEAST_DENSITY = 1;
/** Of cairo. */
const MAX_SIDE = 32_767;
const ENCODINGS = ['utf-8', 'us-ascii', 'iso-8859-1', 'iso-8859-15', 'windows-1252'];
const DECLARATION_LENGTH = 200;
const DECLARATION = /^[^<]{0,99}<\?xml\s[^>]{0,99}encoding\s?=\s?["']([\w-]{1,40})/i;

/**
 * An SVG file, drawn by librsvg from memory: of a file that it knows the name of it would read the neighbours.
 * @throws UndecodableImage
 */
export async function openSvg(file: string): Promise<OpenDocument> {
  const { size } = await stat(file);
  if (size > MAX_MEGABYTES * 1024 * 1024) throw new UndecodableImage(`The SVG has more than ${MAX_MEGABYTES} MB.`);
  const bytes = elementOf(await readFile(file));
  const { width, height } = await withLoader(() => sharp(bytes, optionsFor(DENSITY)).metadata());
  if (Math.max(width, height) > MAX_SIDE) {
    throw new UndecodableImage(`The SVG is ${width} x ${height}; its sides may have ${MAX_SIDE}.`);
  }
  const natural = { width, height };
  return {
    natural,
    count: 1,
    draw: (size) =>
      withLoader(async () => {
        const density = DENSITY * Math.max(size.width / width, size.height / height);
        const drawn = sharp(bytes, optionsFor(Math.max(LEAST_DENSITY, density)))
          .toColourspace('srgb')
          .ensureAlpha()
          .raw({ depth: 'uchar' });
        const { data, info } = await drawn.toBuffer({ resolveWithObject: true });
        return { data, width: info.width, height: info.height, channels: 4 };
      }),
  };
}

const optionsFor = (density: number) => ({ density, limitInputPixels: false, failOn: 'error' }) as const;

async function withLoader<T>(work: () => Promise<T>): Promise<T> {
  openLoader('svg');
  try {
    return await work();
  } catch (cause) {
    throw new UndecodableImage('The file cannot be read as an SVG.', { cause });
  } finally {
    closeLoader('svg');
  }
}

/**
 * The element of an SVG alone, in UTF-8: without document type and instructions, which name other files.
 * @throws UndecodableImage also for entities, which multiply what is written, and can name other files too
 */
function elementOf(bytes: Buffer): Buffer {
  const declared = bytes.toString('latin1', 0, DECLARATION_LENGTH);
  const [, encoding = 'utf-8'] = DECLARATION.exec(declared) ?? [];
  if (!ENCODINGS.includes(encoding.toLowerCase())) {
    throw new UndecodableImage(`The SVG is not written in one of ${ENCODINGS.join(', ')}.`);
  }
  const text = new TextDecoder(encoding).decode(bytes);
  if (text.includes('<!ENTITY')) throw new UndecodableImage('The SVG declares entities, which are not read.');
  const start = svgStart(text);
  if (start === undefined) throw new UndecodableImage('The file does not begin with the element of an SVG.');
  return Buffer.from(text.slice(start));
}
