/**
 * Characters that terminals obey, that reorder or hide the text around them, or that begin another line: controls,
 * format characters (bidirectional overrides, zero-width ones), separators, tags and unpaired surrogates.
 */
const OBEYED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{e0000}-\u{e0fff}]/gu;

/**
 * Writes a text in one line, with visible escapes: `\x1b`, `\u202e`. For all text from a server, a file or an argument.
 */
export function plain(text: string): string {
  return text.replace(OBEYED, escaped);
}

/** Writes a text of several lines; line breaks are our own. @see plain */
export function plainLines(text: string): string {
  return text.split('\n').map(plain).join('\n');
}

/** Writes JSON without any of these characters; it parses to the same value. */
export function jsonText(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  const text = JSON.stringify(value, replacer) ?? 'null';
  return text.replace(OBEYED, (found) => Array.from({ length: found.length }, (_, at) => unit(found, at)).join(''));
}

/** Quotes a received text in a message. */
export function quote(received: string): string {
  return jsonText(received);
}

function escaped(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x1_0000 ? unit(found, 0) : `\\u{${code.toString(16)}}`;
}

function unit(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
}
