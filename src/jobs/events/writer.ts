import { setTimeout as pause } from 'node:timers/promises';
import { FailureLog, type Log } from '../../log.ts';
import type { EventTable, NewEvent } from './table.ts';

export interface EventWriterOptions {
  table: Pick<EventTable, 'append'>;
  log: Log;
  /** Called when so many events have been written. */
  onWritten(count: number): void;
}

/** How many events are written at a time. */
const BATCH = 500;
/** More than this many are not kept while they cannot be written; the oldest go. */
const MAX_WAITING = 10_000;
/** The pause after events could not be written doubles with each failure, in milliseconds. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

interface Waiting extends NewEvent {
  written: () => void;
}

/** Writes the events of this node, one batch after the other: what is told while one is being written goes into the next. */
export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #writes: FailureLog;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: EventWriterOptions) {
    this.#options = options;
    const texts = { fails: 'events of jobs cannot be written', works: 'events of jobs can be written again' };
    this.#writes = new FailureLog(options.log, texts);
  }

  /** Resolves when the event is written, or given up. */
  write(event: NewEvent): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ ...event, written: resolve });
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift()?.written();
    this.#writing ??= this.#writeAll();
    return promise;
  }

  /** Resolves when nothing waits any more. What cannot be written now is not written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    // What is told in the same moment goes together.
    await new Promise(setImmediate);
    for (let failures = 0; this.#waiting.length > 0; ) {
      const batch = this.#waiting.splice(0, BATCH);
      if (await this.#append(batch)) {
        failures = 0;
        continue;
      }
      if (this.#isClosed) break;
      // Events that were written all the same, but without an answer, are not written twice: they have keys.
      this.#waiting.unshift(...batch);
      await pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++), undefined, { ref: false });
    }
    this.#writing = undefined;
  }

  async #append(batch: readonly Waiting[]): Promise<boolean> {
    const { table, onWritten } = this.#options;
    try {
      await table.append(batch);
    } catch (err) {
      this.#writes.failed(err);
      return false;
    }
    this.#writes.succeeded();
    for (const { written } of batch) written();
    onWritten(batch.length);
    return true;
  }
}
