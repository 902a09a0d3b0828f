import { expect, test } from 'vitest';
import { createDenials } from './denials.ts';

test('a client gets ten entries in ten minutes, and the next one counts those that were left out', () => {
  let now = 0;
  const denials = createDenials({ now: () => now });
  const admitted = Array.from({ length: 15 }, () => denials.admit('203.0.113.7', true));
  expect(admitted).toEqual([...Array<number>(10).fill(0), ...Array<undefined>(5).fill(undefined)]);
  expect(denials.admit('203.0.113.8', true)).toBe(0);
  now = 600_000;
  expect(denials.admit('203.0.113.7', true)).toBe(5);
  expect(denials.admit('203.0.113.7', true)).toBe(0);
});

test('anonymous clients together get a thousand entries an hour, those with credentials still theirs', () => {
  let now = 0;
  const denials = createDenials({ now: () => now });
  let admitted = 0;
  for (let n = 0; n < 5000; n++) if (denials.admit(`2001:db8:${n.toString(16)}::/64`, true) !== undefined) admitted++;
  expect(admitted).toBe(1000);
  expect(denials.admit('key k1', false)).toBe(0);
  now = 3_600_000;
  expect(denials.admit('203.0.113.7', true)).toBe(0);
});
