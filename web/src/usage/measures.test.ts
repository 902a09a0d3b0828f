import { expect, test } from 'vitest';
import { formatDuration, formatMeasure } from './measures.ts';

test('shows durations with two units at most', () => {
  const shown = [0, 0.02, 4.26, 12.4, 60, 200, 640, 3599, 3600, 18_240, 7_200_000].map(formatDuration);
  expect(shown).toEqual([
    '0 s',
    '0.1 s',
    '4.3 s',
    '12 s',
    '1 min',
    '3 min 20 s',
    '11 min',
    '1 h',
    '1 h',
    '5 h 4 min',
    '2,000 h',
  ]);
});

test('shows each measure in its unit', () => {
  expect(formatMeasure('deliveredBytes', 2048)).toBe('2 KB');
  expect(formatMeasure('requests', 48211)).toBe('48,211');
  expect(formatMeasure('renderSeconds', 131.4)).toBe('2 min 11 s');
});
