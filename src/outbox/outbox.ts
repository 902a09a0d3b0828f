import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { clockOf, type TimeIn } from '../db/clock.ts';
import { inTransaction } from '../db/locks.ts';
import type { OutboxRow, Schema } from '../db/schema.ts';
import { type ClaimOptions, type Leased, LeaseTable } from '../queue/lease-table.ts';

/** Target of purges. Every other target is the id of a webhook. */
export const CDN = 'cdn';

export const MESSAGE_STATUSES = ['pending', 'delivered', 'failed'] as const;

export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** Result of one request. */
export interface Attempt {
  /** Start, ISO 8601. */
  at: string;
  /** Null without a response. */
  responseStatus: number | null;
  durationMs: number;
  /** Null for a message that was received. */
  error: string | null;
}

export interface NewMessage {
  target: string;
  /** Type of the event; empty for purges. */
  event?: string;
  /** In the format of the target. */
  payload: string;
}

export interface Message extends Required<NewMessage> {
  /** Order of creation: a lower number is older. */
  sequence: number;
  /** The same for all attempts, so that the target can detect duplicates. */
  id: string;
  status: MessageStatus;
  createdAt: Date;
  /** Time of the next attempt of a pending message. */
  dueAt: Date;
  /** The last attempts, the oldest first. */
  attempts: readonly Attempt[];
}

/** A message that is being sent. */
export interface ClaimedMessage extends Message, Leased {
  /** Attempts that have begun since the message was added or requested again, this one included. */
  tries: number;
}

export interface MessagePage {
  limit: number;
  /** Only messages with a lower sequence. */
  before?: number | undefined;
  status?: MessageStatus | undefined;
}

export interface OutboxStats {
  /** Pending messages, including those being sent. */
  waiting: number;
  /** Dead letters that are still stored. */
  failed: number;
  /** Creation time of the oldest pending message. */
  oldestAt: Date | undefined;
  /** Error of the last attempt at the newest message that has failed at least once. */
  lastError: string | undefined;
}

export interface OutboxOptions {
  /** Maximum delay of an attempt, in ms. */
  maxWaitMs: number;
  /** Unix ms, instead of the clock of the database. */
  now?: (() => number) | undefined;
}

/** Rows per statement: other statements wait for it, and databases limit its parameters. */
const ROW_BATCH = 500;

/**
 * Messages to other services, stored with the change that they report. Each is delivered once or more often, in no
 * promised order. Other processes use the same outbox. Each method is one statement or one transaction.
 */
export class Outbox {
  readonly #db: Kysely<Schema>;
  readonly #time: TimeIn;
  readonly #leases: LeaseTable<'outbox'>;

  constructor(db: Kysely<Schema>, { maxWaitMs, now }: OutboxOptions) {
    this.#db = db;
    this.#time = clockOf(db, now);
    this.#leases = new LeaseTable(db, 'outbox', { time: this.#time, maxWaitMs });
  }

  /**
   * Adds messages that are due in `delayMs`. Returns their ids.
   * @param db the transaction of the change that they report
   */
  async add(messages: readonly NewMessage[], delayMs = 0, db: Kysely<Schema> = this.#db): Promise<string[]> {
    const dueAt = this.#time(delayMs);
    const createdAt = this.#time();
    const rows = messages.map(({ target, event = '', payload }) => ({
      id: `msg_${randomUUID()}`,
      target,
      event,
      payload,
      status: 'pending' as const,
      attempts: 0,
      log: '[]',
      dueAt,
      createdAt,
    }));
    for (let start = 0; start < rows.length; start += ROW_BATCH) {
      const batch = rows.slice(start, start + ROW_BATCH);
      await db.insertInto('outbox').values(batch).execute();
    }
    return rows.map(({ id }) => id);
  }

