import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { negotiateFormat } from './negotiate.ts';

describe('without a named AVIF or WebP every client gets the fallback', () => {
  test.each([undefined, '', '*/*', 'image/*', 'image/png,image/*;q=0.8,*/*;q=0.5', 'text/html', 'webp', 'image/webpx'])(
    'Accept: %s',
    (accept) => {
      expect(negotiateFormat(accept)).toBe('fallback');
    },
  );
});

describe('a named format is chosen', () => {
  test.each([
    ['image/webp', 'webp'],
    ['image/avif', 'avif'],
    ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'avif'],
    ['text/html,application/xhtml+xml,image/webp,*/*;q=0.8', 'webp'],
    ['IMAGE/WebP', 'webp'],
    ['  image/webp  ,  */*', 'webp'],
    ['image/webp;foo=bar', 'webp'],
    [',,image/webp,,', 'webp'],
  ])('Accept: %s', (accept, format) => {
    expect(negotiateFormat(accept)).toBe(format);
  });
});

describe('q-values decide', () => {
  test.each([
    ['image/avif;q=0.5,image/webp', 'webp'],
    ['image/avif;q=0.5,image/webp;q=0.501', 'webp'],
    ['image/webp;q=0.9,image/avif;q=0.9', 'avif'],
    ['image/webp;q=0.001', 'webp'],
    ['image/webp;q=1.000', 'webp'],
    ['image/webp;q=1.', 'webp'],
    ['image/webp; Q=0.3 , image/avif ; q=0.2', 'webp'],
    ['image/webp;foo=bar;q=0.3,image/avif;q=0.2', 'webp'],
  ])('Accept: %s', (accept, format) => {
    expect(negotiateFormat(accept)).toBe(format);
  });
});

describe('q=0 refuses', () => {
  test.each([
    ['image/avif;q=0', 'fallback'],
    ['image/avif;q=0,image/webp', 'webp'],
    ['image/avif;q=0.000,image/webp;q=0.0', 'fallback'],
    ['image/webp;q=0,*/*', 'fallback'],
  ])('Accept: %s', (accept, format) => {
    expect(negotiateFormat(accept)).toBe(format);
  });
});

test.each(['q=high', 'q=', 'q=-1', 'q=1.5', 'q=0.1234', 'q=1.001', 'q=.5', 'q="1"'])(
  'an invalid weight (%s) chooses nothing',
  (weight) => {
    expect(negotiateFormat(`image/webp;${weight}`)).toBe('fallback');
  },
);

test('any header gives an answer', () => {
  const noise = fc.array(
    fc.oneof(fc.constantFrom('image/avif', 'image/webp', ';', ',', 'q=', '0.5', '"'), fc.string()),
  );
  fc.assert(
    fc.property(noise, (parts) => {
      expect(['avif', 'webp', 'fallback']).toContain(negotiateFormat(parts.join('')));
    }),
  );
});
