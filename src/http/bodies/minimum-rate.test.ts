import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MinimumRate, type RateLimits } from './minimum-rate.ts';

const LIMITS: RateLimits = { idleMs: 10_000, graceMs: 20_000, minBytesPerSecond: 1000, maxRequestBytes: 50_000 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Seconds until a body is abandoned; undefined when it is not within ten minutes. */
async function givenUpAfter(
  receive: (rate: MinimumRate, second: number) => void,
  limits: RateLimits = LIMITS,
): Promise<number | undefined> {
  const rate = new MinimumRate(limits);
  let reason: { status?: number } | undefined;
  rate.tooSlow.catch((error) => {
    reason = error;
  });
  for (let second = 1; second <= 600; second++) {
    receive(rate, second);
    await vi.advanceTimersByTimeAsync(1000);
    if (reason === undefined) continue;
    expect(reason.status).toBe(408);
    rate.stop();
    return second;
  }
  rate.stop();
  return undefined;
}

test('a body that pauses is given up', async () => {
  expect(await givenUpAfter(() => undefined)).toBe(10);
  expect(await givenUpAfter((rate, second) => second === 1 && rate.receive(1_000_000))).toBe(10);
});

test('a body that never pauses has the time of its size, and a grace', async () => {
  expect(await givenUpAfter((rate) => rate.receive(1))).toBe(21);
  // 500 bytes a second for 40 seconds are 20,000: another 20 seconds.
  expect(await givenUpAfter((rate) => rate.receive(500))).toBe(40);
});

test('a body that is fast enough has time up to that of the largest request', async () => {
  expect(await givenUpAfter((rate) => rate.receive(1000))).toBe(70);
  expect(await givenUpAfter((rate) => rate.receive(1_000_000))).toBe(70);
});

test('a body that came fast and then trickles is given up after ten times the grace, however much came', async () => {
  const trickle = (rate: MinimumRate, second: number) => rate.receive(second === 1 ? 10_000_000 : 1);
  expect(await givenUpAfter(trickle, { ...LIMITS, maxRequestBytes: 100_000_000 })).toBe(201);
});
