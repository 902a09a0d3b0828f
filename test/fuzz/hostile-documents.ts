import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { fixture } from '../http.ts';
import { firstFree, pdfOf, plainPdfPage } from '../pictures/pdf-sample.ts';
import { multiplied, references, svgOf } from '../pictures/svg-samples.ts';
import { plainPage, tiffOf } from '../pictures/tiff-sample.ts';
import type { PictureFile } from './hostile-pictures.ts';

const ALL = 'width="40" height="30"';
const PNG_START = 'data:image/png;base64,';

/** Returns documents of every kind, small enough to render a thousand times. */
export async function soundDocuments(): Promise<PictureFile[]> {
  const photo = sharp(fixture('portrait-face.jpg')).resize(120);
  const dot = await photo.clone().resize(12).png().toBuffer();
  const files: Record<string, Buffer | Promise<Buffer>> = {
    'lzw.tif': photo.clone().tiff({ compression: 'lzw', predictor: 'horizontal' }).toBuffer(),
    'deflate.tif': photo.clone().ensureAlpha(0.5).tiff({ compression: 'deflate' }).toBuffer(),
    'jpeg.tif': photo.clone().tiff({ compression: 'jpeg' }).toBuffer(),
    'tiles.tif': photo.clone().tiff({ tile: true, tileWidth: 32, tileHeight: 32, pyramid: true }).toBuffer(),
    'fax.tif': photo
      .clone()
      .threshold()
      .toColourspace('b-w')
      .tiff({ compression: 'ccittfax4', bitdepth: 1 })
      .toBuffer(),
    'cmyk.tif': photo.clone().toColourspace('cmyk').withIccProfile('cmyk').tiff().toBuffer(),
    'deep.tif': photo.clone().toColourspace('rgb16').tiff().toBuffer(),
    'pages.tif': tiffOf(plainPage(30, 20, [255, 0, 0]), plainPage(9, 30, [0, 9, 200, 50], { hasAlpha: true })),
    'shapes.svg': svgOf(SHAPES),
    'picture.svg': svgOf(
      `<style>image { opacity: 0.5 }</style><image ${ALL} href="${PNG_START}${dot.toString('base64')}"/>`,
    ),
    'text.svg': svgOf(
      '<text x="3" y="20" font-size="9" transform="rotate(9)">Hello <tspan fill="red">שלום</tspan></text>',
    ),
    'pages.pdf': pdfOf([{ width: 90, height: 60, paint: PAINT, more: RESOURCES }, plainPdfPage(30, 50, [0, 1, 0])]),
    'packed.pdf': packedPdf(),
  };
  return Promise.all(Object.entries(files).map(async ([name, bytes]) => ({ name, bytes: await bytes })));
}

const SHAPES = [
  '<defs><linearGradient id="g"><stop stop-color="red"/><stop offset="1" stop-color="blue"/></linearGradient>',
  '<filter id="f"><feGaussianBlur stdDeviation="2"/><feTurbulence baseFrequency="0.1"/></filter>',
  '<pattern id="p" width="4" height="4" patternUnits="userSpaceOnUse"><circle r="2"/></pattern>',
  '<mask id="m"><rect width="20" height="20" fill="white"/></mask><marker id="k"><path d="M0 0 3 3"/></marker></defs>',
  '<rect width="30" height="20" fill="url(#g)" filter="url(#f)"/><ellipse rx="9" ry="5" cx="20" cy="9" fill="url(#p)"/>',
  '<path d="M2 2C9 9 3 30 39 2z" mask="url(#m)" marker-end="url(#k)" stroke="lime" stroke-dasharray="3 1"/>',
].join('');

const PAINT = 'q 1 0 0 RG 3 w 5 5 m 80 50 l S Q BT /F 12 Tf 9 30 Td (Hello) Tj ET 0.2 0.4 0.6 rg 60 5 20 20 re f*';
const RESOURCES = '/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>>>>>';

/** Returns an image in a page, both compressed. */
function packedPdf(): Buffer {
  const at = firstFree(1);
  const pixels = deflateSync(Buffer.alloc(20 * 20 * 3, 'abc')).toString('latin1');
  const image = `<</Type/XObject/Subtype/Image/Width 20/Height 20/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/FlateDecode/Length ${pixels.length}>>stream\n${pixels}\nendstream`;
  const more = `/Resources<</XObject<</X ${at} 0 R>>>>`;
  return pdfOf([{ width: 40, height: 40, paint: 'q 40 0 0 40 0 0 cm /X Do Q', more }], '', [image]);
}

/**
 * Returns malicious documents: decompression bombs, and references to other files.
 * @param folder location of the originals
 * @param url an address that must not be requested
 */
export function hostileDocuments(folder: string, url: string): (PictureFile & { isBlank?: boolean })[] {
  const targets = ['sound.png', `file://${folder}/sound.png`, url];
  const blank = targets.flatMap((target, index) =>
    Object.entries(references(target)).map(([name, bytes]) => ({
      name: `refers-${index}-${name.replaceAll(' ', '-')}.svg`,
      bytes,
      isBlank: true,
    })),
  );
  const files = { ...hostileDrawings(url), ...hostilePapers(url), ...hostileTiffs() };
  return [...blank, ...Object.entries(files).map(([name, bytes]) => ({ name, bytes }))];
}

