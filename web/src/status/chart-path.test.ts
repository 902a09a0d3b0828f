import { expect, test } from 'vitest';
import { areasOf } from './chart-path.ts';

const points = (...values: (number | null)[]) => values.map((value, at) => ({ at: String(at), value }));

test('a line goes from the left to the right, from 0 to the largest value', () => {
  expect(areasOf(points(0, 5, 10), 100, 52)).toEqual({
    line: 'M0 51L50 26L100 1',
    area: 'M0 52L0 51L50 26L100 1L100 52Z',
  });
});

test('a line has a gap where nothing is known, and a single value is seen', () => {
  expect(areasOf(points(10, null, 10), 100, 52).line).toBe('M0 1h1M100 1h1');
});

test('nothing and zeros are drawn too', () => {
  expect(areasOf([], 100, 52)).toEqual({ line: '', area: '' });
  expect(areasOf(points(0, 0), 100, 52).line).toBe('M0 51L100 51');
});
