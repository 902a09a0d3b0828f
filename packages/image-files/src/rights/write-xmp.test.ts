import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRights } from './rights.ts';
import { writeXmp } from './write-xmp.ts';

const readBack = (packet = '') => readRights({ xmp: Buffer.from(packet) });

describe('an XMP packet with rights', () => {
  test('states them in Dublin Core, with one item for each creator', () => {
    expect(writeXmp({ Copyright: '© 2026 Zoë', Artist: 'Bo; Cy' })).toBe(
      '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
        '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">' +
        '<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">© 2026 Zoë</rdf:li></rdf:Alt></dc:rights>' +
        '<dc:creator><rdf:Seq><rdf:li>Bo</rdf:li><rdf:li>Cy</rdf:li></rdf:Seq></dc:creator>' +
        '</rdf:Description></rdf:RDF></x:xmpmeta>',
    );
  });

  test.each([{ Copyright: 'Ada' }, { Artist: 'B' }, { Copyright: '(c) Ada', Artist: 'Bo; Cy' }])(
    'states %o alone',
    (rights) => {
      expect(readBack(writeXmp(rights))).toEqual(rights);
    },
  );

  test('is not written without a text', () => {
    expect(writeXmp({})).toBeUndefined();
    expect(writeXmp({ Copyright: '  \0 ', Artist: ' ; ; \u0007' })).toBeUndefined();
  });

  test('escapes markup, so that a notice cannot add a property', () => {
    const Copyright = '</rdf:li></rdf:Alt></dc:rights><x:secret/>&amp;<![CDATA[ "Ada" ]]>';
    const packet = writeXmp({ Copyright });
    expect(packet).not.toContain('<x:secret');
    expect(packet).not.toContain('<![CDATA[');
    expect(packet?.match(/<\/dc:rights>/g)).toHaveLength(1);
    expect(readBack(packet)).toEqual({ Copyright });
  });

  test('leaves out characters that XML forbids, and half of a surrogate pair', () => {
    expect(readBack(writeXmp({ Copyright: 'A\0d\u0001a\u000b\ufffe\ud83d \ud83d\ude00' }))).toEqual({
      Copyright: 'Ada \u{1f600}',
    });
  });

  test('is bounded to a segment of a JPEG, and can be read back', () => {
    for (const letter of ['a', 'é', '&', '漢', '\u{1f600}']) {
      const long = letter.repeat(200_000);
      const packet = writeXmp({ Copyright: long, Artist: long }) as string;
      expect(Buffer.byteLength(packet)).toBeLessThan(65_502);
      const { Copyright = '', Artist = '' } = readBack(packet) ?? {};
      for (const text of [Copyright, Artist]) {
        expect(text.length).toBeGreaterThan(3000);
        expect(long.startsWith(text)).toBe(true);
      }
    }
    const many = writeXmp({ Artist: 'a; '.repeat(100_000) }) as string;
    expect(Buffer.byteLength(many)).toBeLessThan(65_502);
    expect(readBack(many)?.Artist).toMatch(/^(a; )+a$/);
  });

  test('gives back any text as it is, without outer white space and forbidden characters', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(text, (Copyright) => {
        const allowed = Array.from(Copyright).filter((character) =>
          /[^\p{Cc}\ufffe\uffff]|[\t\n\r\x7f-\x9f]/u.test(character),
        );
        const expected = allowed.join('').trim();
        expect(readBack(writeXmp({ Copyright }))).toEqual(expected === '' ? undefined : { Copyright: expected });
      }),
      { numRuns: 500 },
    );
  });
});
