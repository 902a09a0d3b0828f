import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkSignature, sign, signShort } from './signature.ts';

const SECRET = 'test-secret-at-least-16-chars-long';

describe('a signature', () => {
  test('is HMAC-SHA256 in 64 lower-case hexadecimal characters', () => {
    expect(sign('w_50/alpha.png', SECRET)).toMatch(/^[0-9a-f]{64}$/);
    // RFC 4231, test case 2
    expect(sign('what do ya want for nothing?', 'Jefe')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  test.each([
    ['w_50/alpha.png', 'f3e79d8a708f80a1'],
    ['photos:1795213157', '615bddea32020bc0'],
  ])('of %s starts with %s', (text, short) => {
    expect(signShort(text, SECRET)).toBe(short);
    expect(sign(text, SECRET).startsWith(short)).toBe(true);
    expect(checkSignature(text, short, SECRET)).toBe('valid');
  });

  test('is valid in both lengths, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(checkSignature(text, sign(text, SECRET), SECRET)).toBe('valid');
        expect(checkSignature(text, signShort(text, SECRET), SECRET)).toBe('valid');
      }),
    );
  });
});

describe('a signature that was tampered with', () => {
  test('is wrong for every single bit that changes', () => {
    for (const right of [sign('a/b.jpg', SECRET), signShort('a/b.jpg', SECRET)]) {
      for (let digit = 0; digit < right.length; digit++) {
        for (const bit of [1, 2, 4, 8]) {
          const flipped = (Number.parseInt(right.charAt(digit), 16) ^ bit).toString(16);
          const changed = right.slice(0, digit) + flipped + right.slice(digit + 1);
          expect(checkSignature('a/b.jpg', changed, SECRET)).toBe('wrong');
        }
      }
    }
  });

  test('is wrong for another text and another secret', () => {
    expect(checkSignature('a/c.jpg', sign('a/b.jpg', SECRET), SECRET)).toBe('wrong');
    expect(checkSignature('a/b.jpg', sign('a/b.jpg', SECRET), `${SECRET}!`)).toBe('wrong');
  });

  test('is wrong in upper case', () => {
    expect(checkSignature('w_50/alpha.png', 'F3E79D8A708F80A1', SECRET)).toBe('wrong');
    expect(checkSignature('w_50/alpha.png', sign('w_50/alpha.png', SECRET).toUpperCase(), SECRET)).toBe('wrong');
  });

  test.each([
    ['nothing', ''],
    ['a character less', 'f3e79d8a708f80a'],
    ['a character more', 'f3e79d8a708f80a10'],
    ['what is not hexadecimal', 'g3e79d8a708f80a1'],
    ['a line break', 'f3e79d8a708f80a\n'],
    ['characters of several bytes', 'é'.repeat(16)],
    ['half the full length', 'f3e79d8a708f80a1f3e79d8a708f80a1'],
  ])('is malformed with %s', (_what, presented) => {
    expect(checkSignature('w_50/alpha.png', presented, SECRET)).toBe('malformed');
  });
});
