import type { Kysely } from 'kysely';
import { KeyedLock } from '../concurrency.ts';
import type { Schema } from '../db/schema.ts';
import { NO_USAGE, sumOf, type Usage } from './usage.ts';

/** The row of the shared variants in `storage_total`. */
const SHARED_VARIANTS = 2;
const FLUSH_INTERVAL_MS = 1000;

/**
 * Counts the shared variants in a row that all nodes update. Deltas wait in memory until the next flush, so a killed
 * process loses those of its last second. Changes during a listing may count twice or not at all. Recalculation
 * repairs both.
 */
export class UsageCounter {
  readonly #db: Kysely<Schema>;
  readonly #rowLock = new KeyedLock<number>((one, other) => one === other);
  /** The sum of all deltas since the process started. */
  #added = NO_USAGE;
  /** The part of `#added` that the row includes. The same object as `#added` while no delta is pending. */
  #flushed = NO_USAGE;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  /** Counts stored files, or deleted ones by negative figures. */
  add(delta: Usage): void {
    this.#added = sumOf(this.#added, delta);
    this.#scheduleFlush();
  }

  /** Includes every delta of this node. Undefined before the first count, and when a sum is negative, thus wrong. */
  async read(): Promise<Usage | undefined> {
    return this.#withRow(async () => {
      await this.#flush();
      const rows = this.#db.selectFrom('storage_total').select(['size', 'fileCount']);
      const row = await rows.where('id', '=', SHARED_VARIANTS).executeTakeFirst();
      if (!row) return undefined;
      const { size, fileCount } = sumOf(row, this.#pending());
      return size < 0 || fileCount < 0 ? undefined : { size, fileCount };
    });
  }

  /** Replaces the figures by those of a listing, plus the deltas that this node adds during the listing. */
  async recalculate(list: () => Promise<Usage>): Promise<void> {
    const before = this.#added;
    const listed = await list();
    await this.#withRow(async () => {
      const added = this.#added;
      const row = { ...sumOf(listed, difference(added, before)), updatedAt: new Date().toISOString() };
      const insert = this.#db.insertInto('storage_total').values({ id: SHARED_VARIANTS, ...row });
      await insert.onConflict((conflict) => conflict.column('id').doUpdateSet(row)).execute();
      this.#flushed = added;
    });
  }

  /** Flushes pending deltas. No delta follows. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#withRow(() => this.#flush());
  }

  #scheduleFlush(): void {
    if (this.#isClosed || this.#timer) return;
    this.#timer = setTimeout(async () => {
      await this.#withRow(() => this.#flush());
      this.#timer = undefined;
      if (this.#added !== this.#flushed) this.#scheduleFlush();
    }, FLUSH_INTERVAL_MS).unref();
  }

  /** Errors are ignored: the deltas stay pending, and the next flush includes them. */
  async #flush(): Promise<void> {
    const added = this.#added;
    if (added === this.#flushed) return;
    const { size, fileCount } = this.#pending();
    try {
      const update = this.#db.updateTable('storage_total').set((row) => ({
        size: row('size', '+', size),
        fileCount: row('fileCount', '+', fileCount),
        updatedAt: new Date().toISOString(),
      }));
      // Changes nothing before the first count, which includes all earlier changes.
      await update.where('id', '=', SHARED_VARIANTS).execute();
      this.#flushed = added;
    } catch {}
  }

  #pending(): Usage {
    return difference(this.#added, this.#flushed);
  }

  /** Serializes statements, so that no reader finds a delta both in the row and pending. */
  #withRow<T>(work: () => Promise<T>): Promise<T> {
    return this.#rowLock.run([SHARED_VARIANTS], work);
  }
}

function difference(total: Usage, part: Usage): Usage {
  return { size: total.size - part.size, fileCount: total.fileCount - part.fileCount };
}
