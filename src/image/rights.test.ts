import { readFile } from 'node:fs/promises';
import { readerOf } from '@darkroom/image-files/boxes';
import { pngChunk } from '@darkroom/image-files/png';
import { readIptc } from '@darkroom/image-files/rights/iptc';
import { readRights } from '@darkroom/image-files/rights/rights';
import { readTiffRights } from '@darkroom/image-files/rights/tiff';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exifBlock } from '../../test/pictures/metadata-samples.ts';
import { psdSample } from '../../test/pictures/psd-sample.ts';
import { gradient, openStudio, type Studio } from '../../test/pictures/studio.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"';
const packet = (properties: string, prefix = 'dc') =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ${RDF}><rdf:Description rdf:about="" xmlns:${prefix}="http://purl.org/dc/elements/1.1/">${properties}</rdf:Description></rdf:RDF></x:xmpmeta>`;
const rightsIn = (text: string) =>
  `<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">${text}</rdf:li></rdf:Alt></dc:rights>`;
const creatorsIn = (...names: string[]) =>
  `<dc:creator><rdf:Seq>${names.map((name) => `<rdf:li>${name}</rdf:li>`).join('')}</rdf:Seq></dc:creator>`;

const dataset = (field: number, value: string | Buffer) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([0x1c, 2, field, bytes.length >> 8, bytes.length & 255]), bytes]);
};
const iptcOf = (...datasets: Buffer[]) => Buffer.concat([dataset(0, '\0\x04'), ...datasets]);
/** As it is in a JPEG: behind other resources of Photoshop, one of odd length and with a name. */
const resourcesOf = (iptc: Buffer) => {
  const head = (id: number, length: number, name = Buffer.of(0, 0)) => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(length);
    return Buffer.concat([Buffer.from('8BIM'), Buffer.of(id >> 8, id & 255), name, size]);
  };
  const other = Buffer.concat([head(0x03ed, 3, Buffer.from([3, ...Buffer.from('abc')])), Buffer.alloc(4)]);
  return Buffer.concat([other, head(0x0404, iptc.length), iptc, Buffer.alloc(iptc.length % 2)]);
};

const jpegSegment = (marker: number, start: string, body: Buffer) => {
  const data = Buffer.concat([Buffer.from(start, 'latin1'), body]);
  return Buffer.concat([Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255]), data]);
};
async function jpegWith(...segments: Buffer[]): Promise<Buffer> {
  const jpeg = await gradient(40, 24).jpeg().toBuffer();
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}
const withIptc = (iptc: Buffer) => jpegWith(jpegSegment(0xed, 'Photoshop 3.0\0', resourcesOf(iptc)));
async function pngWith(...chunks: Buffer[]): Promise<Buffer> {
  const png = await gradient(40, 24).png().toBuffer();
  return Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]);
}

/** As cameras write it, with the rights alone. */
const exifOf = ({ Copyright, Artist }: { Copyright?: string; Artist?: string }) =>
  exifBlock({
    copyright: Copyright,
    artist: Artist,
    secret: '',
    camera: false,
    gps: false,
    xmp: false,
    iptc: false,
    comments: false,
    resolution: false,
    unknown: false,
    afterTheEnd: false,
  });

const XMP = packet(rightsIn('(c) Ada') + creatorsIn('Bo', 'Cy'));
const IPTC = iptcOf(dataset(80, 'Bo'), dataset(80, 'Cy'), dataset(116, '(c) Ada'));
const BOTH = { Copyright: '(c) Ada', Artist: 'Bo; Cy' };

describe('rights are kept that are stated only in', () => {
  test.each([
    ['XMP of a JPEG', 'jpg', () => gradient(40, 24).withXmp(XMP).jpeg().toBuffer()],
    ['XMP of a PNG', 'png', () => gradient(40, 24).withXmp(XMP).png().toBuffer()],
    ['XMP of a WebP', 'webp', () => gradient(40, 24).withXmp(XMP).webp().toBuffer()],
    ['XMP of an AVIF', 'avif', () => gradient(40, 24).withXmp(XMP).avif({ effort: 0 }).toBuffer()],
    ['IPTC of a JPEG', 'jpg', () => withIptc(IPTC)],
    [
      'texts of a PNG',
      'png',
      () =>
        pngWith(pngChunk('tEXt', Buffer.from('Copyright\0(c) Ada')), pngChunk('tEXt', Buffer.from('Author\0Bo; Cy'))),
    ],
    ['XMP of a PSD', 'psd', async () => psdWith(1060, Buffer.from(XMP))],
    ['IPTC of a PSD', 'psd', async () => psdWith(1028, IPTC)],
    ['EXIF of a PSD', 'psd', async () => psdWith(1058, exifOf(BOTH))],
  ])('%s', async (name, extension, make) => {
    const input = await studio.keep(`${name}.${extension}`, await make());
    for (const format of ['jpeg', 'webp', 'png', 'avif'] as const) {
      const { file } = await studio.render(input, 'w_20', format);
      expect(await statedIn(file)).toEqual(BOTH);
    }
  });

  test('IPTC and XMP of a JPEG by exiftool', async () => {
    const fixture = await readFile(new URL('../../test/fixtures/rights-iptc-xmp.jpg', import.meta.url));
    const { file } = await studio.render(await studio.keep('rights-iptc-xmp.jpg', fixture), 'w_20', 'jpeg');
    expect(await statedIn(file)).toEqual({ Copyright: '(c) XMP' });
  });
});

