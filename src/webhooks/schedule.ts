const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The waits after the first attempt, the second, and so on: eight attempts in a day. */
const WAITS_MS = [5 * SECOND_MS, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 8 * HOUR_MS, 12 * HOUR_MS] as const;

/** No delivery is delayed longer, in ms. */
export const MAX_DELIVERY_DELAY_MS = 14 * HOUR_MS;

/** A tenth more or less, so that what has failed together does not come back together. */
const JITTER = 0.1;

/**
 * How long a delivery waits after an attempt that has failed, in milliseconds; undefined when it was the last one.
 * @param tries attempts so far, from 1
 * @param askedMs how long the receiver wants to be left alone
 */
export function waitAfter(tries: number, askedMs = 0): number | undefined {
  const wait = WAITS_MS[tries - 1];
  if (wait === undefined) return undefined;
  return Math.max(askedMs, wait * (1 - JITTER + Math.random() * 2 * JITTER));
}
