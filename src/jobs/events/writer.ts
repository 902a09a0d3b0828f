import { setTimeout as pause } from 'node:timers/promises';
import { FailureLog, type Log } from '../../log.ts';
import { type BackoffOptions, backoff } from '../../queue/backoff.ts';
import type { EventTable, NewEvent } from './table.ts';

export interface EventWriterOptions {
  table: Pick<EventTable, 'append'>;
  log: Log;
  /** Called with the number of events written. */
  onWritten(count: number): void;
}

/** Number of events per statement. */
const BATCH = 500;
/** Maximum number of events that wait while writes fail; the oldest are dropped. */
const MAX_WAITING = 10_000;
/** Pause after a failed write. */
const PAUSE: BackoffOptions = { firstMs: 100, maxMs: 5000 };

interface Waiting extends NewEvent {
  written: () => void;
}

/**
 * Writes the events of this node, one batch after the other: events published during a write go into the next batch.
 */
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

  /** Resolves when the event is written or dropped. */
  write(event: NewEvent): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ ...event, written: resolve });
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift()?.written();
    this.#writing ??= this.#writeAll();
    return promise;
  }

  /** Resolves when nothing waits. Events that cannot be written now are dropped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    // Events published in the same moment go together.
    await new Promise(setImmediate);
    for (let failures = 0; this.#waiting.length > 0; ) {
      const batch = this.#waiting.splice(0, BATCH);
      if (await this.#append(batch)) {
        failures = 0;
        continue;
      }
      if (this.#isClosed) break;
      // Events that were written although the response was lost are not written twice: they have keys.
      this.#waiting.unshift(...batch);
      await pause(backoff(++failures, PAUSE), undefined, { ref: false });
    }
    this.#writing = undefined;
  }

  async #append(batch: readonly Waiting[]): Promise<boolean> {
    const { table, onWritten } = this.#options;
    const isWritten = await this.#writes.attempt(async () => {
      await table.append(batch);
      return true;
    });
    if (!isWritten) return false;
    for (const { written } of batch) written();
    onWritten(batch.length);
    return true;
  }
}
