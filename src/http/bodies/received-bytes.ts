import type { IncomingMessage } from 'node:http';
import { finished, Writable } from 'node:stream';
import { finished as ended } from 'node:stream/promises';
import { HttpProblem, payloadTooLarge } from '../../errors.ts';
import type { Sink } from '../../library/resumable/resumable-uploads.ts';
import { ClientLeft } from '../transport/send.ts';
import { MinimumRate, type RateLimits } from './minimum-rate.ts';

/**
 * Writes a body to the sink as it arrives, in constant memory. Bytes written before an error stay written.
 * @throws HttpProblem 413 for more bytes than are missing, 408 for a client that stops sending or is too slow, 423 when
 * another request wants to continue; errors of the sink; ClientLeft
 */
export async function receiveBytes(
  request: IncomingMessage,
  { write, left, superseded: wanted }: Sink,
  limits: RateLimits,
): Promise<void> {
  if (Number(request.headers['content-length']) > left) throw tooMany(left);
  const rate = new MinimumRate(limits);
  let writing: Promise<void> = Promise.resolve();
  const meter = new Writable({
    write(piece: Buffer, _encoding, done) {
      rate.receive(piece.length);
      if (rate.received > left) return done(tooMany(left));
      writing = write(piece);
      writing.then(() => done(), done);
    },
  });
  finished(request, (cause) => {
    if (cause) meter.destroy(new ClientLeft({ cause }));
  });
  const superseded = Promise.withResolvers<never>();
  const leave = () => superseded.reject(new HttpProblem('upload_busy', 'Another request is writing to this upload.'));
  if (wanted.aborted) leave();
  wanted.addEventListener('abort', leave, { once: true });
  request.pipe(meter);
  try {
    await Promise.race([ended(meter), rate.tooSlow, superseded.promise]);
  } catch (error) {
    request.unpipe(meter);
    meter.destroy();
    await writing.catch(() => undefined);
    throw error;
  } finally {
    rate.stop();
  }
}

function tooMany(left: number): HttpProblem {
  return payloadTooLarge(
    `Expected at most ${left} bytes, which are missing of the length that the upload was begun with.`,
  );
}
