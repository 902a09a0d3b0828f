import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { TimeIn } from '../db/clock.ts';
import { isPostgres } from '../db/dialect.ts';
import { inTransaction } from '../db/locks.ts';
import type { Schema } from '../db/schema.ts';

/** Tables with the columns `sequence`, `id`, `dueAt`, `attempts`, `lease` and `leaseUntil`. */
export type LeasedTable = 'job' | 'outbox';

type Row<Table extends LeasedTable> = Selectable<Schema[Table]>;

type Condition = RawBuilder<SqlBool>;

/** New values of columns. */
export type Values<Table extends LeasedTable> = {
  [Column in keyof Row<Table>]?: Row<Table>[Column] | RawBuilder<Row<Table>[Column]>;
};

/** A leased row. Only the holder of the current lease can change it. */
export interface Leased {
  id: string;
  lease: string;
}

export interface LeaseTableOptions {
  time: TimeIn;
  /** Maximum delay and lease, in ms. Later times were written before the clock was set back, and count as passed. */
  maxWaitMs: number;
}

export interface ClaimOptions {
  max: number;
  /** Time after which rows of a process that dies or hangs can be claimed again, in ms. */
  leaseMs: number;
  /** Once a row is due, rows that are due within this time are claimed with it, in ms. */
  aheadMs?: number | undefined;
}

/** Commits without waiting for the disk: a crash of PostgreSQL only undoes a lease, which expires anyway. */
export const COMMIT_LATER = sql<SqlBool>`set_config('synchronous_commit', 'off', true) = 'off'`;

const FREE = { lease: null, leaseUntil: null } as const;

/**
 * Time-limited claims on the rows of a table, by the clock of the database. Each method is one statement or one
 * transaction.
 */
export class LeaseTable<Table extends LeasedTable> {
  readonly #db: Kysely<Schema>;
  /** All leased tables have the columns used here; one name represents them in the types. */
  readonly #name: 'outbox';
  readonly #time: TimeIn;
  readonly #maxWaitMs: number;

  constructor(db: Kysely<Schema>, table: Table, { time, maxWaitMs }: LeaseTableOptions) {
    this.#db = db;
    this.#name = table as 'outbox';
    this.#time = time;
    this.#maxWaitMs = maxWaitMs;
  }

  /** True for rows that are due, now or within `aheadMs`. */
  isDue(aheadMs = 0): Condition {
    const dueAt = this.#column('dueAt');
    return sql`(${dueAt} <= ${this.#time(aheadMs)} or ${dueAt} > ${this.#time(this.#maxWaitMs)})`;
  }

  /** True for rows whose process has died or hangs. */
  isExpired(): Condition {
    return sql`${this.#column('leaseUntil')} < ${this.#time()}`;
  }

  /** True for rows that no living process holds. */
  isFree(): Condition {
    const leaseUntil = this.#column('leaseUntil');
    const isMisdated = sql`${leaseUntil} > ${this.#time(this.#maxWaitMs)}`;
    return sql`(${this.#column('lease')} is null or ${this.isExpired()} or ${isMisdated})`;
  }

  /** Leases rows that are free and due, those due longest. Returns them in the order of their creation. */
  claim(rows: Condition, { max, leaseMs, aheadMs = 0 }: ClaimOptions, values: Values<Table>): Promise<Row<Table>[]> {
    return inTransaction(this.#db, async (transaction) => {
      const free = transaction.selectFrom(this.#name).select('sequence').where(rows).where(this.isFree());
      if (aheadMs > 0 && !(await free.where(this.isDue()).limit(1).executeTakeFirst())) return [];
      const next = await free
        .where(this.isDue(aheadMs))
        .orderBy('dueAt')
        .orderBy('sequence')
        .limit(max)
        .$if(isPostgres(transaction), (query) => query.forUpdate().skipLocked())
        .execute();
      const sequences = next.map(({ sequence }) => sequence);
      return this.take(transaction, sequences, leaseMs, values);
    });
  }