/** The rights in XMP, which a result has instead of all other metadata. */
async function statedIn(file: string) {
  const { exif, iptc, xmp } = await sharp(file).metadata();
  expect([exif, iptc]).toEqual([undefined, undefined]);
  return readRights({ xmp });
}

function psdWith(id: number, data: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(data.length);
  const resource = Buffer.concat([
    Buffer.from('8BIM'),
    Buffer.of(id >> 8, id & 255, 0, 0),
    size,
    data,
    Buffer.alloc(data.length % 2),
  ]);
  const planes = [0, 1, 2].map(() => Buffer.alloc(40 * 24, 90));
  const psd = psdSample({ mode: 3, width: 40, height: 24, planes });
  const colourData = 26;
  const resources = colourData + 4 + psd.readUInt32BE(colourData);
  const grown = Buffer.alloc(4);
  grown.writeUInt32BE(psd.readUInt32BE(resources) + resource.length);
  return Buffer.concat([psd.subarray(0, resources), grown, resource, psd.subarray(resources + 4)]);
}

describe('of several statements', () => {
  const exif = (Copyright: string) => exifOf({ Copyright });
  const xmp = Buffer.from(packet(rightsIn('by XMP')));
  const iptc = iptcOf(dataset(116, 'by IPTC'), dataset(80, 'Bo'));
  const comments = [{ keyword: 'Copyright', text: 'by a text' }];

  test('EXIF counts first, then XMP, then IPTC, then the texts of a PNG', () => {
    expect(readRights({ exif: exif('by EXIF'), xmp, iptc })).toEqual({ Copyright: 'by EXIF', Artist: 'Bo' });
    expect(readRights({ xmp, iptc, comments })).toEqual({ Copyright: 'by XMP', Artist: 'Bo' });
    expect(readRights({ iptc, comments })).toEqual({ Copyright: 'by IPTC', Artist: 'Bo' });
    expect(readRights({ comments })).toEqual({ Copyright: 'by a text' });
  });

  test('one of spaces, as cameras write it, counts as none', () => {
    expect(readRights({ exif: exif('      '), xmp })).toEqual({ Copyright: 'by XMP' });
    expect(readRights({ exif: exif('   ') })).toBeUndefined();
    const blank = exifOf({ Copyright: '   ', Artist: '    ' });
    expect(readRights({ exif: blank, xmp })).toEqual({ Copyright: 'by XMP' });
  });

  test('numbers in the place of texts count as none, whatever their type', () => {
    for (let type = 0; type <= 14; type++) {
      const block = exifOf({ Copyright: 'by EXIF, once' });
      block.writeUInt16BE(type, 12);
      const rights = readRights({ exif: block, xmp });
      expect(['by XMP', 'by EXIF, once']).toContain(rights?.Copyright);
    }
  });

  test('nothing states nothing', () => {
    expect(readRights({})).toBeUndefined();
    expect(readRights({ xmp: Buffer.from(packet('')), iptc: iptcOf() })).toBeUndefined();
  });
});

