import type { Size } from '../layout/geometry.ts';

/** The start tag of an SVG, whose attributes decide the size of the image. */
export interface SvgRoot {
  /** Position after the element's name. */
  nameEnd: number;
  attributes: ReadonlyMap<string, Attribute>;
}

interface Attribute {
  value: string;
  /** Position of the value in the text. */
  start: number;
}

/** Pixels of one unit (CSS Values and Units Level 4, 6.2). */
const PIXELS: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
  pt: 96 / 72,
  pc: 16,
};
/**
 * Font sizes of one unit (the same, 6.1). The letters of the font are not known, so some are as CSS takes them then.
 */
const FONT_SIZES: Readonly<Record<string, number>> = { em: 1, rem: 1, ex: 0.5, ch: 0.5 };
const LENGTH = /^\+?(\d{0,20}\.?\d{0,20})(e[+-]?\d{1,3})?([a-z]{0,3})$/i;
const LONGEST_LENGTH = 40;
const LONGEST_VIEW_BOX = 200;
const LONGEST_STYLE = 2000;
const ATTRIBUTE = /\s+([^\s=/>"'<]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
/** librsvg begins with 12 pixels, browsers with 16. */
const INITIAL_FONT_SIZE = '16px';
/** The shorthand is no length, so it counts as a font size that cannot be read. */
const FONT_PROPERTIES = ['font-size', 'font'];

/** Reads the start tag at the beginning of a text, as far as it is well formed. */
export function readSvgRoot(text: string): SvgRoot {
  const nameEnd = /^<[^\s/>]*/.exec(text)?.[0].length ?? 0;
  const attributes = new Map<string, Attribute>();
  ATTRIBUTE.lastIndex = nameEnd;
  for (let found = ATTRIBUTE.exec(text); found; found = ATTRIBUTE.exec(text)) {
    const [, name = '', double, single = ''] = found;
    const value = double ?? single;
    attributes.set(name, { value, start: ATTRIBUTE.lastIndex - 1 - value.length });
  }
  return { nameEnd, attributes };
}

/**
 * The size that an SVG has of itself, in CSS pixels (CSS Images Level 3, 5.2), by its attributes: browsers overlook its
 * styles. Undefined where these do not give it. A missing side follows from the ratio of the view box, and without any
 * the view box is the size.
 */
export function naturalSizeOf({ attributes }: SvgRoot): Size | undefined {
  const sides = [attributes.get('width')?.value, attributes.get('height')?.value];
  const fontSize = sides.some(isByFont) ? fontSizeOf(attributes) : undefined;
  // It depends on rules or on keywords for sizes, which are left to the renderer.
  if (sides.some(isByFont) && fontSize === undefined) return undefined;
  const [width, height] = sides.map((side) => pixelsOf(side, fontSize));
  if (width && height) return { width, height };
  const box = viewBoxOf(attributes.get('viewBox')?.value);
  if (!box) return undefined;
  if (width) return { width, height: (width * box.height) / box.width };
  if (height) return { width: (height * box.width) / box.height, height };
  return box;
}

/**
 * The same SVG with another size of its root, which scales everything in it, also where it had no view box.
 * @param natural its size in CSS pixels
 * @param size the new one, in CSS pixels
 */
export function withRootSize(text: string, root: SvgRoot, natural: Size, size: Size): string {
  const box = root.attributes.get('viewBox')?.value;
  const font = root.attributes.get('font-size')?.value;
  const style = root.attributes.get('style')?.value ?? '';
  const forced = `width:${size.width}px!important;height:${size.height}px!important`;
  const values = {
    // Twice: of two important declarations the later one wins, and a style that is not well formed may hide what
    // follows it.
    style: `${forced};${style};${forced}`,
    viewBox: viewBoxOf(box) ? box : `0 0 ${natural.width} ${natural.height}`,
    'font-size': font ?? INITIAL_FONT_SIZE,
  };
  let tag = text.slice(0, root.nameEnd);
  let at = root.nameEnd;
  for (const [name, value] of Object.entries(values)) if (!root.attributes.has(name)) tag += ` ${name}="${value}"`;
  for (const [name, { value, start }] of root.attributes) {
    tag += text.slice(at, start) + (values[name as keyof typeof values] ?? value);
    at = start + value.length;
  }
  return tag + text.slice(at);
}

/** Undefined for percentages and `auto`, which depend on where the image is shown, and for no length at all. */
function pixelsOf(length: string | undefined, fontSize = Number.NaN): number | undefined {
  const { number = Number.NaN, unit = '' } = lengthOf(length) ?? {};
  const pixels = number * (PIXELS[unit] ?? (FONT_SIZES[unit] ?? Number.NaN) * fontSize);
  return pixels > 0 && Number.isFinite(pixels) ? pixels : undefined;
}

function lengthOf(text: string | undefined): { number: number; unit: string } | undefined {
  if (text === undefined || text.length > LONGEST_LENGTH) return undefined;
  const [found, digits, exponent = '', unit = ''] = LENGTH.exec(text.trim()) ?? [];
  return found === undefined ? undefined : { number: Number(`${digits}${exponent}`), unit: unit.toLowerCase() };
}

const isByFont = (side: string | undefined) => Object.hasOwn(FONT_SIZES, lengthOf(side)?.unit ?? '');

/** The one of the root itself; a style wins over an attribute. Undefined where it is no absolute length. */
function fontSizeOf(attributes: SvgRoot['attributes']): number | undefined {
  const style = attributes.get('style')?.value.slice(0, LONGEST_STYLE) ?? '';
  const declarations = style.split(';').map((declaration) => declaration.split(':'));
  const own = declarations.findLast(([name = '']) => FONT_PROPERTIES.includes(name.trim().toLowerCase()));
  return pixelsOf(own?.[1]?.replace(/!\s*important/i, '') ?? attributes.get('font-size')?.value ?? INITIAL_FONT_SIZE);
}

function viewBoxOf(text: string | undefined): Size | undefined {
  if (text === undefined || text.length > LONGEST_VIEW_BOX) return undefined;
  const numbers = text.trim().split(/[\s,]+/);
  const [width = 0, height = 0] = numbers.slice(2).map(Number);
  return numbers.length === 4 && width > 0 && height > 0 ? { width, height } : undefined;
}
