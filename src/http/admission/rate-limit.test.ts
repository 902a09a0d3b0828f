import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createRateLimiter, type Quota, type RateLimiter } from './rate-limit.ts';

const request = { method: 'GET', url: '/t/a.jpg' } as IncomingMessage;

/** Counts a request. Without sessions and other nodes, the result is immediate. */
const countIn = (limiter: RateLimiter) => limiter.count(request) as Quota | undefined;

test('a window begins with the first request and ends on time', () => {
  let now = 1_000_000;
  const readAddress = () => '203.0.113.7';
  const limit = createRateLimiter({
    max: 2,
    windowMs: 10_000,
    readAddress,
    now: () => now,
    unixNow: () => now,
  });
  const isOver = () => countIn(limit)?.isOver;
  expect([isOver(), isOver(), isOver()]).toEqual([false, false, true]);
  now += 9_999;
  expect(countIn(limit)).toMatchObject({ isOver: true, retryAfter: 1 });
  now += 1;
  expect(countIn(limit)).toEqual({
    isOver: false,
    headers: ['X-RateLimit-Limit', '2', 'X-RateLimit-Remaining', '1', 'X-RateLimit-Reset', '1020'],
    retryAfter: 10,
  });
});

test('a system clock that is set back or forward moves no window, and its end is told by the clock as it is', () => {
  let now = 5000;
  let unixNow = 1_800_000_000_000;
  const readAddress = () => '203.0.113.7';
  const limit = createRateLimiter({
    max: 1,
    windowMs: 10_000,
    readAddress,
    now: () => now,
    unixNow: () => unixNow,
  });
  const reset = () => countIn(limit)?.headers.at(-1);
  expect(reset()).toBe('1800000010');
  for (const jump of [-172_800_000, 7_200_000]) {
    now += 1000;
    unixNow += 1000 + jump;
    expect(countIn(limit)).toMatchObject({ isOver: true, retryAfter: now === 6000 ? 9 : 8 });
    expect(reset()).toBe(String((unixNow + 15_000 - now) / 1000));
  }
  now += 8000;
  expect(countIn(limit)).toMatchObject({ isOver: false });
});

test('the end of a window stays the same to the second, whatever the two clocks make of a millisecond', () => {
  let now = 0.7;
  let unixNow = 1_000_000;
  const limit = createRateLimiter({
    max: 9,
    windowMs: 10_000,
    readAddress: () => '',
    now: () => now,
    unixNow: () => unixNow,
  });
  const resets = [0, 0.4, 0.2].map((drift) => {
    now += 1 - drift;
    unixNow += 1;
    return countIn(limit)?.headers.at(-1);
  });
  expect(new Set(resets).size).toBe(1);
});

test('two addresses of one IPv6 network are one client', () => {
  const addresses = ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'];
  let next = 0;
  const limit = createRateLimiter({ max: 1, windowMs: 10_000, readAddress: () => addresses[next++] ?? '' });
  expect(addresses.map(() => countIn(limit)?.isOver)).toEqual([false, true, false]);
});

test('more clients than are remembered do not make the table grow; those who asked last are still known', () => {
  let address = '';
  const limit = createRateLimiter({ max: 1, windowMs: 1e6, readAddress: () => address, maxClients: 100 });
  const ask = (n: number) => {
    address = `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
    return countIn(limit)?.isOver;
  };
  for (let n = 0; n < 10_000; n++) expect(ask(n)).toBe(false);
  expect(ask(9_999)).toBe(true);
  expect(ask(0)).toBe(false);
});

test('tries to count only what is within the limit and waits for nothing', async () => {
  let session: string | null | undefined = null;
  const sessions = {
    recall: () => session,
    isSigned: () => false,
    learn: async () => {
      session = 'admin';
    },
  };
  const limit = createRateLimiter({ max: 1, windowMs: 10_000, readAddress: () => '203.0.113.7', sessions });
  expect(limit.tryCount(request)).toBeUndefined();
  expect((await limit.count(request))?.headers.slice(1, 4)).toEqual(['100', 'X-RateLimit-Remaining', '99']);
  expect(limit.tryCount(request)?.[3]).toBe('98');
  session = undefined;
  expect(limit.tryCount(request)?.[3]).toBe('0');
  expect(limit.tryCount(request)).toBeUndefined();
  expect(await limit.count(request)).toMatchObject({ isOver: true });
  expect(createRateLimiter({ max: 0, windowMs: 1, readAddress: () => '' }).tryCount(request)).toEqual([]);
});
