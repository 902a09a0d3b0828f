import type { Rights } from './rights.ts';
import { DUBLIN_CORE } from './xmp.ts';

/** Bytes of a written property. Two of them fit in a segment of a JPEG (64 KB), and `readXmpRights` reads each. */
const MAX_WRITTEN_BYTES = 16_000;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** Characters outside `Char` of XML 1.0, 2.2; lone surrogates among them. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/**
 * Returns an XMP packet that states the rights and nothing else, in UTF-8. Long texts are cut. Undefined without a
 * text. Source: XMP Specification Part 1, 7 and 8.3. Artists are separated by `; `, as in EXIF.
 */
export function writeXmp({ Copyright = '', Artist = '' }: Partial<Rights>): string | undefined {
  const rights = listItems([Copyright], ' xml:lang="x-default"');
  const creators = listItems(Artist.split('; '), '');
  if (rights === '' && creators === '') return undefined;
  return [
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    `<rdf:Description rdf:about="" xmlns:dc="${DUBLIN_CORE}">`,
    rights && `<dc:rights><rdf:Alt>${rights}</rdf:Alt></dc:rights>`,
    creators && `<dc:creator><rdf:Seq>${creators}</rdf:Seq></dc:creator>`,
    '</rdf:Description></rdf:RDF></x:xmpmeta>',
  ].join('');
}

function listItems(texts: readonly string[], attribute: string): string {
  let items = '';
  let bytes = 0;
  for (const text of texts) {
    const start = `<rdf:li${attribute}>`;
    const end = '</rdf:li>';
    const content = escapedText(text, MAX_WRITTEN_BYTES - bytes - start.length - end.length);
    if (content === '') continue;
    items += start + content + end;
    bytes += start.length + Buffer.byteLength(content) + end.length;
  }
  return items;
}

/** Escapes as much of a text as fits in a number of bytes. */
function escapedText(text: string, maxBytes: number): string {
  let escaped = '';
  let bytes = 0;
  for (const character of text.replace(FORBIDDEN, '').trim()) {
    const next = ESCAPES[character] ?? character;
    bytes += Buffer.byteLength(next);
    if (bytes > maxBytes) break;
    escaped += next;
  }
  return escaped;
}