describe('XMP is read', () => {
  const read = (text: string) => readRights({ xmp: Buffer.from(text) });

  test.each([
    [
      'in its default language',
      packet(
        '<dc:rights><rdf:Alt><rdf:li xml:lang="de">Alle</rdf:li><rdf:li xml:lang="x-default">All</rdf:li></rdf:Alt></dc:rights>',
      ),
      'All',
    ],
    [
      'in any language',
      packet('<dc:rights><rdf:Alt><rdf:li xml:lang="de">Alle</rdf:li></rdf:Alt></dc:rights>'),
      'Alle',
    ],
    ['as a plain text', packet('<dc:rights>All</dc:rights>'), 'All'],
    ['under another prefix', packet(rightsIn('All').replaceAll('dc:', 'q:'), 'q'), 'All'],
    ['with references', packet(rightsIn('&#169; A &amp; B &lt;&#x263A;&gt; &quot;&apos;')), '© A & B <☺> "\''],
    ['in UTF-8', packet(rightsIn('© Zoë')), '© Zoë'],
    ['with white space around it', packet(rightsIn('\n  All\n ')), 'All'],
  ])('%s', (_how, text, expected) => {
    expect(read(text)).toEqual({ Copyright: expected });
  });

  test.each([
    ['an empty notice', packet(rightsIn(''))],
    ['an empty element', packet('<dc:rights/>')],
    ['one that does not end', packet('').replace('</rdf:Description>', '<dc:rights><rdf:Alt><rdf:li>All')],
    ['references to nothing', packet(rightsIn('&#0;&#x110000;'))],
    ['noise', '\0\xff<dc:rights'.repeat(1000)],
  ])('but not %s', (_what, text) => {
    expect(read(text)).toBeUndefined();
  });
});

describe('IPTC is read', () => {
  test('as it is, and among the resources of Photoshop', () => {
    expect(readRights({ iptc: IPTC })).toEqual(BOTH);
    expect(readRights({ iptc: resourcesOf(IPTC) })).toEqual(BOTH);
    expect(readRights({ iptc: Buffer.concat([Buffer.from('Photoshop 3.0\0'), resourcesOf(IPTC)]) })).toEqual(BOTH);
  });

  test('in UTF-8 and in Latin-1', () => {
    for (const encoding of ['utf8', 'latin1'] as const) {
      expect(readRights({ iptc: iptcOf(dataset(116, Buffer.from('© Zoë', encoding))) })).toEqual({
        Copyright: '© Zoë',
      });
    }
  });

  test('up to where it is cut', () => {
    const whole = resourcesOf(IPTC);
    for (let length = 0; length < whole.length; length++)
      expect(() => readIptc(whole.subarray(0, length))).not.toThrow();
  });
});

describe('the tags of a TIFF are read', () => {
  /** A TIFF whose only directory has these texts, in one order of bytes. */
  function tiffWith(texts: readonly (readonly [tag: number, text: string])[], isWide: boolean, isBigEndian: boolean) {
    const wide = isWide ? 8 : 4;
    const put = (length: number, value: number) => {
      const bytes = Buffer.alloc(length);
      if (isBigEndian) bytes.writeUInt32BE(value, Math.max(0, length - 4));
      else bytes.writeUInt32LE(value, 0);
      return bytes;
    };
    const short = (value: number) =>
      isBigEndian ? Buffer.of(value >> 8, value & 255) : Buffer.of(value & 255, value >> 8);
    const head = isWide ? [short(43), short(8), short(0), put(8, 16)] : [short(42), put(4, 8)];
    const start = Buffer.concat([Buffer.from(isBigEndian ? 'MM' : 'II'), ...head]);
    const counter = isWide ? put(8, texts.length) : short(texts.length);
    let end = start.length + counter.length + texts.length * (4 + 2 * wide) + wide;
    const values: Buffer[] = [];
    const entries = texts.map(([tag, text]) => {
      const bytes = Buffer.from(`${text}\0`);
      const entry = [short(tag), short(2), put(wide, bytes.length)];
      if (bytes.length <= wide) return Buffer.concat([...entry, bytes, Buffer.alloc(wide - bytes.length)]);
      values.push(bytes);
      end += bytes.length;
      return Buffer.concat([...entry, put(wide, end - bytes.length)]);
    });
    return Buffer.concat([start, counter, ...entries, Buffer.alloc(wide), ...values]);
  }

  test.each([
    ['classic, little-endian', false, false],
    ['classic, big-endian', false, true],
    ['BigTIFF, little-endian', true, false],
    ['BigTIFF, big-endian', true, true],
  ])('%s', async (_name, isWide, isBigEndian) => {
    const tiff = tiffWith(
      [
        [270, 'a description'],
        [315, 'Bo'],
        [33_432, '(c) Ada, 2026'],
      ],
      isWide,
      isBigEndian,
    );
    expect(await readTiffRights(readerOf(tiff))).toEqual({ Artist: 'Bo', Copyright: '(c) Ada, 2026' });
    for (let length = 0; length < tiff.length; length++) await readTiffRights(readerOf(tiff.subarray(0, length)));
  });
});
