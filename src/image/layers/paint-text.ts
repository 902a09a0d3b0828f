import sharp from 'sharp';
import { LimitExceeded } from '../failure.ts';
import { cornersOf, shareOutside } from '../layout/corners.ts';
import type { Point } from '../layout/geometry.ts';
import type { HeldImage } from '../step.ts';
import { paintOver } from './paint.ts';
import { dilate } from './text-outline.ts';
import { type Box, checkText, framed, type Outline, type TextStyle } from './text-style.ts';

/** An image with alpha. */
type Painted = HeldImage & { channels: 4 };

/** One point is one pixel. */
const DOTS_PER_INCH = 72;

/** Of a side, where letters are painted. */
const MAX_SIDE = 32_767;

/**
 * Paints a text: as large as its letters with their outline, and its box. A text without any ink is one transparent
 * pixel. The fonts are those of the process: see `render/fonts.ts`.
 * @throws LimitExceeded when it is too long or too large
 */
export async function paintText(style: TextStyle): Promise<Painted> {
  checkText(style);
  const letters = await paintLetters(style);
  const { colour, outline, box } = style;
  if (!outline && !box && colour.alpha === 255) return letters;
  const margin = outline?.width ?? 0;
  const { top = 0, left = 0 } = box?.padding ?? {};
  const size = framed(letters, style);
  const canvas: Painted = { ...size, channels: 4, data: Buffer.alloc(size.width * size.height * 4) };
  if (box) paintBox(canvas, box);
  if (outline) paintOutline(canvas, letters, outline, { left, top });
  const at = { left: left + margin, top: top + margin };
  paintOver(canvas, { image: letters, at, opacity: colour.alpha / 255, blend: 'normal' });
  return canvas;
}

/** The letters in their colour, but opaque. */
async function paintLetters(style: TextStyle): Promise<Painted> {
  const { align, wrapWidth } = style;
  const text = { text: markupOf(style), rgba: true, dpi: DOTS_PER_INCH, align, wrap: 'word-char' as const };
  try {
    const image = sharp({ text: { ...text, ...(wrapWidth !== undefined && { width: wrapWidth }) } });
    const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height, channels: 4 };
  } catch (error) {
    const { message } = error as Error;
    if (message.includes('no text to render')) return { data: Buffer.alloc(4), width: 1, height: 1, channels: 4 };
    if (!message.includes('too big')) throw error;
    throw new LimitExceeded(`The text would be wider or higher than ${MAX_SIDE} pixels.`);
  }
}

/** Covers an empty image, but for its corners. */
function paintBox(canvas: Painted, { colour, radius }: Box): void {
  const { red, green, blue, alpha } = colour;
  canvas.data.fill(Buffer.from([red, green, blue, alpha]));
  for (const corner of cornersOf(radius, canvas)) {
    for (let row = 0; row < corner.radiusY; row++) {
      const y = corner.isBottom ? canvas.height - 1 - row : row;
      for (let column = 0; column < corner.radiusX; column++) {
        const share = 1 - shareOutside(corner, column + 0.5, row + 0.5);
        if (share === 1) break;
        const x = corner.isRight ? canvas.width - 1 - column : column;
        canvas.data[(y * canvas.width + x) * 4 + 3] = Math.round(alpha * share);
      }
    }
  }
}

/** Puts the outline over the box, if there is one, and under the letters. @param at where it begins */
function paintOutline(canvas: Painted, letters: Painted, { width, colour }: Outline, at: Point): void {
  const { red, green, blue, alpha } = colour;
  const size = { width: letters.width + 2 * width, height: letters.height + 2 * width };
  const coverage = dilate(alphaOf(letters), letters, width);
  const data = Buffer.alloc(coverage.length * 4, Buffer.from([red, green, blue, 0]));
  for (let from = 0, to = 3; from < coverage.length; from++, to += 4) data[to] = coverage[from] as number;
  paintOver(canvas, { image: { ...size, channels: 4, data }, at, opacity: alpha / 255, blend: 'normal' });
}

function alphaOf({ data }: Painted): Uint8Array {
  const alpha = new Uint8Array(data.length / 4);
  for (let n = 0; n < alpha.length; n++) alpha[n] = data[n * 4 + 3] as number;
  return alpha;
}

/** Pango counts sizes in this part of a point, and a point is a pixel here. */
const UNITS = 1024;

/**
 * A text in Pango's markup. Nothing in it is read as markup itself. Source: Pango's reference, "Text Attribute Markup".
 */
function markupOf({ text, family, size, weight, isItalic, colour, lineHeight }: TextStyle): string {
  const attributes = {
    font_family: family,
    size: String(Math.round(size * UNITS)),
    weight: String(weight),
    style: isItalic ? 'italic' : 'normal',
    foreground: `#${Buffer.from([colour.red, colour.green, colour.blue]).toString('hex')}`,
    // A word that is broken because of its length has no hyphen.
    insert_hyphens: 'false',
    // An integer is absolute, a fraction would be relative to the line height of each font.
    ...(lineHeight !== undefined && { line_height: String(Math.round(lineHeight * size * UNITS)) }),
  };
  const written = Object.entries(attributes).map(([name, value]) => `${name}="${escaped(value)}"`);
  return `<span ${written.join(' ')}>${escaped(text)}</span>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Half of a surrogate pair becomes the replacement character, as it would in UTF-8. */
function escaped(text: string): string {
  return text.toWellFormed().replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
}
