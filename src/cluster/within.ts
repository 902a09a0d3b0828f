/** What a wait ends with that has come to its end. */
export const LATE = Symbol('late');

/** The result, or `LATE` after so many milliseconds. @throws the signal's reason when it aborts before */
export async function within<T>(
  result: Promise<T>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<T | typeof LATE> {
  signal?.throwIfAborted();
  const end = Promise.withResolvers<typeof LATE>();
  const abort = () => end.reject(signal?.reason);
  const timer = setTimeout(() => end.resolve(LATE), Math.max(0, ms));
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([result, end.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
