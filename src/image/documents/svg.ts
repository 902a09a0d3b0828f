import { readFile, stat } from 'node:fs/promises';
import { UndecodableImage } from '@darkroom/image-files/undecodable-image';
import sharp, { type Sharp } from 'sharp';
import { svgStart } from '../../media/svg-start.ts';
import { roundSize, type Size } from '../layout/geometry.ts';
import { closeLoader, openLoader } from '../loaders.ts';
import type { OpenDocument } from './open-document.ts';
import { naturalSizeOf, readSvgRoot, withRootSize } from './svg-root.ts';

const MAX_MEGABYTES = 10;
/**
 * Always this one: librsvg takes it for lengths in millimetres and points, anywhere in a file, while libvips draws
 * larger with it. So the size is set at the root instead.
 */
const DENSITY = 96;
/** Dots per inch at which a CSS pixel is one pixel of libvips. */
const UNSCALED_DENSITY = 72;
/** Of cairo. */
const MAX_SIDE = 32_767;
/** libvips knows SVG by this text, which a prefix of namespaces would hide. */
const MARK = '<!--<svg-->';
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
  const text = elementOf(await readFile(file));
  const root = readSvgRoot(text);
  const exact = naturalSizeOf(root) ?? (await measuredSize(text));
  const natural = roundSize(exact);
  if (Math.max(natural.width, natural.height) > MAX_SIDE) {
    throw new UndecodableImage(`The SVG is ${natural.width} x ${natural.height}; its sides may have ${MAX_SIDE}.`);
  }
  const draw = (size: Size) => {
    const scaled = { width: size.width * CSS_PIXELS, height: size.height * CSS_PIXELS };
    return drawSvg(withRootSize(text, root, exact, scaled), size);
  };
  return { natural, count: 1, draw };
}

/** CSS pixels of a pixel that libvips draws. */
const CSS_PIXELS = UNSCALED_DENSITY / DENSITY;

/** The size of an SVG whose root does not say it: that of its content. */
async function measuredSize(text: string): Promise<Size> {
  const { width, height } = await withLoader(() => open(text).metadata());
  return { width: width * CSS_PIXELS, height: height * CSS_PIXELS };
}

/** @param size declared by its root; a file that contradicts itself must not exceed it */
function drawSvg(text: string, size: Size) {
  return withLoader(async () => {
    const drawn = open(text, size.width * size.height)
      .toColourspace('srgb')
      .ensureAlpha()
      .raw({ depth: 'uchar' });
    const { data, info } = await drawn.toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height, channels: 4 } as const;
  });
}

function open(text: string, limitInputPixels: number | false = false): Sharp {
  return sharp(Buffer.from(MARK + text), { density: DENSITY, limitInputPixels, failOn: 'error' });
}

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
 * The element of an SVG alone: without document type and instructions, which name other files.
 * @throws UndecodableImage also for entities, which multiply what is written, and can name other files too
 */
function elementOf(bytes: Buffer): string {
  const declared = bytes.toString('latin1', 0, DECLARATION_LENGTH);
  const [, encoding = 'utf-8'] = DECLARATION.exec(declared) ?? [];
  if (!ENCODINGS.includes(encoding.toLowerCase())) {
    throw new UndecodableImage(`The SVG is not written in one of ${ENCODINGS.join(', ')}.`);
  }
  const text = new TextDecoder(encoding).decode(bytes);
  if (text.includes('<!ENTITY')) throw new UndecodableImage('The SVG declares entities, which are not read.');
  const start = svgStart(text);
  if (start === undefined) throw new UndecodableImage('The file does not begin with the element of an SVG.');
  return text.slice(start);
}
