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
