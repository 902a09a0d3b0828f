import type { IncomingMessage } from 'node:http';
import { finished, Transform } from 'node:stream';
import { ClientLeft } from '../transport/send.ts';
import { FormFiles, type ReceivedFile } from './form-files.ts';
import { MinimumRate, type RateLimits, requestTooLarge } from './minimum-rate.ts';
import type { Capacity } from './upload-capacity.ts';

export interface FileBodyOptions extends RateLimits {
  temp: string;
  maxFileBytes: number;
  maxFileSetting: string;
  capacity: Capacity;
}

/**
 * Receives a body that is a file into a temporary file, in constant memory. A file over the limit is read to its end
 * without being stored; the caller discards the result.
 * @throws HttpProblem 413 for a request over the limit, 408 for a client that stops sending or is too slow, 503 without
 * capacity; ClientLeft
 */
export async function receiveFile(request: IncomingMessage, options: FileBodyOptions): Promise<ReceivedFile> {
  const { maxRequestBytes } = options;
  const dropped = new AbortController();
  const files = new FormFiles({ ...options, signal: dropped.signal });
  const rate = new MinimumRate(options);
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      rate.receive(chunk.length);
      done(rate.received > maxRequestBytes ? requestTooLarge(maxRequestBytes) : null, chunk);
    },
  });
  finished(request, (cause) => {
    if (cause) meter.destroy(new ClientLeft({ cause }));
  });
  const saving = files.add(meter, { name: '', declaredType: request.headers['content-type'] ?? '' });
  request.pipe(meter);
  try {
    await Promise.race([saving, rate.tooSlow]);
    const [file] = await files.all();
    if (!file) throw new ClientLeft();
    return file;
  } catch (error) {
    dropped.abort(error);
    request.unpipe(meter);
    await files.discard();
    throw error;
  } finally {
    rate.stop();
  }
}
