import type { Kysely, Transaction } from 'kysely';
import type { Cluster } from '../cluster/cluster.ts';
import { Sweep } from '../cluster/sweep.ts';
import type { Schema } from '../db/schema.ts';
import { FailureLog, type Log } from '../log.ts';
import type { AuditEntry, StoredEntry } from './audit-entry.ts';
import { type AuditQuery, boundedDetail, deleteEntries, insertEntries, selectEntries } from './audit-rows.ts';

export interface AuditLogOptions {
  db: Kysely<Schema>;
  cluster: Pick<Cluster, 'once'>;
  log: Log;
  /** Retention of entries, in ms; 0: they are only written to the log of the service. */
  keepMs: number;
  /** Interval of writes, in ms. */
  batchMs?: number;
  /** Maximum number of entries that wait for the database. */
  maxQueued?: number;
  /** Unix milliseconds. */
  now?: () => number;
}

/** A statement that deletes more delays the others. */
const SWEEP_ROWS = 1000;

const MAX_BATCH = 2000;

/**
 * Appends entries to the audit log and reads them. Entries are written in batches, in the background; those of a change
 * of access are written in its transaction. Without the database they wait in a bounded queue; beyond that they are
 * dropped and counted. Each entry is also a line in the log of the service.
 */
export class AuditLog {
  readonly #options: Required<AuditLogOptions>;
  readonly #failures: FailureLog;
  readonly #sweep: Sweep;
  #queue: AuditEntry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isStopped = false;
  #dropped = 0;

  constructor(options: AuditLogOptions) {
    this.#options = { batchMs: 1000, maxQueued: 10_000, now: Date.now, ...options };
    this.#failures = new FailureLog(options.log, {
      fails: 'Entries of the audit log cannot be stored',
      works: 'Entries of the audit log can be stored again',
    });
    this.#sweep = new Sweep({
      name: 'sweep of the audit log',
      fails: 'old entries of the audit log could not be deleted',
      tasks: [(now, signal) => this.#deleteOld(now, signal)],
      cluster: options.cluster,
      log: options.log,
    });
  }

  /** Number of entries that this node has dropped, because the database did not take them. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Deletes old entries, now and every hour. */
  start(): void {
    this.#sweep.start();
  }

  /** Writes what waits, once. */
  async stop(): Promise<void> {
    await this.#sweep.stop();
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.flush();
  }

  /** Queues entries for the next batch. */
  record(entries: readonly AuditEntry[]): void {
    for (const entry of entries) this.log(entry);
    if (this.#options.keepMs === 0) return;
    this.#queue.push(...entries);
    this.#bound();
    this.#schedule();
  }

  /** Writes an entry in a transaction, which has to succeed with it. Afterwards, `log` writes its line. */
  async write(transaction: Transaction<Schema>, entry: AuditEntry): Promise<void> {
    if (this.#options.keepMs > 0) await insertEntries(transaction, [entry]);
  }

  /** Writes the line of an entry. */
  log({ at: _, actor, detail, ...rest }: AuditEntry): void {
    this.#options.log.info({ audit: { ...rest, actor, detail: boundedDetail(detail) } }, 'audit');
  }

  /** Reads a page, the newest first, including what waits on this node. */
  async page(query: AuditQuery): Promise<StoredEntry[]> {
    await this.flush();
    return selectEntries(this.#options.db, query);
  }

  /** Writes what waits. Never fails: what could not be written waits for the next batch. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Deletes entries that are too old, in small steps and on one node at a time. Never fails. */
  sweep(): Promise<void> {
    return this.#sweep.run(this.#options.now());
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, MAX_BATCH);
      // Entries that are added meanwhile come after these.
      this.#queue = this.#queue.slice(batch.length);
      try {
        await this.#options.db.transaction().execute((transaction) => insertEntries(transaction, batch));
        this.#failures.succeeded();
      } catch (error) {
        this.#failures.failed(error);
        this.#queue = [...batch, ...this.#queue];
        this.#bound();
        this.#schedule();
        return;
      }
    }
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.batchMs).unref();
  }

  /** Drops the latest entries: the first ones of an outage are closer to its cause. */
  #bound(): void {
    const { maxQueued, log } = this.#options;
    const surplus = this.#queue.length - maxQueued;
    if (surplus <= 0) return;
    this.#queue.length = maxQueued;
    if (this.#dropped === 0) log.error({ maxQueued }, 'Entries of the audit log are dropped');
    this.#dropped += surplus;
  }

  async #deleteOld(now: number, signal: AbortSignal): Promise<void> {
    const { db, keepMs } = this.#options;
    const before = new Date(now - keepMs);
    while (!signal.aborted && (await deleteEntries(db, before, SWEEP_ROWS)) === SWEEP_ROWS);
  }
}
