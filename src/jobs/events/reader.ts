import { FailureLog, type Log } from '../../log.ts';
import type { JobEvent, LaterEvents } from '../events.ts';
import { Listeners } from './listeners.ts';
import type { EventTable } from './table.ts';

/** How many events are remembered here, so that clients that come back together do not all ask the database. */
const REMEMBERED = 1000;

export interface EventReaderOptions {
  table: Pick<EventTable, 'after' | 'lastId'>;
  log: Log;
  /** How often events are looked for when nobody says that there are new ones, in milliseconds. */
  pollMs: number;
}

/** Reads the events of all nodes in their order, once for all listeners of this one. */
export class EventReader {
  readonly listeners = new Listeners();
  readonly #options: EventReaderOptions;
  readonly #reads: FailureLog;
  readonly #poll: NodeJS.Timeout;
  /** The id of the last event that was told; undefined until the first one is known. */
  #position: number | undefined;
  /** The last events that were told: all after `#since`. */
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

  /** Reads what is new. It never fails: what cannot be read now is read later. */
  read(): Promise<void> {
    this.#hasMore = true;
    this.#reading ??= this.#readAll();
    return this.#reading;
  }

  /** The id of the last event that was told. @throws Error when it cannot be known */
  async lastId(): Promise<number> {
    if (this.#position === undefined) await this.#begin();
    return this.#position as number;
  }

  /** The first events after an id. @throws Error when they cannot be read */
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
    // Another call may have been faster.
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
        for (const event of later.events) this.#tell(event);
      }
      this.#reads.succeeded();
    } catch (err) {
      // Its end is noticed by the next poll, or by whoever says that there are new events.
      this.#reads.failed(err);
    }
    // In the same moment in which nothing more was wanted: whoever wants more from here on has it read.
    this.#reading = undefined;
  }

  #tell(event: JobEvent): void {
    this.#position = event.id;
    this.#recent.push(event);
    if (this.#recent.length > REMEMBERED) this.#since = this.#recent.shift()?.id ?? this.#since;
    this.listeners.tell(event);
  }
}
