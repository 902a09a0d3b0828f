import { expect, test } from 'vitest';
import { cachedCopiesText } from './cached-copies-text.ts';

test('visitors of a replaced file are told apart by what CACHE_CONTROL lets browsers keep', () => {
  const now = Date.now();
  expect(cachedCopiesText(0, now)).toBe('Visitors see the new file at once.');
  expect(cachedCopiesText(null, now)).toContain('may show it as long as CACHE_CONTROL lets them keep it.');
  expect(cachedCopiesText(31_536_000, Date.UTC(2030, 4, 5, 12))).toContain('until May 5, 2031, because CACHE_CONTROL');
  expect(cachedCopiesText(300, now)).toMatch(/until \w+ \d+, \d+, \d+:\d+\s?[AP]M, because/);
});
