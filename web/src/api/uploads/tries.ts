const BACKOFF_MS = [1000, 4000, 16_000];

/** Retry state of an upload. */
export interface Tries {
  /** Attempts without progress. */
  tries: number;
  /** Most bytes sent in any attempt. */
  reached: number;
  /** Bytes sent in the last attempt. */
  sent: number;
}

/**
 * Records a failed attempt.
 * @param retryAfter seconds requested by the service
 * @returns delay in ms; undefined after too many attempts
 */
export function waitAfter(file: Tries, retryAfter: number | undefined): number | undefined {
  if (file.sent > file.reached) file.tries = 0;
  file.reached = Math.max(file.reached, file.sent);
  const wait = BACKOFF_MS[file.tries++];
  return wait === undefined || retryAfter === undefined ? wait : retryAfter * 1000;
}
