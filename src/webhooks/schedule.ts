const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Delays after the first attempt, the second, and so on: eight attempts in a day. */
const WAITS_MS = [5 * SECOND_MS, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 8 * HOUR_MS, 12 * HOUR_MS] as const;

/** Maximum delay of a delivery, in ms. */
export const MAX_DELIVERY_DELAY_MS = 14 * HOUR_MS;

/** A tenth more or less, so that deliveries that failed together do not return together. */
const JITTER = 0.1;

/**
 * Returns the delay after a failed attempt, in ms; undefined when it was the last one.
 * @param tries attempts so far, from 1
 * @param askedMs minimum delay requested by the receiver, in ms
 */
export function waitAfter(tries: number, askedMs = 0): number | undefined {
  const wait = WAITS_MS[tries - 1];
  if (wait === undefined) return undefined;
  return Math.max(askedMs, wait * (1 - JITTER + Math.random() * 2 * JITTER));
}
