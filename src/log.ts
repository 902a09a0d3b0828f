import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type Log = Logger;

/** Header fields that carry credentials never reach the log. */
const REDACTED = ['req.headers.authorization', 'req.headers["x-api-key"]', 'req.headers.cookie'];

/** One structured line for each event; on a terminal, lines for people. */
export function createLog({ level, format }: { level: string; format: 'auto' | 'json' | 'pretty' }): Log {
  const isPretty = format === 'pretty' || (format === 'auto' && process.stdout.isTTY);
  const options = { level, redact: REDACTED, base: null };
  return isPretty ? pino(options, pretty({ translateTime: 'SYS:HH:MM:ss' })) : pino(options);
}
