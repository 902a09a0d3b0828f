import { framed, type TextStyle } from '../layers/text-style.ts';
import { megapixelsOf, type Size } from '../layout/geometry.ts';

/** Of a font, in its size: how far a letter advances, and how high a line is. */
const ADVANCE = 0.55;
const LINE_HEIGHT = 1.36;
/** Milliseconds of CPU time. Emoji and rare scripts take several times as much as Latin letters. */
const TEXT_MS = 1;
const LETTER_MS = 0.03;
/** For each megapixel: letters that are set, their outline, and the box behind them. */
const LETTERS = 12;
const OUTLINE = 85;
const BOX = 12;

/** CPU time to paint a text, in ms. It knows neither fonts nor widths of letters. */
export function textMs(style: TextStyle): number {
  const { text, outline, box } = style;
  const megapixels = megapixelsOf(likelySize(style));
  return TEXT_MS + LETTER_MS * text.length + megapixels * (LETTERS + (outline ? OUTLINE : 0) + (box ? BOX : 0));
}

/** About the size of a text with its outline and its box. */
export function likelySize({
  text,
  size,
  wrapWidth = Number.POSITIVE_INFINITY,
  lineHeight,
  outline,
  box,
}: TextStyle): Size {
  let width = 0;
  let height = 0;
  for (const line of text.split('\n')) {
    const advance = [...line].length * size * ADVANCE;
    width = Math.max(width, Math.min(advance, wrapWidth));
    height += Math.max(1, Math.ceil(advance / Math.max(wrapWidth, size))) * size * (lineHeight ?? LINE_HEIGHT);
  }
  return framed({ width, height }, { outline, box });
}
