import { expect, test } from 'vitest';
import { RenderTimes } from './render-metrics.ts';

test('what 50 and 95 of 100 renders did not exceed, to within a tenth, since it was last asked', () => {
  const times = new RenderTimes();
  expect(times.take()).toEqual({});
  for (let ms = 1; ms <= 1000; ms++) times.add(ms);
  const { p50Ms, p95Ms } = times.take();
  expect(p50Ms).toSatisfy((ms: number) => ms >= 500 && ms <= 500 * 1.1);
  expect(p95Ms).toSatisfy((ms: number) => ms >= 950 && ms <= 950 * 1.1);
  expect(times.take()).toEqual({});
  times.add(40);
  for (const time of Object.values(times.take())) expect(time).toSatisfy((ms: number) => ms >= 40 && ms <= 44);
});

test('the shortest and the longest', () => {
  const times = new RenderTimes();
  times.add(0);
  expect(times.take()).toEqual({ p50Ms: 1, p95Ms: 1 });
  times.add(1e12);
  expect(times.take().p95Ms).toBeGreaterThan(3_600_000);
});
