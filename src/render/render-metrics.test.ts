import { expect, test } from 'vitest';
import { RenderTimes } from './render-metrics.ts';

test('what 95 of 100 renders did not exceed, to within a tenth, since it was last asked', () => {
  const times = new RenderTimes();
  expect(times.take()).toBeUndefined();
  for (let ms = 1; ms <= 1000; ms++) times.add(ms);
  expect(times.take()).toSatisfy((ms: number) => ms >= 950 && ms <= 950 * 1.1);
  expect(times.take()).toBeUndefined();
  times.add(40);
  expect(times.take()).toSatisfy((ms: number) => ms >= 40 && ms <= 44);
});

test('the shortest and the longest', () => {
  const times = new RenderTimes();
  times.add(0);
  expect(times.take()).toBe(1);
  times.add(1e12);
  expect(times.take()).toBeGreaterThan(3_600_000);
});
