import type { Colour } from '../../transformation/syntax.ts';
import { LimitExceeded } from '../failure.ts';
import type { Radius } from '../layout/corners.ts';
import type { Padding, Size } from '../layout/geometry.ts';

/** A text and how it is set. Lengths are pixels. */
export interface TextStyle {
  /** `\n` begins a new line. */
  text: string;
  family: string;
  /** The size of the font. */
  size: number;
  /** 100 to 900; 400 is regular, 700 bold. */
  weight: number;
  isItalic: boolean;
  colour: Colour;
  /** Lines end before they are wider; a word that is wider itself is broken. Without it only `\n` ends a line. */
  wrapWidth?: number | undefined;
  /** Of the lines to each other. In a script that is written from right to left, `left` and `right` change sides. */
  align: 'left' | 'center' | 'right';
  /** From line to line, in sizes of the font. Without it each font has its own. */
  lineHeight?: number | undefined;
  outline?: Outline | undefined;
  /** Painted behind the text and its outline. */
  box?: Box | undefined;
}

export interface Outline {
  /** Width beyond the letters. */
  width: number;
  colour: Colour;
}

export interface Box {
  colour: Colour;
  padding: Padding;
  radius: Radius;
}

export const MAX_CHARACTERS = 500;
/** Characters times the square of their size: about the pixels that they cover. */
const MAX_CHARACTER_PIXELS = 25e6;

/**
 * For each pixel of a text: its letters, and the canvas that these are painted on. Measured with 500 characters of 223
 * px, 32 MP.
 */
const PAINTED_BYTES = 10;
/** For each pixel more: coverage, distances and the painted outline. */
const OUTLINED_BYTES = 10;

/** In sizes of the font. No shipped font has more, but for some ligatures. */
const LINE_HEIGHT = 1.6;
/** A mark above or below a letter. They are stacked. */
const MARK_HEIGHT = 0.3;
const WIDE_ADVANCE = 12;

/**
 * Bounds a text before it is set.
 * @throws LimitExceeded that names both limits
 */
export function checkText({ text, size }: Pick<TextStyle, 'text' | 'size'>): void {
  const characters = countCharacters(text);
  const area = characters * size ** 2;
  if (characters <= MAX_CHARACTERS && area <= MAX_CHARACTER_PIXELS) return;
  throw new LimitExceeded(
    `A text may have ${MAX_CHARACTERS} characters, and characters times the square of their size may be ${MAX_CHARACTER_PIXELS}; this one has ${characters} characters of ${size} px (${area}).`,
  );
}

/** Code points: what is seen as one letter or emoji may be several. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** An upper bound of the memory for painting a text, without reading a font. */
export function textMegabytes(style: TextStyle): number {
  const { width, height } = roughSize(style);
  return (width * height * (PAINTED_BYTES + (style.outline ? OUTLINED_BYTES : 0))) / 1e6;
}

/** At least the size of a text, its outline and its box, as if every letter were as wide as high. */
function roughSize({
  text,
  size,
  wrapWidth = Number.POSITIVE_INFINITY,
  lineHeight = 0,
  outline,
  box,
}: TextStyle): Size {
  let width = 0;
  let height = 0;
  for (const line of text.split(LINE_BREAKS)) {
    const letters = countCharacters(line);
    const wide = line.match(WIDE)?.length ?? 0;
    const marks = line.match(MARKS)?.length ?? 0;
    const advance = size * (letters + wide * (WIDE_ADVANCE - 1));
    // A line is never less than full by more than a letter that did not fit.
    const full = Math.max(wrapWidth - size, size);
    width = Math.max(width, Math.min(advance, Math.max(wrapWidth, size * (wide > 0 ? WIDE_ADVANCE : 1))));
    height += Math.ceil(advance / full || 1) * size * Math.max(LINE_HEIGHT, lineHeight) + marks * size * MARK_HEIGHT;
  }
  return framed({ width, height }, { outline, box });
}

/** The size of letters with their outline and the padding of their box. */
export function framed({ width, height }: Size, { outline, box }: Pick<TextStyle, 'outline' | 'box'>): Size {
  const margin = 2 * (outline?.width ?? 0);
  const { top = 0, right = 0, bottom = 0, left = 0 } = box?.padding ?? {};
  return { width: width + margin + left + right, height: height + margin + top + bottom };
}

const LINE_BREAKS = /[\n\u2028\u2029]/;
const MARKS = /\p{M}/gu;
/** Dashes of two and three letters, and sentences that are one letter. */
const WIDE = /[\u2e3a\u2e3b\ufdfa-\ufdfd]/g;
