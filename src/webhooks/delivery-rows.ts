import { randomUUID } from 'node:crypto';
import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely';
import { clockOf, type TimeIn } from '../db/clock.ts';
import { isPostgres } from '../db/dialect.ts';
import { inTransaction } from '../db/locks.ts';
import type { Schema } from '../db/schema.ts';
import type { WebhookDeliveryRow } from '../db/webhook-schema.ts';
import { LONGEST_WAIT_MS } from './schedule.ts';
import type { Attempt, ClaimedDelivery, Delivery, DeliveryStatus } from './webhook.ts';

type Where = ExpressionBuilder<Schema, 'webhook_delivery'>;

/** What is to be told to one webhook. */
export interface NewDelivery {
  webhook: string;
  event: string;
  payload: string;
}

export interface DeliveryPage {
  limit: number;
  /** Only older ones than this. */
  before?: number | undefined;
  status?: DeliveryStatus | undefined;
}

/** Of one delivery, the last attempts are remembered. */
const MAX_LOGGED = 16;
/** So many rows are written or removed by one statement: others wait while it runs, and databases bound its parameters. */
const ROWS_AT_ONCE = 500;

const FREE = { lease: null, leaseUntil: null } as const;

/** What webhooks were told and are still to be told, in a database that several processes use. */
export class DeliveryRows {
  readonly #db: Kysely<Schema>;
  readonly #time: TimeIn;

  /** @param now milliseconds since 1970, instead of the clock of the database */
  constructor(db: Kysely<Schema>, now?: () => number) {
    this.#db = db;
    this.#time = clockOf(db, now);
  }

