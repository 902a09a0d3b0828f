import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { constants } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { lowerThreadPriority } from '../runtime/priority.ts';
import { answerQuestions } from '../runtime/question-thread.ts';

/** Large enough for few switches between reading and hashing, small enough for memory. */
const CHUNK_BYTES = 256 * 1024;

lowerThreadPriority(constants.priority.PRIORITY_LOW);
answerQuestions(async (file: string, signal) => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: CHUNK_BYTES }), hash, { signal });
  return hash.digest('hex');
});
