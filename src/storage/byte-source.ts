import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type ByteSource = Readable | AsyncIterable<Uint8Array>;

/**
 * Runs `use` with the chunks of a source. An abort ends the chunks immediately with the signal's reason, even when the
 * source has stalled. The stream is always destroyed afterwards.
 */
export async function consume<T>(
  source: ByteSource,
  signal: AbortSignal | undefined,
  use: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const stream = source instanceof Readable ? source : undefined;
  // An error before the first read would be an uncaught event. The stream stores it and the first read throws it.
  stream?.on('error', () => undefined);
  try {
    signal?.throwIfAborted();
    return await use(signal === undefined ? source : abortable(source, signal));
  } finally {
    stream?.destroy();
  }
}

/** Returns the SHA-256 of a stream, in hexadecimal. */
export async function sha256Of(bytes: Readable): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(bytes, hash);
  return hash.digest('hex');
}

async function* abortable(source: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await orAborted(iterator.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    const closing = iterator.return?.();
    // A stalled iterator closes when it resumes, if ever: an abort does not wait for that.
    if (signal.aborted) closing?.catch(() => undefined);
    else await closing;
  }
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
