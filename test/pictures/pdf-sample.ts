export interface PdfPage {
  width: number;
  height: number;
  /** Content in PDF operators; the origin is the lower left corner. */
  paint: string;
  /** More entries of the page, in PDF syntax. */
  more?: string;
}

/**
 * Writes a PDF of some pages by hand.
 * @param catalog more entries of its root
 * @param objects further ones, from the number `firstFree` on
 */
export function pdfOf(pages: readonly PdfPage[], catalog = '', objects: readonly string[] = [], trailer = ''): Buffer {
  const kids = pages.map((_, index) => `${3 + 2 * index} 0 R`).join(' ');
  const all = [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    `<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`,
    ...pages.flatMap(({ width, height, paint, more = '' }, index) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Contents ${4 + 2 * index} 0 R/Resources<<>>${more}>>`,
      `<</Length ${paint.length}>>stream\n${paint}\nendstream`,
    ]),
    ...objects,
  ];
  let text = '%PDF-1.7\n';
  const places = all.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj${object}endobj\n`;
    return at;
  });
  const rows = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const table = `xref\n0 ${all.length + 1}\n0000000000 65535 f \n${rows}`;
  return Buffer.from(
    `${text}${table}trailer<</Size ${all.length + 1}/Root 1 0 R${trailer}>>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}

/** Returns the number of the first additional object of a file with this many pages. */
export const firstFree = (pages: number) => 3 + 2 * pages;

/** Returns a page of one colour, each component from 0 to 1. */
export function plainPdfPage(
  width: number,
  height: number,
  [red, green, blue]: readonly [number, number, number],
): PdfPage {
  return { width, height, paint: `${red} ${green} ${blue} rg 0 0 ${width} ${height} re f` };
}
