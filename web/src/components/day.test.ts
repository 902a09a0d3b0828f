import { expect, test } from 'vitest';
import { dayIn } from './day.ts';

test.each(['2026-11-27', '2024-02-29', '0002-01-01'])('%s is a day', (text) => {
  expect(dayIn(text)).toBe(text);
});

test.each(['2026-99-99', '2026-02-29', '2026-04-31', '2026-00-10', '2026-1-1', ' 2026-11-27', 20_261_127, undefined])(
  '%j is no day',
  (value) => {
    expect(dayIn(value)).toBeUndefined();
  },
);
