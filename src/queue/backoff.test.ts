import { expect, test } from 'vitest';
import { backoff } from './backoff.ts';

test('the delay doubles with each failure, up to the maximum', () => {
  const delays = [1, 2, 3, 4, 50].map((failures) => backoff(failures, { firstMs: 100, maxMs: 500 }));
  expect(delays).toEqual([100, 200, 400, 500, 500]);
});

test('jitter shortens the delay by its fraction at most', () => {
  const delays = Array.from({ length: 1000 }, () => backoff(3, { firstMs: 100, maxMs: 1000, jitter: 0.5 }));
  expect(Math.min(...delays)).toBeGreaterThan(200);
  expect(Math.max(...delays)).toBeLessThanOrEqual(400);
  expect(new Set(delays).size).toBeGreaterThan(1);
});
