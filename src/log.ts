import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type Log = Logger;

/** Header fields that carry credentials never reach the log. */
const REDACTED = ['req.headers.authorization', 'req.headers["x-api-key"]', 'req.headers.cookie'];

/** Lines are written in the background: a request does not wait for them. When nobody takes them, more than this is dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** One system call for each line would cost more than the line: they are gathered until there are so many, or so much time has passed. */
const GATHERED_BYTES = 8 * 1024;
const GATHERED_MS = 100;
/** One call takes all that has come meanwhile: where it waits for a CPU, lines would pile up behind smaller ones. */
const WRITTEN_AT_ONCE = 256 * 1024;

/** One structured line for each event; on a terminal, lines for people. */
export function createLog({ level, format }: { level: string; format: 'auto' | 'json' | 'pretty' }): Log {
  const isPretty = format === 'pretty' || (format === 'auto' && process.stdout.isTTY);
  const options = { level, redact: REDACTED, base: null };
  if (isPretty) return pino(options, pretty({ translateTime: 'SYS:HH:MM:ss' }));
  const gathering = { minLength: GATHERED_BYTES, periodicFlush: GATHERED_MS, maxWrite: WRITTEN_AT_ONCE };
  return pino(options, pino.destination({ sync: false, maxLength: MAX_WAITING_BYTES, ...gathering }));
}
