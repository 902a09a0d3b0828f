import { expect, test } from 'vitest';
import { filterOf, isFiltered, readAuditSearch } from './address.ts';

test('reads the filter from the address, and nothing else', () => {
  expect(readAuditSearch({ action: 'key', target: 7, actor: ' ', from: 'yesterday', to: '2026-11-27', x: 1 })).toEqual({
    action: 'key',
    target: '7',
    to: '2026-11-27',
  });
});

test('ignores days that no calendar has', () => {
  expect(readAuditSearch({ from: '2026-02-30', to: '2026-99-99' })).toEqual({});
});

test('takes both days as a whole, in the time zone of the reader', () => {
  const { from = '', to = '' } = filterOf({ from: '2026-11-26', to: '2026-11-27' });
  expect(new Date(from)).toEqual(new Date(2026, 10, 26));
  expect(new Date(to)).toEqual(new Date(2026, 10, 28));
});

test('knows whether anything is filtered', () => {
  expect(isFiltered(readAuditSearch({}))).toBe(false);
  expect(isFiltered(readAuditSearch({ actor: 'u1' }))).toBe(true);
});
