/** Constructs that may precede the first element, by start and end. */
const PROLOGUE = [
  ['<?', '?>'],
  ['<!--', '-->'],
] as const;
const DOCTYPE = '<!DOCTYPE';
/** The namespace prefix of the element can be any name. */
const ELEMENT = /^<(?:[^\s<>/:="'!?]{1,40}:)?svg[\s/>]/;
const ELEMENT_LENGTH = 60;

/**
 * True for SVG: UTF-8 text whose first element is `svg`, with or without a prefix.
 * @param head first bytes of the file; everything before the element has to end within them
 */
export function startsSvg(head: Uint8Array): boolean {
  return svgStart(new TextDecoder().decode(head)) !== undefined;
}

/** Returns the position of the first element if it is `svg`. */
export function svgStart(text: string): number | undefined {
  let at = firstOf(text, 0);
  for (let next = skip(text, at); next !== undefined; next = skip(text, at)) at = firstOf(text, next);
  return ELEMENT.test(text.slice(at, at + ELEMENT_LENGTH)) ? at : undefined;
}

/** Returns the position after a construct before the first element; undefined if there is none. */
function skip(text: string, at: number): number | undefined {
  for (const [start, end] of PROLOGUE) if (text.startsWith(start, at)) return after(text, end, at + start.length);
  if (!text.startsWith(DOCTYPE, at)) return undefined;
  const bracket = text.indexOf('[', at);
  const close = text.indexOf('>', at);
  if (bracket < 0 || bracket > close) return close < 0 ? undefined : close + 1;
  const end = text.indexOf(']', bracket);
  return end < 0 ? undefined : after(text, '>', end);
}

function after(text: string, end: string, from: number): number | undefined {
  const at = text.indexOf(end, from);
  return at < 0 ? undefined : at + end.length;
}

/** Returns the first position that is not white space. */
function firstOf(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return at;
}
