import { createRequire } from 'node:module';
import { type Logger, pino } from 'pino';
import type { PinoPretty } from 'pino-pretty';
import { escapeJson, showEscapes } from './runtime/printable.ts';

/** Takes whole lines, each with its end. */
export interface LineStream {
  write(line: string): void;
}

export interface Log extends Logger {
  /** Where the lines go: for those that are written so often that they are not formatted by the logger. */
  readonly lines: LineStream;
}

/** Headers with credentials never reach the log. */
const REDACTED = ['req.headers.authorization', 'req.headers["x-api-key"]', 'req.headers.cookie'];

/** Lines are written in the background: a request does not wait for them. If nobody reads them, lines beyond this are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** A system call for each line would cost more than the line: lines are gathered up to this size or time. */
const GATHERED_BYTES = 8 * 1024;
const GATHERED_MS = 100;
/** One call writes all lines since the last one: with smaller calls, lines would pile up while they wait for a CPU. */
const WRITTEN_AT_ONCE = 256 * 1024;

/** Makes the log: one structured line for each event, or on a terminal lines for people. */
export function createLog(
  { level, format }: { level: string; format: 'auto' | 'json' | 'pretty' },
  lines: LineStream = openStream(format),
): Log {
  // Names and URLs are those of strangers, and logs are read on terminals.
  const hooks = { streamWrite: escapeJson };
  return Object.assign(pino({ level, redact: REDACTED, base: null, hooks }, lines), { lines });
}

function openStream(format: 'auto' | 'json' | 'pretty'): LineStream {
  if (format === 'pretty' || (format === 'auto' && process.stdout.isTTY)) return openPretty();
  const gathering = { minLength: GATHERED_BYTES, periodicFlush: GATHERED_MS, maxWrite: WRITTEN_AT_ONCE };
  return pino.destination({ sync: false, maxLength: MAX_WAITING_BYTES, ...gathering });
}

/** Loaded only where people read the lines. */
function openPretty(): LineStream {
  const pretty: typeof PinoPretty = createRequire(import.meta.url)('pino-pretty');
  const stream = pretty({ translateTime: 'SYS:HH:MM:ss' });
  return { write: (line) => stream.write(showEscapes(line)) };
}

/** Says once what fails, however often it is tried again, and once that it works again. */
export class FailureLog {
  readonly #log: Logger;
  readonly #texts: Readonly<Record<'fails' | 'works', string>>;
  /** The failure that was said last. */
  #said: string | undefined;

  constructor(log: Logger, texts: Readonly<Record<'fails' | 'works', string>>) {
    this.#log = log;
    this.#texts = texts;
  }

  failed(err: unknown): void {
    const failure = String(err);
    if (failure !== this.#said) this.#log.error({ err }, this.#texts.fails);
    this.#said = failure;
  }

  succeeded(): void {
    if (this.#said !== undefined) this.#log.info(this.#texts.works);
    this.#said = undefined;
  }
}
