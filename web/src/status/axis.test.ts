import { expect, test } from 'vitest';
import { indexAt, shareOf, topOf } from './axis.ts';

test('the top of a scale is a round number that no value exceeds', () => {
  expect([0, 1, 3, 7, 12, 480, 5000.5].map((value) => topOf(value))).toEqual([1, 1, 5, 10, 20, 500, 10_000]);
  expect(topOf(0.03)).toBeCloseTo(0.05);
  const MB = 1024 ** 2;
  expect([300 * MB, 1000, 3 * 1024 ** 3].map((value) => topOf(value, true) / MB)).toEqual([500, 1000 / MB, 5 * 1024]);
});

test('a position belongs to the nearest point', () => {
  expect([-1, 0, 0.24, 0.26, 1, 2].map((share) => indexAt(share, 3))).toEqual([0, 0, 0, 1, 2, 2]);
  expect([0, 1, 2].map((index) => shareOf(index, 3))).toEqual([0, 0.5, 1]);
  expect([shareOf(0, 1), indexAt(0.7, 1)]).toEqual([0, 0]);
});
