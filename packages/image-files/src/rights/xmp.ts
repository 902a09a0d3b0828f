/** Elements of the Dublin Core (XMP Specification Part 1, 8.3). */
export const DUBLIN_CORE = 'http://purl.org/dc/elements/1.1/';
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const LONGEST_PREFIX = 40;
/** More of a notice or of a list is not read. */
const LONGEST_VALUE = 20_000;

/** The notice of rights in an XMP packet, in its default language. */
export function readXmpRights(xmp: string): string | undefined {
  const items = itemsOf(xmp, 'rights');
  return (items.find(({ language }) => language === 'x-default') ?? items[0])?.text;
}

/** The creators that an XMP packet names. */
export function readXmpCreators(xmp: string): string | undefined {
  return (
    itemsOf(xmp, 'creator')
      .map(({ text }) => text)
      .join('; ') || undefined
  );
}

/** The items of a property, without empty ones; a property that is a plain text has one. */
function itemsOf(xmp: string, property: string): { language: string | undefined; text: string }[] {
  const name = `${prefixOf(xmp)}:${property}`;
  const content = between(xmp, `<${name}`, `</${name}>`) ?? '';
  const start = content.indexOf('>') + 1;
  const parts = content.slice(start).split('<rdf:li').slice(1);
  if (parts.length === 0)
    return [{ language: undefined, text: plainText(content.slice(start)) }].filter(({ text }) => text !== '');
  return parts.flatMap((part) => {
    const open = part.indexOf('>');
    const close = part.indexOf('</rdf:li>');
    const text = close < 0 ? '' : plainText(part.slice(open + 1, close));
    return text === '' ? [] : [{ language: /xml:lang\s*=\s*["']([\w-]{1,20})/.exec(part.slice(0, open))?.[1], text }];
  });
}

/** Finds the prefix of the Dublin Core namespace in the packet. */
function prefixOf(xmp: string): string {
  const at = xmp.indexOf(DUBLIN_CORE);
  const before = at < 0 ? '' : xmp.slice(Math.max(0, at - LONGEST_PREFIX), at);
  return /xmlns:([\w.-]+)\s*=\s*["']$/.exec(before)?.[1] ?? 'dc';
}

function between(text: string, start: string, end: string): string | undefined {
  const from = text.indexOf(start);
  const to = from < 0 ? -1 : text.indexOf(end, from);
  return to < 0 ? undefined : text.slice(from + start.length, Math.min(to, from + LONGEST_VALUE));
}

/** Characters behind their references; what is marked up is not read. */
function plainText(xml: string): string {
  if (xml.includes('<')) return '';
  return xml
    .replace(/&(#x?[\da-f]{1,6}|[a-z]{2,4});/gi, (whole, name: string) => {
      if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
      const code = name[1]?.toLowerCase() === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
    })
    .trim();
}
