import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { setPriority } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { answerQuestions } from '../runtime/question-thread.ts';

/** Large enough for few switches between reading and hashing, small enough for memory. */
const CHUNK_BYTES = 256 * 1024;
const NICENESS = 19;

lowerPriority();
answerQuestions(async (file: string, signal) => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: CHUNK_BYTES }), hash, { signal });
  return hash.digest('hex');
});

/** On Linux this is the priority of the thread alone; elsewhere it would be that of the service. */
function lowerPriority(): void {
  try {
    if (process.platform === 'linux') setPriority(NICENESS);
  } catch {
    // Some sandboxes do not allow it at all. Hashing does not depend on it.
  }
}
