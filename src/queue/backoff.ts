export interface BackoffOptions {
  /** Delay after the first failure, in ms. */
  firstMs: number;
  /** Upper limit, in ms. */
  maxMs: number;
  /** Random fraction of the delay, 0 to 1: nodes that failed together do not return together. */
  jitter?: number;
}

/**
 * Returns the delay after the nth failure in a row, in ms: doubles with each, up to `maxMs`; jitter only shortens it.
 */
export function backoff(failures: number, { firstMs, maxMs, jitter = 0 }: BackoffOptions): number {
  const delayMs = Math.min(maxMs, firstMs * 2 ** (failures - 1));
  return delayMs * (1 - jitter * Math.random());
}
