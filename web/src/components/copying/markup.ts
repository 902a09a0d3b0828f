/** What ends a line, also that of a comment in code, or is not seen: line breaks, controls, separators and bidirectional controls. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Writes a text as the value of an attribute in quotation marks: in HTML, JSX and Vue it reads as the same. Braces are written as
 * references too, because templates fill them in.
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

/** Writes a text for Markdown, in one line. */
export function markdownText(text: string): string {
  return text
    .replaceAll('\0', '')
    .replace(/\s+/g, ' ')
    .replace(/[!-/:-@[-`{-~]/g, (sign) => `\\${sign}`)
    .replace(UNSEEN, reference);
}

/** Writes a URL so that no bracket or quotation mark of it ends what stands around it. It leads to the same. */
export function boundedUrl(url: string): string {
  return url.replace(/['()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

function reference(sign: string): string {
  return `&#${sign.codePointAt(0)};`;
}
