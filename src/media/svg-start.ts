/** What may stand before the first element: its start and its end. */
const PROLOGUE = [
  ['<?', '?>'],
  ['<!--', '-->'],
] as const;
const DOCTYPE = '<!DOCTYPE';
/** Namespaces may give the element a prefix of any name. */
const ELEMENT = /^<(?:[^\s<>/:="'!?]{1,40}:)?svg[\s/>]/;
const ELEMENT_LENGTH = 60;

/**
 * True for SVG: text in UTF-8 whose first element has that name, with or without a prefix.
 * @param head the first bytes of the file; what stands before the element has to end within them
 */
export function startsSvg(head: Uint8Array): boolean {
  return svgStart(new TextDecoder().decode(head)) !== undefined;
}

/** Where the first element of a text begins, if it is that of SVG. */
export function svgStart(text: string): number | undefined {
  let at = firstOf(text, 0);
  for (let next = skip(text, at); next !== undefined; next = skip(text, at)) at = firstOf(text, next);
  return ELEMENT.test(text.slice(at, at + ELEMENT_LENGTH)) ? at : undefined;
}

/** The place after what stands before the first element; undefined where that is not what stands there. */
function skip(text: string, at: number): number | undefined {
  for (const [start, end] of PROLOGUE) if (text.startsWith(start, at)) return after(text, end, at + start.length);
  if (!text.startsWith(DOCTYPE, at)) return undefined;
  const [bracket, close] = [text.indexOf('[', at), text.indexOf('>', at)];
  if (bracket < 0 || bracket > close) return close < 0 ? undefined : close + 1;
  const end = text.indexOf(']', bracket);
  return end < 0 ? undefined : after(text, '>', end);
}

function after(text: string, end: string, from: number): number | undefined {
  const at = text.indexOf(end, from);
  return at < 0 ? undefined : at + end.length;
}

/** The first place that is no white space. */
function firstOf(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return at;
}
