import { expect, test } from 'vitest';
import { formatTook } from './took.ts';

test('a time that something took is never nothing', () => {
  const took = (seconds: number) => [seconds, formatTook(seconds)];
  expect([0.04, 0.31, 9.94, 9.96, 12, 59.4, 59.6, 65, 3723].map(took)).toEqual([
    [0.04, '0.1 s'],
    [0.31, '0.3 s'],
    [9.94, '9.9 s'],
    [9.96, '10 s'],
    [12, '12 s'],
    [59.4, '59 s'],
    [59.6, '1:00'],
    [65, '1:05'],
    [3723, '1:02:03'],
  ]);
});
