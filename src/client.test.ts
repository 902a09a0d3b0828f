import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anonymousBytes, bytesWithReserve } from './client.ts';

test('a limit with the reserve leaves anonymous clients all the bytes that it was made for', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 50 }), (bytes) => {
      const limit = bytesWithReserve(bytes);
      expect(anonymousBytes(limit)).toBeGreaterThanOrEqual(bytes);
      expect(anonymousBytes(limit - 1)).toBeLessThan(bytes);
    }),
  );
});

test('one file of a trusted client is reserved where it is more than a tenth and leaves room for an anonymous one', () => {
  expect(anonymousBytes(1000, 50)).toBe(900);
  expect(anonymousBytes(1000, 300)).toBe(700);
  expect(anonymousBytes(1000, 800)).toBe(800);
});