  /** Adds messages unless more than `max` would wait for their target. Returns false if none was added. */
  addWithin(max: number, target: string, payloads: readonly string[], delayMs: number): Promise<boolean> {
    return inTransaction(this.#db, async (transaction) => {
      // Concurrent additions may exceed the limit together: it bounds the table, and need not be exact.
      const { count } = await transaction
        .selectFrom('outbox')
        .where(pending(target))
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      if (count + payloads.length > max) return false;
      const messages = payloads.map((payload) => ({ target, payload }));
      await this.add(messages, delayMs, transaction);
      return true;
    });
  }

  /** Adds a message that replaces all pending ones of the target, except those being sent. */
  async replace(target: string, payload: string, delayMs: number): Promise<void> {
    await inTransaction(this.#db, async (transaction) => {
      await transaction.deleteFrom('outbox').where(pending(target)).where(this.#leases.isFree()).execute();
      await this.add([{ target, payload }], delayMs, transaction);
    });
  }

  /** Claims due messages of the target. No other process gets them until the lease expires. */
  async claim(target: string, options: ClaimOptions): Promise<ClaimedMessage[]> {
    const rows = await this.#leases.claim(pending(target), options, { attempts: sql<number>`attempts + 1` });
    return rows.map((row) => ({ ...readMessage(row), lease: row.lease ?? '', tries: row.attempts }));
  }

  /**
   * Records the end of an attempt: the messages were received, are retried, or are dead-lettered. A lost lease changes
   * nothing.
   * @param log the attempts to store with each of them
   * @returns the number of messages that were still held
   */
  async end(
    messages: readonly Leased[],
    log: readonly Attempt[],
    outcome: Exclude<MessageStatus, 'pending'> | { retryInMs: number },
  ): Promise<number> {
    const values = { log: JSON.stringify(log) };
    const rows =
      typeof outcome === 'string'
        ? await this.#leases.release(messages, { ...values, status: outcome, endedAt: this.#time() })
        : await this.#leases.reschedule(messages, outcome.retryInMs, values);
    return rows.length;
  }

  /** Deletes received messages. */
  remove(messages: readonly Leased[]): Promise<void> {
    return this.#leases.remove(messages);
  }

  /** Returns messages whose attempt was aborted. It does not count. */
  async release(messages: readonly Leased[]): Promise<void> {
    await this.#leases.release(messages, { attempts: sql<number>`attempts - 1` });
  }

  /** Makes all messages of the target due that have failed at least once, including dead letters. */
  async revive(target: string): Promise<void> {
    const failed = this.#db.updateTable('outbox').where('target', '=', target).where('lease', 'is', null);
    const again = failed.set({ status: 'pending', attempts: 0, dueAt: this.#time(), endedAt: null });
    await again.where('log', '<>', '[]').execute();
  }

  /** Makes an ended message pending again. Returns false for any other. */
  async redeliver(target: string, id: string): Promise<boolean> {
    const ended = this.#db.updateTable('outbox').where('target', '=', target).where('id', '=', id);
    const again = ended.set({ status: 'pending', attempts: 0, dueAt: this.#time(), endedAt: null });
    return (await again.where('status', '<>', 'pending').executeTakeFirstOrThrow()).numUpdatedRows > 0n;
  }

  /** Returns the time until the next message can be claimed, in ms; undefined if none is pending. */
  nextDueIn(target: string): Promise<number | undefined> {
    return this.#leases.nextDueIn(pending(target));
  }

  async find(target: string, id: string): Promise<Message | undefined> {
    const message = this.#db.selectFrom('outbox').selectAll().where('target', '=', target).where('id', '=', id);
    const row = await message.executeTakeFirst();
    return row && readMessage(row);
  }

  /** Lists the newest first. */
  async page(target: string, { limit, before, status }: MessagePage): Promise<Message[]> {
    let messages = this.#db.selectFrom('outbox').selectAll().where('target', '=', target);
    if (before !== undefined) messages = messages.where('sequence', '<', before);
    if (status !== undefined) messages = messages.where('status', '=', status);
    const rows = await messages.orderBy('sequence', 'desc').limit(limit).execute();
    return rows.map(readMessage);
  }

  /** Returns the number of pending messages by webhook; webhooks without any are missing. */
  async waiting(): Promise<Map<string, number>> {
    const rows = await this.#db
      .selectFrom('outbox')
      .select((eb) => ['target', eb.fn.countAll<number>().as('count')])
      .where('status', '=', sql.lit('pending'))
      .where('target', '<>', CDN)
      .groupBy('target')
      .execute();
    return new Map(rows.map(({ target, count }) => [target, count]));
  }

  async stats(target: string): Promise<OutboxStats> {
    const { waiting, failed, oldest } = await this.#db
      .selectFrom('outbox')
      .where('target', '=', target)
      .select([
        sql<number>`count(case when status = 'pending' then 1 end)`.as('waiting'),
        sql<number>`count(case when status = 'failed' then 1 end)`.as('failed'),
        sql<string | null>`min(case when status = 'pending' then ${sql.ref('createdAt')} end)`.as('oldest'),
      ])
      .executeTakeFirstOrThrow();
    const tried = this.#db.selectFrom('outbox').select('log').where('target', '=', target).where('log', '<>', '[]');
    const newest = await tried.orderBy('sequence', 'desc').limit(1).executeTakeFirst();
    return {
      waiting,
      failed,
      oldestAt: oldest === null ? undefined : new Date(oldest),
      lastError: newest && (readLog(newest.log).at(-1)?.error ?? undefined),
    };
  }

  /** Deletes messages of the target that ended more than `ageMs` ago, and all that have ended but the newest `max`. */
  async removeEnded(target: string, { ageMs, max }: { ageMs: number; max: number }): Promise<void> {
    const ended = this.#db
      .selectFrom('outbox')
      .select('sequence')
      .where('target', '=', target)
      .where('status', '<>', 'pending');
    await this.#removeInBatches((limit) => ended.where('endedAt', '<', this.#time(-ageMs)).limit(limit));
    await this.#removeInBatches((limit) => ended.orderBy('sequence', 'desc').offset(max).limit(limit));
  }

  /** Deletes messages to webhooks that are older than `ageMs`, and those to deleted webhooks. */
  async removeOld(ageMs: number): Promise<void> {
    const messages = this.#db.selectFrom('outbox').select('sequence').where('target', '<>', CDN);
    const webhooks = this.#db.selectFrom('webhook').select('id');
    await this.#removeInBatches((limit) => messages.where('createdAt', '<', this.#time(-ageMs)).limit(limit));
    await this.#removeInBatches((limit) => messages.where('target', 'not in', webhooks).limit(limit));
  }

  async #removeInBatches(next: (limit: number) => { execute(): Promise<{ sequence: number }[]> }): Promise<void> {
    for (;;) {
      const sequences = (await next(ROW_BATCH).execute()).map(({ sequence }) => sequence);
      if (sequences.length > 0) await this.#db.deleteFrom('outbox').where('sequence', 'in', sequences).execute();
      if (sequences.length < ROW_BATCH) return;
    }
  }
}

/** True for pending messages of the target. A literal, because the index is one of pending rows. */
function pending(target: string): RawBuilder<SqlBool> {
  return sql`${sql.ref('target')} = ${target} and ${sql.ref('status')} = 'pending'`;
}

function readMessage(row: Selectable<OutboxRow>): Message {
  return {
    sequence: row.sequence,
    id: row.id,
    target: row.target,
    event: row.event,
    payload: row.payload,
    status: row.status,
    createdAt: new Date(row.createdAt),
    dueAt: new Date(row.dueAt),
    attempts: readLog(row.log),
  };
}

const readLog = (json: string) => JSON.parse(json) as Attempt[];
