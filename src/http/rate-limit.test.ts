import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createRateLimiter } from './rate-limit.ts';

const request = { method: 'GET', url: '/t/a.jpg' } as IncomingMessage;

test('a window begins with the first request and ends on time', () => {
  let now = 1_000_000;
  const limit = createRateLimiter({ max: 2, windowMs: 10_000, readAddress: () => '203.0.113.7', now: () => now });
  const isOver = () => limit(request)?.isOver;
  expect([isOver(), isOver(), isOver()]).toEqual([false, false, true]);
  now += 9_999;
  expect(limit(request)).toMatchObject({ isOver: true, retryAfter: 1 });
  now += 1;
  expect(limit(request)).toEqual({
    isOver: false,
    headers: ['X-RateLimit-Limit', '2', 'X-RateLimit-Remaining', '1', 'X-RateLimit-Reset', '1020'],
    retryAfter: 10,
  });
});

test('two addresses of one IPv6 network are one client', () => {
  const addresses = ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'];
  let next = 0;
  const limit = createRateLimiter({ max: 1, windowMs: 10_000, readAddress: () => addresses[next++] ?? '' });
  expect(addresses.map(() => limit(request)?.isOver)).toEqual([false, true, false]);
});

test('more clients than are remembered do not make the table grow; those who asked last are still known', () => {
  let address = '';
  const limit = createRateLimiter({ max: 1, windowMs: 1e6, readAddress: () => address, maxClients: 100 });
  const ask = (n: number) => {
    address = `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
    return limit(request)?.isOver;
  };
  for (let n = 0; n < 10_000; n++) expect(ask(n)).toBe(false);
  expect(ask(9_999)).toBe(true);
  expect(ask(0)).toBe(false);
});