  /** @param db the transaction of what they tell of @returns their ids */
  async add(deliveries: readonly NewDelivery[], db: Kysely<Schema> = this.#db): Promise<string[]> {
    const [dueAt, createdAt] = [this.#time(), this.#time()];
    const fresh = { status: 'pending', attempts: 0, log: '[]', dueAt, createdAt } as const;
    const rows = deliveries.map((one) => ({ ...one, ...fresh, id: `msg_${randomUUID()}` }));
    for (let first = 0; first < rows.length; first += ROWS_AT_ONCE)
      await db
        .insertInto('webhook_delivery')
        .values(rows.slice(first, first + ROWS_AT_ONCE))
        .execute();
    return rows.map(({ id }) => id);
  }

  /** Takes what is due, the longest first. Nobody else gets it while the lease lasts. */
  claim(webhook: string, max: number, leaseMs: number): Promise<ClaimedDelivery[]> {
    const lease = randomUUID();
    return inTransaction(this.#db, async (transaction) => {
      const due = await this.#waiting(webhook, transaction)
        .where((where) => this.#isFree(where))
        .where((where) =>
          where.or([where('dueAt', '<=', this.#time()), where('dueAt', '>', this.#time(LONGEST_WAIT_MS))]),
        )
        .select('sequence')
        .orderBy('dueAt')
        .limit(max)
        .$if(isPostgres(transaction), (query) => query.forUpdate().skipLocked())
        .execute();
      if (due.length === 0) return [];
      const sequences = due.map(({ sequence }) => sequence);
      const rows = await transaction
        .updateTable('webhook_delivery')
        .set((eb) => ({ lease, leaseUntil: this.#time(leaseMs), attempts: eb('attempts', '+', 1) }))
        .where('sequence', 'in', sequences)
        .returningAll()
        .execute();
      return rows.map((row) => ({ ...readRow(row), lease, tries: Number(row.attempts) }));
    });
  }

  /** An attempt has ended: it was received, or it is tried again in that time, or it is given up. */
  async end(
    delivery: ClaimedDelivery,
    attempt: Attempt,
    outcome: 'delivered' | 'failed' | { retryInMs: number },
  ): Promise<void> {
    const log = JSON.stringify([...delivery.attempts, attempt].slice(-MAX_LOGGED));
    const next =
      typeof outcome === 'string'
        ? { status: outcome, endedAt: this.#time() }
        : { dueAt: this.#time(Math.min(outcome.retryInMs, LONGEST_WAIT_MS)) };
    await this.#held(delivery)
      .set({ ...FREE, ...next, log })
      .execute();
  }

  /** The attempt is broken off, because the process stops. It does not count. */
  async release(delivery: ClaimedDelivery): Promise<void> {
    await this.#held(delivery)
      .set((eb) => ({ ...FREE, attempts: eb('attempts', '-', 1) }))
      .execute();
  }

  /** Has one sent again that has ended; false for one that has not, or is not there. */
  async redeliver(webhook: string, id: string): Promise<boolean> {
    const ended = this.#db.updateTable('webhook_delivery').where('webhook', '=', webhook).where('id', '=', id);
    const again = ended.set({ ...FREE, status: 'pending', attempts: 0, dueAt: this.#time(), endedAt: null });
    return (await again.where('status', '<>', 'pending').executeTakeFirstOrThrow()).numUpdatedRows > 0n;
  }

  async find(webhook: string, id: string): Promise<Delivery | undefined> {
    const one = this.#db.selectFrom('webhook_delivery').selectAll().where('webhook', '=', webhook);
    const row = await one.where('id', '=', id).executeTakeFirst();
    return row && readRow(row);
  }

  /** The newest first. */
  async page(webhook: string, { limit, before, status }: DeliveryPage): Promise<Delivery[]> {
    const rows = await this.#db
      .selectFrom('webhook_delivery')
      .selectAll()
      .where('webhook', '=', webhook)
      .$if(before !== undefined, (all) => all.where('sequence', '<', before as number))
      .$if(status !== undefined, (all) => all.where('status', '=', status as DeliveryStatus))
      .orderBy('sequence', 'desc')
      .limit(limit)
      .execute();
    return rows.map(readRow);
  }

  /** How many wait, by webhook; those without any are missing. */
  async waiting(): Promise<Map<string, number>> {
    const rows = await this.#db
      .selectFrom('webhook_delivery')
      .select((eb) => ['webhook', eb.fn.countAll<number>().as('count')])
      .where('status', '=', 'pending')
      .groupBy('webhook')
      .execute();
    return new Map(rows.map(({ webhook, count }) => [webhook, Number(count)]));
  }

  /** How long until the next one can be claimed, in milliseconds; undefined when there is none. */
  async nextDueIn(webhook: string): Promise<number | undefined> {
    const { dueAt, leaseUntil } = { dueAt: sql.ref('dueAt'), leaseUntil: sql.ref('leaseUntil') };
    const row = await this.#waiting(webhook)
      .select((eb) => eb.fn.min<string | null>(sql`coalesce(${leaseUntil}, ${dueAt})`).as('at'))
      .select(this.#time().as('now'))
      .executeTakeFirstOrThrow();
    return row.at === null ? undefined : Math.max(0, Date.parse(row.at) - Date.parse(row.now));
  }

  /** Forgets what is older, what is beyond the newest of a webhook that have ended, and what was for webhooks that are gone. */
  async forget({ ageMs, max }: { ageMs: number; max: number }): Promise<void> {
    const webhooks = await this.#db.selectFrom('webhook').select('id').execute();
    for (const { id } of webhooks) {
      const ended = this.#db.selectFrom('webhook_delivery').select('sequence').where('webhook', '=', id);
      const surplus = ended.where('status', '<>', 'pending').orderBy('sequence', 'desc').offset(max);
      await this.#remove((limit) => surplus.limit(limit));
    }
    const all = this.#db.selectFrom('webhook_delivery').select('sequence');
    await this.#remove((limit) => all.where('createdAt', '<', this.#time(-ageMs)).limit(limit));
    const known = this.#db.selectFrom('webhook').select('id');
    await this.#remove((limit) => all.where('webhook', 'not in', known).limit(limit));
  }

  async #remove(some: (limit: number) => { execute(): Promise<{ sequence: number }[]> }): Promise<void> {
    for (;;) {
      const sequences = (await some(ROWS_AT_ONCE).execute()).map(({ sequence }) => sequence);
      if (sequences.length > 0)
        await this.#db.deleteFrom('webhook_delivery').where('sequence', 'in', sequences).execute();
      if (sequences.length < ROWS_AT_ONCE) return;
    }
  }

  #held({ sequence, lease }: ClaimedDelivery) {
    return this.#db.updateTable('webhook_delivery').where('sequence', '=', sequence).where('lease', '=', lease);
  }

  #waiting(webhook: string, db = this.#db) {
    return db.selectFrom('webhook_delivery').where('webhook', '=', webhook).where('status', '=', sql.lit('pending'));
  }

  /** Whether no attempt is under way: none has begun, or the process that made it has died or hangs. */
  #isFree(where: Where) {
    return where.or([
      where('lease', 'is', null),
      where('leaseUntil', '<', this.#time()),
      where('leaseUntil', '>', this.#time(LONGEST_WAIT_MS)),
    ]);
  }
}

function readRow(row: Selectable<WebhookDeliveryRow>): Delivery {
  return {
    sequence: Number(row.sequence),
    id: row.id,
    event: row.event,
    payload: row.payload,
    status: row.status,
    createdAt: new Date(row.createdAt),
    dueAt: new Date(row.dueAt),
    attempts: JSON.parse(row.log) as Attempt[],
  };
}