function hostileDrawings(url: string): Record<string, Buffer> {
  const filters = '<feGaussianBlur stdDeviation="9999"/><feMorphology operator="dilate" radius="9999"/>'.repeat(20);
  const wide = 'width="99999" height="99999"';
  return {
    'uses.svg': multiplied(9, 5),
    'uses-without-size.svg': Buffer.from(multiplied(30, 3).toString().replace(ALL, '')),
    'itself.svg': svgOf(
      '<g id="a"><use xlink:href="#a"/><rect fill="url(#p)"/></g><pattern id="p"><use href="#a"/></pattern>',
    ),
    'nested.svg': svgOf(`${'<g>'.repeat(100_000)}${'</g>'.repeat(100_000)}`),
    'pictures-within.svg': svgOf(nestedDrawing(8)),
    'filters.svg': svgOf(
      `<filter id="f" x="-99" y="-99" width="999" height="999">${filters}</filter><rect ${ALL} filter="url(#f)"/>`,
    ),
    'turbulence.svg': svgOf(
      '<filter id="f"><feTurbulence numOctaves="99999" baseFrequency="9"/></filter><rect width="9999" height="9999" filter="url(#f)"/>',
      wide,
    ),
    'path.svg': svgOf(`<path d="M0 0${'L9 9 0 9'.repeat(200_000)}" stroke="red" stroke-dasharray="0.001"/>`),
    'vast.svg': svgOf(`<rect ${wide}/>`, wide),
    'endless.svg': svgOf('', 'width="1e38" height="1e38" viewBox="0 0 1e-38 1e-38"'),
    'entities.svg': svgOf(
      '&c;',
      '',
      `<!DOCTYPE svg [<!ENTITY a "${'x'.repeat(999)}"><!ENTITY b "${'&a;'.repeat(999)}"><!ENTITY c "${'&b;'.repeat(999)}">]>`,
    ),
    'outside-entity.svg': svgOf(
      '&a;',
      '',
      `<!DOCTYPE svg [<!ENTITY % p SYSTEM "${url}"> %p; <!ENTITY a SYSTEM "file:///etc/passwd">]>`,
    ),
    'letters.svg': svgOf(`<text font-size="99999">${'W'.repeat(100_000)}</text>`),
  };
}

function nestedDrawing(depth: number): string {
  const inner = depth === 0 ? '<rect/>' : nestedDrawing(depth - 1);
  const address = `data:image/svg+xml;base64,${svgOf(inner).toString('base64')}`;
  return `<image ${ALL} href="${address}"/>`.repeat(depth > 6 ? 4 : 1);
}

function hostilePapers(url: string): Record<string, Buffer> {
  const at = firstFree(1);
  const page = (more: string, paint = '/X Do') => ({ width: 90, height: 60, paint, more });
  const form = (used: number, paint: string) =>
    `<</Type/XObject/Subtype/Form/BBox[0 0 90 60]/Resources<</XObject<</X ${used} 0 R>>>>/Length ${paint.length}>>stream\n${paint}\nendstream`;
  const forms = Array.from({ length: 12 }, (_, level) => form(at + level + 1, '/X Do '.repeat(10)));
  const image = (side: number) =>
    `<</Type/XObject/Subtype/Image/Width ${side}/Height ${side}/BitsPerComponent 8/ColorSpace/DeviceRGB/Length 3>>stream\nabc\nendstream`;
  const shown = page(`/Resources<</XObject<</X ${at} 0 R>>>>`);
  const plain = plainPdfPage(90, 60, [1, 0, 0]);
  const action = `<</S/JavaScript/JS(while (true) app.launchURL("${url}", true);)>>`;
  const tree = pdfOf([plain]).toString('latin1');
  return {
    'forms.pdf': pdfOf([shown], '', forms),
    'form-of-itself.pdf': pdfOf([shown], '', [form(at, '/X Do '.repeat(100))]),
    'claims-a-picture.pdf': pdfOf([shown], '', [image(60_000)]),
    'claims-pages.pdf': Buffer.from(tree.replace('/Count 1', '/Count 2147483647'), 'latin1'),
    'pages-in-a-ring.pdf': Buffer.from(tree.replace('Kids[3 0 R]', 'Kids[2 0 R]'), 'latin1'),
    'vast.pdf': pdfOf([plainPdfPage(1e9, 1e9, [1, 0, 0])]),
    'tiny.pdf': pdfOf([plainPdfPage(1e-9, 1e-9, [1, 0, 0])]),
    'strokes.pdf': pdfOf([page('', `0.001 w [0.0001] 0 d ${'0 0 m 90 60 l S '.repeat(20_000)}`)]),
    'acts.pdf': pdfOf([plain], `/OpenAction ${at} 0 R/Names<</JavaScript<</Names[(a) ${at} 0 R]>>>>`, [action]),
    'refers.pdf': pdfOf([shown], '', [`<</Length 0/F<</FS/URL/F(${url})>>>>stream\n\nendstream`]),
    'table-of-itself.pdf': Buffer.from(
      `%PDF-1.7\nxref\n0 1\n0000000000 65535 f \ntrailer<</Size 1/Prev 9>>\nstartxref\n9\n%%EOF`,
    ),
  };
}

function hostileTiffs(): Record<string, Buffer> {
  const page = plainPage(20, 20, [1, 2, 3]);
  const ring = tiffOf(page, page);
  ring.writeUInt32LE(ring.readUInt32LE(4), ring.length - 4);
  return {
    'claims-65535.tif': tiffOf({ ...page, width: 65_535, height: 65_535 }),
    'claims-9000.tif': tiffOf({ ...page, width: 9000, height: 9000 }),
    'claims-channels.tif': tiffOf({ ...page, channels: 5000 }),
    'ring.tif': ring,
    'many-pages.tif': tiffOf(...Array.from({ length: 3000 }, () => plainPage(1, 1, [0, 0, 0]))),
    'svg.tif': svgOf(''),
  };
}