  /**
   * Leases these rows, which the caller has selected in the same transaction. PostgreSQL may run a subquery of an
   * update more than once and lock other rows each time, so the selection must be a separate query.
   */
  async take(
    transaction: Kysely<Schema>,
    sequences: readonly number[],
    leaseMs: number,
    values: Values<Table>,
  ): Promise<Row<Table>[]> {
    if (sequences.length === 0) return [];
    const rows = await transaction
      .updateTable(this.#name)
      .set({ ...values, lease: randomUUID(), leaseUntil: this.#time(leaseMs) })
      .where('sequence', 'in', sequences)
      .returningAll()
      .execute();
    rows.sort((one, other) => one.sequence - other.sequence);
    return rows as Row<Table>[];
  }

  /** Extends leases. Returns the rows that are still held. */
  renew(leased: readonly Leased[], leaseMs: number, values: Values<Table> = {}): Promise<Row<Table>[]> {
    const commit = isPostgres(this.#db) ? COMMIT_LATER : sql<SqlBool>`true`;
    return this.#update(this.#db, leased, { ...values, leaseUntil: this.#time(leaseMs) }, commit);
  }

  /** Ends leases. Returns the rows that were still held. */
  release(leased: readonly Leased[], values: Values<Table>, db = this.#db): Promise<Row<Table>[]> {
    return this.#update(db, leased, { ...FREE, ...values });
  }

  /** Ends leases; the rows are due again in `delayMs`. Returns the rows that were still held. */
  reschedule(leased: readonly Leased[], delayMs: number, values: Values<Table>): Promise<Row<Table>[]> {
    const dueAt = this.#time(Math.min(delayMs, this.#maxWaitMs));
    return this.release(leased, { ...values, dueAt });
  }

  /** Deletes rows that are still held. */
  async remove(leased: readonly Leased[]): Promise<void> {
    if (leased.length > 0) await this.#db.deleteFrom(this.#name).where(isHeld(leased)).execute();
  }

  /**
   * Shortens leases of the rows that end in more than `leaseMs`: they were dated before the clock was set back. Their
   * holders may still be alive.
   */
  async shortenLeases(rows: Condition, leaseMs: number): Promise<void> {
    const leaseUntil = this.#time(leaseMs);
    const leased = this.#db.updateTable(this.#name).set({ leaseUntil }).where(rows);
    await leased.where('leaseUntil', '>', leaseUntil).execute();
  }

  /** Returns the time until the first of the rows can be claimed, in ms; undefined without rows. */
  async nextDueIn(rows: Condition): Promise<number | undefined> {
    const at = sql<string | null>`min(coalesce(${this.#column('leaseUntil')}, ${this.#column('dueAt')}))`;
    const next = await this.#db
      .selectFrom(this.#name)
      .select([at.as('at'), this.#time().as('now')])
      .where(rows)
      .executeTakeFirstOrThrow();
    if (next.at === null) return undefined;
    return Math.min(this.#maxWaitMs, Math.max(0, Date.parse(next.at) - Date.parse(next.now)));
  }

  async #update(
    db: Kysely<Schema>,
    leased: readonly Leased[],
    values: Values<Table>,
    condition = sql<SqlBool>`true`,
  ): Promise<Row<Table>[]> {
    if (leased.length === 0) return [];
    const held = db.updateTable(this.#name).where(isHeld(leased)).where(condition);
    return (await held.set(values).returningAll().execute()) as Row<Table>[];
  }

  #column(name: string) {
    return sql.ref(`${this.#name}.${name}`);
  }
}

function isHeld(leased: readonly Leased[]): Condition {
  const ids = leased.map(({ id }) => id);
  const leases = new Set(leased.map(({ lease }) => lease));
  return sql`id in (${sql.join(ids)}) and lease in (${sql.join([...leases])})`;
}
