import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Bus } from '../../cluster/cluster.ts';
import { within } from '../../concurrency.ts';
import type { Schema } from '../../db/schema.ts';
import { FailureLog, type Log } from '../../log.ts';
import { endEvent, endOf, type JobEvent, type JobEventData, type JobEvents, type LaterEvents } from '../events.ts';
import { EventReader } from './reader.ts';
import { EventTable } from './table.ts';
import { EventWriter } from './writer.ts';

export interface PostgresJobEventsOptions {
  db: Kysely<Schema>;
  /** Notifies the other nodes of new events. Without it they find them by polling, but later. */
  bus: Bus;
  log: Log;
  /** Interval of polls for events without a notification, in ms. */
  pollMs?: number;
  /** Interval of checks for ended jobs without an event, in ms. */
  tidyMs?: number;
  /** Minimum number of stored events; at most a tenth more for each node. */
  remembered?: number;
}

/** Timeout for the last events of a process, in ms. */
const CLOSE_MS = 2000;

/** Events of nodes that share a PostgreSQL: each node writes its own into a table, and reads those of all. */
export class PostgresJobEvents implements JobEvents {
  readonly #table: EventTable;
  readonly #reader: EventReader;
  readonly #writer: EventWriter;
  readonly #tidies: FailureLog;
  readonly #remembered: number;
  readonly #tidying: NodeJS.Timeout;
  readonly #leaveBus: readonly (() => void)[];
  /** Number of events written here since the last deletion of old events. */
  #written = 0;

  constructor({ db, bus, log, pollMs = 5000, tidyMs = 30_000, remembered = 10_000 }: PostgresJobEventsOptions) {
    const texts = { fails: 'events of jobs cannot be tidied', works: 'events of jobs can be tidied again' };
    this.#tidies = new FailureLog(log, texts);
    this.#remembered = remembered;
    this.#table = new EventTable(db);
    this.#reader = new EventReader({ table: this.#table, log, pollMs });
    const onWritten = (count: number) => {
      void bus.publish({ kind: 'events' });
      void this.#reader.read();
      this.#written += count;
      if (this.#written >= remembered / 10) void this.#tidy();
    };
    this.#writer = new EventWriter({ table: this.#table, log, onWritten });
    this.#leaveBus = [
      bus.subscribe(({ kind }) => kind === 'events' && void this.#reader.read()),
      bus.onResync(() => void this.#reader.read()),
    ];
    this.#tidying = setInterval(() => void this.#tidy(), tidyMs).unref();
    void this.#reader.read();
  }

  publish(content: JobEventData, key: string = randomUUID()): Promise<void> {
    return this.#writer.write({ content, key });
  }

  since(id: number): Promise<LaterEvents> {
    return this.#reader.since(id);
  }

  lastId(): Promise<number> {
    return this.#reader.lastId();
  }

  subscribe(listener: (event: JobEvent) => void): () => void {
    return this.#reader.listeners.add(listener);
  }

  async close(): Promise<void> {
    clearInterval(this.#tidying);
    for (const leave of this.#leaveBus) leave();
    const closed = this.#writer.close().then(() => this.#reader.close());
    await within(closed, CLOSE_MS);
  }

  /** Deletes old events, and publishes missing ones. Failures are retried the next time. */
  async #tidy(): Promise<void> {
    this.#written = 0;
    await this.#tidies.attempt(async () => {
      await this.#table.keepNewest(this.#remembered);
      for (const job of await this.#table.endedInSilence()) void this.publish(endEvent(job), endOf(job));
    });
  }
}
