import { sql } from 'kysely';
import { boundedCache } from '../bounded-cache.ts';
import { SingleFlight } from '../concurrency.ts';
import type { ApiKeyRow, OpenDatabase } from '../db/schema.ts';
import { HttpProblem } from '../errors.ts';
import { type KeyRows, prepareFind } from './key-rows.ts';

export interface CachedKeyRowsOptions {
  database: OpenDatabase;
  /** Monotonic clock, in ms. */
  now?: () => number;
}

interface Known {
  row: ApiKeyRow;
  confirmedAt: number;
}

/**
 * Duration for which a row is not looked up again, in ms. A change without a notification to this node applies after
 * that.
 */
const FRESH_MS = 30_000;
/** Duration for which a row stays valid while the database is unavailable, in ms. */
const SPARE_MS = 600_000;
/** Interval for writing last uses, in ms. */
const WRITE_MS = 60_000;
const MAX_KNOWN = 10_000;
const MAX_USES = 10_000;

/** Pause after a failed query, in which known keys are not looked up, in ms. */
const PAUSE_MS = 1000;

/**
 * Caches rows of a database on another host: recently found ones are not looked up again, so that most requests cost it
 * nothing, and they stay valid for a while when it is unavailable. A caller that changes keys has to evict them on
 * every node.
 */
export class CachedKeyRows implements KeyRows {
  readonly #database: OpenDatabase;
  readonly #now: () => number;
  readonly #select: (hash: string) => Promise<ApiKeyRow | undefined>;
  readonly #known = boundedCache<string, Known>(MAX_KNOWN);
  readonly #lookups = new SingleFlight<ApiKeyRow | undefined>();
  readonly #uses = new Map<string, string>();
  readonly #writing: NodeJS.Timeout;
  /** Counts changes: a lookup that started before a change may return an old row. */
  #changes = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** Rows that were looked up earlier are stale. */
  #staleSince = Number.NEGATIVE_INFINITY;

  constructor({ database, now = () => performance.now() }: CachedKeyRowsOptions) {
    this.#database = database;
    this.#now = now;
    this.#select = prepareFind(database);
    this.#writing = setInterval(() => void this.writeUses(), WRITE_MS).unref();
  }

  async find(hash: string): Promise<ApiKeyRow | undefined> {
    const now = this.#now();
    const known = this.#retainedRow(hash);
    const isDown = now - this.#failedAt < PAUSE_MS;
    const isFresh = known && known.confirmedAt > this.#staleSince && now - known.confirmedAt < FRESH_MS;
    if (known && (isDown || isFresh)) return known.row;
    try {
      return await this.#lookups.run(`${this.#changes} ${hash}`, undefined, () => this.#lookUp(hash));
    } catch (error) {
      if (!(error instanceof HttpProblem && error.code === 'database_unavailable')) throw error;
      this.#failedAt = this.#now();
      // The entry may have been evicted while the lookup waited.
      const spare = this.#retainedRow(hash);
      if (spare) return spare.row;
      throw error;
    }
  }

  noteUse(id: string, lastUsedAt: string): void {
    if (this.#uses.size < MAX_USES) this.#uses.set(id, lastUsedAt);
  }

  clear(): void {
    this.#changes++;
    this.#known.clear();
  }

  markStale(): void {
    this.#changes++;
    this.#staleSince = this.#now();
    this.#failedAt = Number.NEGATIVE_INFINITY;
  }

  async close(): Promise<void> {
    clearInterval(this.#writing);
    await this.writeUses();
  }

  async #lookUp(hash: string): Promise<ApiKeyRow | undefined> {
    const before = this.#changes;
    const confirmedAt = this.#now();
    const row = await this.#select(hash);
    if (before === this.#changes) {
      if (row) this.#known.set(hash, { row, confirmedAt });
      else this.#known.delete(hash);
    }
    return row;
  }

  /** The cached row, if it is recent enough for an unavailable database. */
  #retainedRow(hash: string): Known | undefined {
    const known = this.#known.get(hash);
    return known && this.#now() - known.confirmedAt < SPARE_MS ? known : undefined;
  }

  async writeUses(): Promise<void> {
    const uses = [...this.#uses];
    if (uses.length > 0) await this.#write(uses).catch(() => undefined);
  }

  /** Writes all uses in one statement. */
  async #write(uses: readonly [id: string, time: string][]): Promise<void> {
    const ids = uses.map(([id]) => id);
    const times = uses.map(([, time]) => time);
    const last = sql.ref('lastUsedAt');
    await sql`update api_key set ${last} = used.time
      from (select unnest(${ids}::text[]) as id, unnest(${times}::text[]) as time) as used
      where api_key.id = used.id and (api_key.${last} is null or api_key.${last} < used.time)`.execute(
      this.#database.db,
    );
    for (const [id, time] of uses) if (this.#uses.get(id) === time) this.#uses.delete(id);
  }
}
