import { expect, test } from 'vitest';
import { readUsageSearch } from './address.ts';
import { countDays, daysIn, rangeOf } from './days.ts';

const NOW = Date.parse('2026-03-01T23:30:00Z');

test('shows the last 30 days in UTC unless the address says otherwise', () => {
  expect(rangeOf({}, NOW)).toEqual({ from: '2026-01-31', to: '2026-03-01' });
  expect(rangeOf({ days: 7 }, NOW)).toEqual({ from: '2026-02-23', to: '2026-03-01' });
  expect(rangeOf({ from: '2026-02-01', to: '2026-02-28' }, NOW)).toEqual({ from: '2026-02-01', to: '2026-02-28' });
});

test('ignores days of the address that no calendar has', () => {
  const search = readUsageSearch({ from: '2026-02-30', to: '2026-99-99' });
  expect(rangeOf(search, NOW)).toEqual({ from: '2026-01-31', to: '2026-03-01' });
});

test('lists each day of a range once, across months and leap days', () => {
  expect(daysIn({ from: '2024-02-28', to: '2024-03-01' })).toEqual(['2024-02-28', '2024-02-29', '2024-03-01']);
  expect(daysIn({ from: '2026-11-27', to: '2026-11-27' })).toEqual(['2026-11-27']);
});

test('lists no day when the first is after the last', () => {
  expect(countDays({ from: '2026-11-28', to: '2026-11-26' })).toBeLessThan(1);
  expect(daysIn({ from: '2026-11-28', to: '2026-11-26' })).toEqual([]);
});
