import type { TextStyle } from './style.ts';

/** Pango counts sizes in this part of a point, and a point is a pixel here. */
const UNITS = 1024;

/**
 * A text in Pango's markup. Nothing in it is read as markup itself. Source: Pango's reference, "Text Attribute Markup".
 */
export function markupOf({ text, family, size, weight, isItalic, colour, lineHeight }: TextStyle): string {
  const attributes = {
    font_family: family,
    size: String(Math.round(size * UNITS)),
    weight: String(weight),
    style: isItalic ? 'italic' : 'normal',
    foreground: `#${Buffer.from([colour.red, colour.green, colour.blue]).toString('hex')}`,
    // Where a word is broken because it is too long, it has no hyphen.
    insert_hyphens: 'false',
    // As a whole number it is absolute, as a fraction it would be relative to what each font says.
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
