import { FailureLog, type Log } from '../../log.ts';
import type { JobEvent, LaterEvents } from '../events.ts';
import { Listeners } from './listeners.ts';
import type { EventTable } from './table.ts';

/** Number of events cached here, so that clients that reconnect together do not all query the database. */
const REMEMBERED = 1000;

export interface EventReaderOptions {
  table: Pick<EventTable, 'after' | 'lastId'>;
  log: Log;
  /** Interval of polls for events without a notification, in ms. */
  pollMs: number;
}

/** Reads the events of all nodes in their order, once for all listeners of this one. */
export class EventReader {
  readonly listeners = new Listeners();
  readonly #options: EventReaderOptions;
  readonly #reads: FailureLog;
  readonly #poll: NodeJS.Timeout;
  /** Id of the last published event; undefined until the first one is known. */
  #position: number | undefined;
  /** The last published events: all after `#since`. */
  #recent: JobEvent[] = [];
  #since = 0;
  #reading: Promise<void> | undefined;
  #hasMore = false;

  constructor(options: EventReaderOptions) {
    this.#options = options;
    const texts = { fails: 'events of jobs cannot be read', works: 'events of jobs can be read again' };
    this.#reads = new FailureLog(options.log, texts);
    this.#poll = setInterval(() => void this.read(), options.pollMs).unref();
  }

  /** Reads new events. Never rejects: failed reads are retried later. */
  read(): Promise<void> {
    this.#hasMore = true;
    this.#reading ??= this.#readAll();
    return this.#reading;
  }

  /** Returns the id of the last published event. @throws Error when it cannot be read */
  async lastId(): Promise<number> {
    if (this.#position === undefined) await this.#begin();
    return this.#position as number;
  }

  /** Returns the first events after an id. @throws Error when they cannot be read */
  async since(id: number): Promise<LaterEvents> {
    const upTo = this.#position;
    if (upTo === undefined || id < this.#since || id > upTo) return this.#options.table.after(id);
    return { events: this.#recent.filter((event) => event.id > id), upTo, isAll: true };
  }

  async close(): Promise<void> {
    clearInterval(this.#poll);
    await this.#reading;
  }

  async #begin(): Promise<void> {
    const last = await this.#options.table.lastId();
    // A concurrent call may have been faster.
    if (this.#position !== undefined) return;
    this.#position = last;
    this.#since = last;
  }

  async #readAll(): Promise<void> {
    try {
      if (this.#position === undefined) await this.#begin();
      while (this.#hasMore) {
        this.#hasMore = false;
        const later = await this.#options.table.after(this.#position as number);
        this.#hasMore ||= !later.isAll;
        for (const event of later.events) this.#notify(event);
      }
      this.#reads.succeeded();
    } catch (err) {
      // The next poll, or the next notification, detects its end.
      this.#reads.failed(err);
    }
    // In the same step in which no further read was requested: a later request starts a new read.
    this.#reading = undefined;
  }

  #notify(event: JobEvent): void {
    this.#position = event.id;
    this.#recent.push(event);
    if (this.#recent.length > REMEMBERED) this.#since = this.#recent.shift()?.id ?? this.#since;
    this.listeners.notify(event);
  }
}
