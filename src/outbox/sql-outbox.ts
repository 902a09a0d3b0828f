import { randomUUID } from 'node:crypto';
import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely';
import { clockOf, type TimeIn } from '../db/clock.ts';
import { isPostgres } from '../db/dialect.ts';
import { inTransaction } from '../db/locks.ts';
import type { OutboxRow, Schema } from '../db/schema.ts';
import type { AddOptions, Batch, ClaimOptions, Entry, FailOptions, Outbox, OutboxStats } from './outbox.ts';

type Where = ExpressionBuilder<Schema, 'outbox'>;

/** No entry waits longer for an attempt or for its end. A later time was written before the clock was set back. */
export const MAX_WAIT_MS = 3_600_000;

const FREE = { lease: null, leaseUntil: null } as const;

/** So many values of a row, and SQLite takes some 32,000 values in a statement. */
const ROWS_AT_ONCE = 1000;

/**
 * An outbox in a database. Each method is one statement or one transaction.
 * @param now milliseconds since 1970, instead of the clock of the database
 */
export class SqlOutbox implements Outbox {
  readonly #db: Kysely<Schema>;
  readonly #time: TimeIn;

  constructor(db: Kysely<Schema>, now?: () => number) {
    this.#db = db;
    this.#time = clockOf(db, now);
  }

