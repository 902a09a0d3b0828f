import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { setPriority } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { parentPort } from 'node:worker_threads';

/** Sent to the thread: hash a file, or stop doing so. */
export type Sha256Order = { id: number; file: string } | { id: number; cancelled: true };

/** Sent by the thread. */
export type Sha256Answer = { id: number; sha256: string } | { id: number; error: FileError };

/** An error loses its code on the way between threads. */
export interface FileError {
  message: string;
  code: string | undefined;
}

/** Large enough for few switches between reading and hashing, small enough for memory. */
const CHUNK_BYTES = 256 * 1024;
const NICENESS = 19;

const underWay = new Map<number, AbortController>();

lowerPriority();
parentPort?.on('message', (order: Sha256Order) => {
  if ('file' in order) void answer(order.id, order.file);
  else underWay.get(order.id)?.abort();
});

/** On Linux this is the priority of the thread alone; elsewhere it would be that of the service. */
function lowerPriority(): void {
  try {
    if (process.platform === 'linux') setPriority(NICENESS);
  } catch {
    // Some sandboxes do not allow it at all. Hashing does not depend on it.
  }
}

async function answer(id: number, file: string): Promise<void> {
  const abort = new AbortController();
  underWay.set(id, abort);
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file, { highWaterMark: CHUNK_BYTES }), hash, { signal: abort.signal });
    tell({ id, sha256: hash.digest('hex') });
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException;
    tell({ id, error: { message, code } });
  } finally {
    underWay.delete(id);
  }
}

function tell(message: Sha256Answer): void {
  parentPort?.postMessage(message);
}
