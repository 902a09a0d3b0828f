/**
 * Characters that terminals obey or readers do not see, besides the controls that JSON escapes: DEL, C1 controls,
 * format characters (bidirectional overrides, zero-width ones), separators and tags.
 */
const UNSEEN = /[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}]/gu;
const CONTROLS = /\p{Cc}/gu;

/** Writes a text in one line, with visible escapes: `\x1b`, `\u202e`. */
export function plain(text: string): string {
  return text.replace(CONTROLS, escaped).replace(UNSEEN, escaped);
}

/** Writes a text of several lines; line breaks are our own. @see plain */
export function plainLines(text: string): string {
  return text.split('\n').map(plain).join('\n');
}

/** Escapes invisible characters in a JSON text. It parses to the same value. */
export function escapeJson(json: string): string {
  return json.replace(UNSEEN, (found) => Array.from({ length: found.length }, (_, at) => unit(found, at)).join(''));
}

/** Rewrites a JSON text so that a reader sees its escapes, except tabs and line breaks. */
export function showEscapes(json: string): string {
  return escapeJson(json).replace(/\\(?:u[0-9a-f]{4}|[^u])/g, (found) =>
    /^\\(?:u|[bfr])/.test(found) ? `\\${found}` : found,
  );
}

function escaped(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x1_0000 ? unit(found, 0) : `\\u{${code.toString(16)}}`;
}

function unit(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
}