  add(target: string, payloads: readonly string[], { delayMs, max }: AddOptions): Promise<boolean> {
    return inTransaction(this.#db, async (transaction) => {
      // Several that count at the same moment may exceed the limit together: it bounds the table, and promises no number.
      const { count } = await this.#waiting(target, transaction)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      if (Number(count) + payloads.length > max) return false;
      for (let at = 0; at < payloads.length; at += ROWS_AT_ONCE)
        await this.#insert(transaction, target, payloads.slice(at, at + ROWS_AT_ONCE), delayMs);
      return true;
    });
  }

  async replace(target: string, payload: string, delayMs: number): Promise<void> {
    await inTransaction(this.#db, async (transaction) => {
      const waiting = transaction.deleteFrom('outbox').where('target', '=', target).where('failedAt', 'is', null);
      await waiting.where((where) => this.#isFree(where)).execute();
      await this.#insert(transaction, target, [payload], delayMs);
    });
  }

  claim(target: string, { max, leaseMs, aheadMs }: ClaimOptions): Promise<Batch | undefined> {
    const lease = randomUUID();
    return inTransaction(this.#db, async (transaction) => {
      const due = await this.#due(transaction, target, 0).select('sequence').limit(1).executeTakeFirst();
      if (due === undefined) return undefined;
      // A query of its own: PostgreSQL may run one inside of the update more than once, and lock other rows each time.
      const next = await this.#due(transaction, target, aheadMs)
        .select('sequence')
        .orderBy('sequence')
        .limit(max)
        .$if(isPostgres(transaction), (query) => query.forUpdate().skipLocked())
        .execute();
      if (next.length === 0) return undefined;
      const rows = await transaction
        .updateTable('outbox')
        .set((eb) => ({ lease, leaseUntil: this.#time(leaseMs), attempts: eb('attempts', '+', 1) }))
        .where(
          'sequence',
          'in',
          next.map(({ sequence }) => sequence),
        )
        .returningAll()
        .execute();
      const inOrder = rows.sort((one, other) => Number(one.sequence) - Number(other.sequence));
      return { lease, entries: inOrder.map(readEntry) };
    });
  }

  async delivered({ lease }: Batch): Promise<void> {
    await this.#db.deleteFrom('outbox').where('lease', '=', lease).execute();
  }

  async failed({ lease }: Batch, error: string, { retryInMs, maxAttempts }: FailOptions): Promise<number> {
    const held = this.#db.updateTable('outbox').where('lease', '=', lease);
    const given = held.set({ ...FREE, failedAt: this.#time(), error }).where('attempts', '>=', maxAttempts);
    const { numUpdatedRows } = await given.executeTakeFirstOrThrow();
    await held.set({ ...FREE, dueAt: this.#time(Math.min(retryInMs, MAX_WAIT_MS)), error }).execute();
    return Number(numUpdatedRows);
  }

  async release({ lease }: Batch): Promise<void> {
    const held = this.#db.updateTable('outbox').where('lease', '=', lease);
    await held.set((eb) => ({ ...FREE, attempts: eb('attempts', '-', 1) })).execute();
  }

  async revive(target: string): Promise<void> {
    const free = this.#db.updateTable('outbox').where('target', '=', target).where('lease', 'is', null);
    const again = free.set({ attempts: 0, dueAt: this.#time(), failedAt: null });
    await again.where('error', 'is not', null).execute();
  }

  async nextDueIn(target: string): Promise<number | undefined> {
    const row = await this.#waiting(target)
      .select((eb) => eb.fn.min<string | null>(sql`coalesce(${sql.ref('leaseUntil')}, ${sql.ref('dueAt')})`).as('at'))
      .select(this.#time().as('now'))
      .executeTakeFirstOrThrow();
    if (row.at === null) return undefined;
    return Math.min(MAX_WAIT_MS, Math.max(0, Date.parse(row.at) - Date.parse(row.now)));
  }

  async forgetFailed(target: string, { ageMs, max }: { ageMs: number; max: number }): Promise<void> {
    const failed = this.#db.deleteFrom('outbox').where('target', '=', target).where('failedAt', 'is not', null);
    await failed.where('failedAt', '<', this.#time(-ageMs)).execute();
    const surplus = this.#db.selectFrom('outbox').select('sequence').where('target', '=', target);
    const newestSurplus = surplus.where('failedAt', 'is not', null).orderBy('sequence', 'desc').limit(1).offset(max);
    await failed.where('sequence', '<=', newestSurplus).execute();
  }

  async stats(target: string): Promise<OutboxStats> {
    const row = await this.#db
      .selectFrom('outbox')
      .select((eb) => [
        eb.fn.count<number>('failedAt').as('failed'),
        eb.fn.countAll<number>().as('all'),
        eb.fn
          .min<string | null>(sql`case when ${sql.ref('failedAt')} is null then ${sql.ref('createdAt')} end`)
          .as('oldest'),
      ])
      .where('target', '=', target)
      .executeTakeFirstOrThrow();
    const errors = this.#db.selectFrom('outbox').select('error').where('target', '=', target);
    const last = await errors.where('error', 'is not', null).orderBy('sequence', 'desc').limit(1).executeTakeFirst();
    const failed = Number(row.failed);
    return {
      waiting: Number(row.all) - failed,
      failed,
      oldestAt: row.oldest === null ? undefined : new Date(row.oldest),
      lastError: last?.error ?? undefined,
    };
  }

  async #insert(db: Kysely<Schema>, target: string, payloads: readonly string[], delayMs: number): Promise<void> {
    const [dueAt, createdAt] = [this.#time(delayMs), this.#time()];
    const rows = payloads.map((payload) => ({ id: randomUUID(), target, payload, attempts: 0, dueAt, createdAt }));
    if (rows.length > 0) await db.insertInto('outbox').values(rows).execute();
  }

  #waiting(target: string, db = this.#db) {
    return db.selectFrom('outbox').where('target', '=', target).where('failedAt', 'is', null);
  }

  /** What can be claimed now, or in that time. */
  #due(db: Kysely<Schema>, target: string, aheadMs: number) {
    const due = this.#waiting(target, db).where((where) => this.#isFree(where));
    return due.where((where) =>
      where.or([where('dueAt', '<=', this.#time(aheadMs)), where('dueAt', '>', this.#time(MAX_WAIT_MS))]),
    );
  }

  /** Whether no attempt is under way: none has begun, or the process that made it has died or hangs. */
  #isFree(where: Where) {
    return where.or([
      where('lease', 'is', null),
      where('leaseUntil', '<', this.#time()),
      where('leaseUntil', '>', this.#time(MAX_WAIT_MS)),
    ]);
  }
}

function readEntry({ id, target, payload, attempts, createdAt }: Selectable<OutboxRow>): Entry {
  return { id, target, payload, attempts: Number(attempts), createdAt: new Date(createdAt) };
}
