import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Pace, type PaceLimits } from './pace.ts';

const LIMITS: PaceLimits = { idleMs: 10_000, graceMs: 20_000, minBytesPerSecond: 1000, maxRequestBytes: 50_000 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Seconds until a body is abandoned; undefined when it is not within ten minutes. */
async function givenUpAfter(
  receive: (pace: Pace, second: number) => void,
  limits: PaceLimits = LIMITS,
): Promise<number | undefined> {
  const pace = new Pace(limits);
  let reason: { status?: number } | undefined;
  pace.tooSlow.catch((error) => {
    reason = error;
  });
  for (let second = 1; second <= 600; second++) {
    receive(pace, second);
    await vi.advanceTimersByTimeAsync(1000);
    if (reason === undefined) continue;
    expect(reason.status).toBe(408);
    pace.stop();
    return second;
  }
  pace.stop();
  return undefined;
}

test('a body that pauses is given up', async () => {
  expect(await givenUpAfter(() => undefined)).toBe(10);
  expect(await givenUpAfter((pace, second) => second === 1 && pace.receive(1_000_000))).toBe(10);
});

test('a body that never pauses has the time of its size, and a grace', async () => {
  expect(await givenUpAfter((pace) => pace.receive(1))).toBe(21);
  // 500 bytes a second for 40 seconds are 20,000: another 20 seconds.
  expect(await givenUpAfter((pace) => pace.receive(500))).toBe(40);
});

test('a body that is fast enough has time up to that of the largest request', async () => {
  expect(await givenUpAfter((pace) => pace.receive(1000))).toBe(70);
  expect(await givenUpAfter((pace) => pace.receive(1_000_000))).toBe(70);
});

test('a body that came fast and then trickles is given up after ten times the grace, however much came', async () => {
  const trickle = (pace: Pace, second: number) => pace.receive(second === 1 ? 10_000_000 : 1);
  expect(await givenUpAfter(trickle, { ...LIMITS, maxRequestBytes: 100_000_000 })).toBe(201);
});
