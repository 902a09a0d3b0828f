import { readFile } from 'node:fs/promises';
import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { convertHeic } from '../../src/image/convert.ts';
import { extrasOf } from './containers.ts';
import { withExifItem } from './heif-exif.ts';
import { exifBlock, type Tags, tagged } from './metadata-samples.ts';
import { gradient, openStudio, quadrants, type Studio } from './studio.ts';

const SECRET = 'nobody-should-read-this';
const FORMATS = ['jpeg', 'png', 'webp', 'avif', 'gif'] as const;
type Format = (typeof FORMATS)[number];

let studio: Studio;
let thumbnail: Buffer;

beforeAll(async () => {
  studio = await openStudio();
  const marked = tagged(await quadrants(16, 12).jpeg().toBuffer(), 'jpeg', { ...NOTHING, comments: true });
  thumbnail = marked;
});
afterAll(() => studio.close());

const NOTHING: Tags = {
  secret: SECRET,
  camera: false,
  gps: false,
  xmp: false,
  iptc: false,
  comments: false,
  resolution: false,
  unknown: false,
  afterTheEnd: false,
};
const EVERYTHING = Object.fromEntries(
  Object.entries(NOTHING).map(([name, value]) => [name, value === false ? true : value]),
) as unknown as Tags;

/** Creates an image of the format with the tags and an optional colour profile. */
async function originalOf(format: Format, tags: Tags, { alpha = false, profile = false } = {}): Promise<Buffer> {
  const original = gradient(40, 24);
  const base = alpha ? original.ensureAlpha(0.5) : original;
  const coloured = profile ? base.withIccProfile('p3') : base;
  if (format === 'avif') {
    const jpeg = tagged(await gradient(40, 24).jpeg().toBuffer(), 'jpeg', tags);
    return sharp(jpeg).keepExif().keepXmp().avif({ effort: 0 }).toBuffer();
  }
  if (format !== 'webp') return tagged(await coloured.toFormat(format).toBuffer(), format, tags);
  // With any EXIF data sharp writes the chunk that announces it.
  const webp = await coloured
    .withExif({ IFD0: { Software: SECRET } })
    .webp()
    .toBuffer();
  return tagged(webp, format, tags);
}

/** Returns the metadata of a file: the rights, and the names of everything else. */
function saidBy(file: Buffer, format: string) {
  const others: string[] = [];
  const packets: string[] = [];
  for (const { name, data } of extrasOf(file, format)) {
    const packet = XMP[format]?.(name, data);
    if (packet) packets.push(packet.toString());
    else if (!isPlain(name, data)) others.push(name);
  }
  expect(packets.length).toBeLessThan(2);
  return { rights: packets.map(statedBy)[0] ?? {}, others, secret: file.includes(SECRET) };
}

const after = (start: string, data: Buffer) =>
  data.toString('latin1', 0, start.length) === start ? data.subarray(start.length) : undefined;
const KEYWORD = 'XML:com.adobe.xmp\0';
/** Extracts the XMP packet from a part of a file. */
const XMP: Readonly<Record<string, (name: string, data: Buffer) => Buffer | undefined>> = {
  jpeg: (name, data) => (name === 'e1' ? after('http://ns.adobe.com/xap/1.0/\0', data) : undefined),
  png(name, data) {
    // libvips compresses the packet.
    if (name !== 'zTXt') return name === 'iTXt' ? after(`${KEYWORD}\0\0\0\0`, data) : undefined;
    const compressed = after(`${KEYWORD}\0`, data);
    return compressed && inflateSync(compressed);
  },
  webp: (name, data) => (name === 'XMP ' ? data : undefined),
  avif: (name, data) => (name === 'mime' ? data : undefined),
};

/**
 * Returns the rights in an XMP packet.
 * @throws unless it states only those
 */
function statedBy(packet: string): Record<string, string> {
  const [, copyright, creators] = PACKET.exec(packet) ?? [];
  if (copyright === undefined && creators === undefined) throw new Error(`more than the rights: ${packet}`);
  return {
    ...(creators !== undefined && { artist: creators.split('</rdf:li><rdf:li>').map(unescaped).join('; ') }),
    ...(copyright !== undefined && { copyright: unescaped(copyright) }),
  };
}

const PACKET = new RegExp(
  [
    '^<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">',
    '(?:<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">([^<]+)</rdf:li></rdf:Alt></dc:rights>)?',
    '(?:<dc:creator><rdf:Seq><rdf:li>((?:[^<]|</rdf:li><rdf:li>)+)</rdf:li></rdf:Seq></dc:creator>)?',
    '</rdf:Description></rdf:RDF></x:xmpmeta>$',
  ].join(''),
);

