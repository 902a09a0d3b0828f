/** Characters that end a line or are invisible: controls, separators and bidirectional controls. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Escapes a text for a quoted attribute in HTML, JSX and Vue. Braces are escaped too, because templates evaluate them.
 */
export function attributeText(text: string): string {
  return text
    .replaceAll('\0', '')
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replace(/[{}]/g, reference)
    .replace(UNSEEN, reference);
}

/** Escapes a text for Markdown, in one line. */
export function markdownText(text: string): string {
  return text
    .replaceAll('\0', '')
    .replace(/\s+/g, ' ')
    .replace(/[!-/:-@[-`{-~]/g, (sign) => `\\${sign}`)
    .replace(UNSEEN, reference);
}

/** Encodes brackets and quotation marks of a URL, so that it can be embedded. It stays equivalent. */
export function boundedUrl(url: string): string {
  return url.replace(/['()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

function reference(sign: string): string {
  return `&#${sign.codePointAt(0)};`;
}
