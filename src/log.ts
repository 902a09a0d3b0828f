import { createRequire } from 'node:module';
import { type Logger, pino } from 'pino';
import type { PinoPretty } from 'pino-pretty';
import { escapeJson, showEscapes } from './runtime/printable.ts';

/** Accepts whole lines, each with its newline. */
export interface LineStream {
  write(line: string): void;
  /** Writes what is buffered. The logger calls it for `flush`. */
  flush?(done: () => void): void;
}

export interface Log extends Logger {
  /** Destination of the lines, for frequent ones that bypass the logger's formatting. */
  readonly lines: LineStream;
}

/** Headers with credentials, which never reach the log. */
const REDACTED = ['req.headers.authorization', 'req.headers["x-api-key"]', 'req.headers.cookie'];

/**
 * Lines are written in the background, so that no request waits. If no process reads them, lines beyond this are
 * dropped.
 */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/** Size and age at which buffered lines are written. A system call for each line would cost more than the line. */
const FLUSH_BYTES = 8 * 1024;
const FLUSH_MS = 100;
/** Maximum size of one write. With smaller writes, lines would pile up while they wait for a CPU. */
const WRITE_BYTES = 256 * 1024;

/** Creates the log: one JSON line per event, or readable lines on a terminal. */
export function createLog(
  { level, format }: { level: string; format: 'auto' | 'json' | 'pretty' },
  lines: LineStream = openStream(format),
): Log {
  // Names and URLs come from anonymous clients, and logs are read on terminals.
  const hooks = { streamWrite: escapeJson };
  return Object.assign(pino({ level, redact: REDACTED, base: null, hooks }, lines), { lines });
}

function openStream(format: 'auto' | 'json' | 'pretty'): LineStream {
  if (format === 'pretty' || (format === 'auto' && process.stdout.isTTY)) return openPretty();
  return openBatch();
}

/** Flushes the batch of each log. */
const flushes = new Set<() => void>();

// Registered before the listener of the first destination, which writes synchronously what the batches hand over. A
// write that a thread has begun may then come after these lines, so a process that ends in order waits for `flush`.
process.once('exit', () => {
  for (const flush of flushes) flush();
});

/**
 * Joins lines before they reach the destination, which would append each one to a string: that costs four times the
 * CPU time.
 */
function openBatch(): LineStream {
  let lines: string[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines.length === 0) return;
    const batch = lines.join('');
    lines = [];
    bytes = 0;
    destination.write(batch);
  };
  flushes.add(flush);
  const destination = pino.destination({
    sync: false,
    maxLength: MAX_BUFFERED_BYTES,
    minLength: FLUSH_BYTES,
    periodicFlush: FLUSH_MS,
    maxWrite: WRITE_BYTES,
  });
  return {
    write(line) {
      lines.push(line);
      bytes += line.length;
      if (bytes >= FLUSH_BYTES) flush();
      else timer ??= setTimeout(flush, FLUSH_MS).unref();
    },
    flush(done) {
      flush();
      destination.flush(() => done());
    },
  };
}

/** Loads the formatter only where it is used. */
function openPretty(): LineStream {
  const pretty: typeof PinoPretty = createRequire(import.meta.url)('pino-pretty');
  const stream = pretty({ translateTime: 'SYS:HH:MM:ss' });
  return { write: (line) => stream.write(showEscapes(line)) };
}

/** Logs a repeated failure once, and the recovery once. */
export class FailureLog {
  readonly #log: Logger;
  readonly #texts: Readonly<Record<'fails' | 'works', string>>;
  /** Last failure that was logged. */
  #logged: string | undefined;

  constructor(log: Logger, texts: Readonly<Record<'fails' | 'works', string>>) {
    this.#log = log;
    this.#texts = texts;
  }

  failed(err: unknown): void {
    const failure = String(err);
    if (failure !== this.#logged) this.#log.error({ err }, this.#texts.fails);
    this.#logged = failure;
  }

  succeeded(): void {
    if (this.#logged !== undefined) this.#log.info(this.#texts.works);
    this.#logged = undefined;
  }

  /** Runs work and notes how it ended. Returns undefined after a failure. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      this.succeeded();
      return result;
    } catch (error) {
      this.failed(error);
      return undefined;
    }
  }
}