const unescaped = (xml: string) => xml.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** True if the data is independent of the original. */
function isPlain(name: string, data: Buffer): boolean {
  const is72DotsPerInch = data.equals(Buffer.from([0, 0, 0x0b, 0x13, 0, 0, 0x0b, 0x13, 1]));
  const isJfifWithoutResolution = data.equals(Buffer.from([...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0]));
  return (name === 'pHYs' && is72DotsPerInch) || (name === 'e0' && isJfifWithoutResolution);
}

const rightsOf = ({ copyright, artist }: Tags) => ({
  ...(artist && { artist }),
  ...(copyright && { copyright }),
});

describe('a variant says nothing but the rights', () => {
  const word = fc.stringMatching(/^[A-Za-z(][ -~]{0,40}[a-z0-9)]$/);
  const tags = fc
    .record({
      copyright: fc.option(word, { nil: undefined }),
      artist: fc.option(word, { nil: undefined }),
      camera: fc.boolean(),
      gps: fc.boolean(),
      hasThumbnail: fc.boolean(),
      xmp: fc.boolean(),
      iptc: fc.boolean(),
      comments: fc.boolean(),
      resolution: fc.boolean(),
      unknown: fc.boolean(),
      afterTheEnd: fc.boolean(),
    })
    .map(({ hasThumbnail, ...some }) => ({ ...some, hasThumbnail, secret: SECRET }));
  const format = fc.constantFrom(...FORMATS);
  const segment = fc.constantFrom('', 'w_20', 'w_80', 'w_20,h_20', 'r_max', 'a_90', 'a_30', 'w_30,h_30,c_pad');
  const quality = fc.constantFrom('', 'q_auto', 'q_100', 'q_20');

  test('whatever metadata the original has, in every format and with any options', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        ...([format, format, tags, segment, quality, fc.boolean(), fc.boolean()] as const),
        async (from, to, { hasThumbnail, ...some }, options, q, alpha, profile) => {
          const wanted: Tags = { ...some, ...(hasThumbnail && { thumbnail }) };
          const original = await originalOf(from, wanted, { alpha, profile });
          const input = await studio.keep(`original-${++count}`, original);
          const { file } = await studio.render(input, [options, q, `f_${to}`].filter(Boolean).join(','));
          const said = saidBy(await readFile(file), to);
          // A PNG of the size of its original may retain the profile that its colours need.
          const others = said.others.filter((name) => !(from === 'png' && to === 'png' && profile && name === 'iCCP'));
          const rights = from === 'gif' || to === 'gif' ? {} : rightsOf(wanted);
          expect({ ...said, others }).toEqual({ rights, others: [], secret: false });
        },
      ),
      { numRuns: 100 },
    );
  });

  test.each(FORMATS)('also %s from an original with everything, at its full size', async (format) => {
    const tags = { ...EVERYTHING, copyright: '(c) Ada', artist: 'Bo', thumbnail };
    for (const from of FORMATS) {
      const original = await originalOf(from, tags);
      // GIF does not support EXIF data, and libvips does not copy comments.
      expect(original.includes(SECRET), from).toBe(true);
      const input = await studio.keep(`everything-${from}`, original);
      for (const options of [`f_${format}`, `q_auto,f_${format}`, `w_20,f_${format}`]) {
        const { file } = await studio.render(input, options);
        const rights = from === 'gif' || format === 'gif' ? {} : rightsOf(tags);
        expect(saidBy(await readFile(file), format)).toEqual({ rights, others: [], secret: false });
      }
    }
  });
});

describe('the JPEG that is kept in place of a HEIC', () => {
  const tags = { ...EVERYTHING, copyright: '(c) Ada', artist: 'Bo' };
  const limits = { inputMegapixels: 1, animationFrames: 1 };

  test.each([
    ['says its rights and nothing else', tags, { artist: 'Bo', copyright: '(c) Ada' }],
    ['says nothing without rights', EVERYTHING, {}],
  ])('%s', async (name, wanted, rights) => {
    const plain = await readFile(new URL('../fixtures/still.heic', import.meta.url));
    const heic = withExifItem(plain, exifBlock({ ...wanted, thumbnail }));
    expect(heic.includes(SECRET)).toBe(true);
    const input = await studio.keep(`${name}.heic`, heic);
    const output = studio.file(`${name}.jpg`);
    expect(await convertHeic({ input, output, limits })).toMatchObject({ outcome: 'converted' });
    const kept = await readFile(output);
    const { others, ...said } = saidBy(kept, 'jpeg');
    expect(said).toEqual({ rights, secret: false });
    expect(others).toEqual((await sharp(input).metadata()).icc ? ['e2'] : []);
    // Its variants contain the same.
    const { file } = await studio.render(output, 'w_8,f_webp');
    expect(saidBy(await readFile(file), 'webp')).toEqual({ rights, others: [], secret: false });
  });
});
