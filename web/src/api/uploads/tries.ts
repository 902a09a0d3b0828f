const BACKOFF_MS = [1000, 4000, 16_000];

/** What is known of the tries to send a file. */
export interface Tries {
  /** Those that got no further than the ones before. */
  tries: number;
  /** The most bytes that have left in one of them. */
  reached: number;
  /** Bytes that have left in the last one. */
  sent: number;
}

/**
 * Counts a try that has failed.
 * @param retryAfter when the service wants to be asked again, in seconds
 * @returns milliseconds until the next one; undefined when there were enough
 */
export function waitAfter(file: Tries, retryAfter: number | undefined): number | undefined {
  if (file.sent > file.reached) file.tries = 0;
  file.reached = Math.max(file.reached, file.sent);
  const wait = BACKOFF_MS[file.tries++];
  return wait === undefined || retryAfter === undefined ? wait : retryAfter * 1000;
}
