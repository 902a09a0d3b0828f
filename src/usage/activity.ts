import { type Kysely, sql } from 'kysely';
import { inTransaction } from '../db/locks.ts';
import type { OpenDatabase, Schema } from '../db/schema.ts';
import { FailureLog, type Log } from '../log.ts';
import { byCodeUnits } from '../runtime/in-pieces.ts';

const COUNTS = ['requests', 'hits', 'misses', 'bytesSent', 'renders'] as const;

type Counts = Record<(typeof COUNTS)[number], number>;

/** Figures of this process since its start, which only increase. */
export interface ActivityTotals {
  counts: Readonly<Counts>;
  /** Numbers of renders, by the upper bound of their time in ms. */
  renderTimes: Readonly<Record<string, number>>;
  /** Numbers of responses with an error, by its code. */
  errors: Readonly<Record<string, number>>;
}

export interface ActivityOptions {
  database: Pick<OpenDatabase, 'db' | 'reader'>;
  log: Log;
  read(): Promise<ActivityTotals>;
  /** Unix milliseconds. */
  now?: () => number;
}

/** What all nodes did in an hour. */
export interface ActiveHour extends Counts {
  at: Date;
  /** In ms, to within a fifth; undefined without renders. */
  renderP50Ms: number | undefined;
  renderP95Ms: number | undefined;
}

export interface Activity {
  /** The oldest first, from the first one that is known. */
  hours: ActiveHour[];
  /** Errors of the whole time, the most frequent first. */
  errors: { code: string; count: number }[];
}

const HOUR_MS = 3_600_000;
const STEP_MS = 60_000;
/** Days that are stored. */
export const ACTIVITY_DAYS = 30;
/** Increments that wait for the database: some hours. */
const MAX_PENDING = 2000;

const RENDER = 'render ';
const ERROR = 'error ';

/**
 * Adds up what all nodes do, by hour, in the database: it survives restarts. Written once a minute, as the differences
 * of counters that exist anyway; a kill loses that minute. An hour has a row for each counter, each bound of render times
 * and each error code that occurred: up to about two hundred. A month is stored.
 */
export class ActivityLog {
  readonly #options: ActivityOptions & { now: () => number };
  readonly #failures: FailureLog;
  readonly #timer: NodeJS.Timeout;
  #before: Readonly<Record<string, number>> = {};
  /** By hour and name. */
  #pending = new Map<string, { hour: number; name: string; count: number }>();
  #cleanedAt = 0;
  #recording: Promise<void> = Promise.resolve();

  constructor(options: ActivityOptions) {
    this.#options = { now: Date.now, ...options };
    this.#failures = new FailureLog(options.log, {
      fails: 'Activity cannot be stored',
      works: 'Activity can be stored again',
    });
    this.#timer = setInterval(() => void this.record(), STEP_MS).unref();
  }

  /** Adds what happened since the last call. Never fails: what could not be written waits. */
  record(): Promise<void> {
    this.#recording = this.#recording.then(() => this.#failures.attempt(() => this.#record()).then(() => undefined));
    return this.#recording;
  }

  /** Writes the rest, once. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.record();
  }

  /** Returns the last days. @param days at most `ACTIVITY_DAYS` */
  async read(days: number): Promise<Activity> {
    await this.record();
    const until = hourOf(this.#options.now());
    const from = until - days * 24 + 1;
    const inTime = this.#options.database.reader.selectFrom('activity_hour').where('hour', '>=', from);
    const count = sql<number>`cast(sum(count) as bigint)`.as('count');
    const [rows, errors] = await Promise.all([
      inTime.selectAll().where('name', 'not like', `${ERROR}%`).execute(),
      inTime.select(['name', count]).where('name', 'like', `${ERROR}%`).groupBy('name').execute(),
    ]);
    const pending = [...this.#pending.values()].filter(({ hour }) => hour >= from);
    const byHour = Map.groupBy([...rows, ...pending], ({ hour }) => hour);
    const first = Math.min(until, ...byHour.keys());
    const hours = Array.from({ length: until - first + 1 }, (_, index) => first + index);
    return {
      hours: hours.map((hour) => activeHour(hour, byHour.get(hour) ?? [])),
      errors: errorsIn([...errors, ...pending]),
    };
  }

  async #record(): Promise<void> {
    const now = this.#options.now();
    const totals = named(await this.#options.read());
    for (const [name, total] of Object.entries(totals)) this.#add(hourOf(now), name, total - (this.#before[name] ?? 0));
    this.#before = totals;
    const { db } = this.#options.database;
    if (this.#pending.size > 0) {
      await addRows(db, [...this.#pending.values()]);
      this.#pending = new Map();
    }
    if (now - this.#cleanedAt < HOUR_MS) return;
    this.#cleanedAt = now;
    const oldest = hourOf(now) - ACTIVITY_DAYS * 24;
    await db.deleteFrom('activity_hour').where('hour', '<', oldest).execute();
  }

  #add(hour: number, name: string, count: number): void {
    if (count <= 0) return;
    const key = `${hour} ${name}`;
    const known = this.#pending.get(key);
    if (known) known.count += count;
    else if (this.#pending.size < MAX_PENDING) this.#pending.set(key, { hour, name, count });
  }
}

const hourOf = (time: number) => Math.floor(time / HOUR_MS);

function named({ counts, renderTimes, errors }: ActivityTotals): Record<string, number> {
  const withPrefix = (prefix: string, values: Readonly<Record<string, number>>) =>
    Object.entries(values).map(([name, value]) => [prefix + name, value] as const);
  return { ...counts, ...Object.fromEntries([...withPrefix(RENDER, renderTimes), ...withPrefix(ERROR, errors)]) };
}

interface Row {
  name: string;
  count: number;
}

/** Nodes that add to one row at the same time add up. */
function addRows(db: Kysely<Schema>, rows: readonly (Row & { hour: number })[]): Promise<void> {
  // A fixed order prevents deadlocks of nodes.
  const sorted = rows.toSorted((a, b) => a.hour - b.hour || byCodeUnits(a.name, b.name));
  return inTransaction(db, async (transaction) => {
    await transaction
      .insertInto('activity_hour')
      .values(sorted.map(({ hour, name, count }) => ({ hour, name, count })))
      .onConflict((conflict) =>
        conflict
          .columns(['hour', 'name'])
          .doUpdateSet((eb) => ({ count: eb('activity_hour.count', '+', eb.ref('excluded.count')) })),
      )
      .execute();
  });
}

function activeHour(hour: number, rows: readonly Row[]): ActiveHour {
  const sum = (name: string) => rows.reduce((total, row) => (row.name === name ? total + row.count : total), 0);
  const times = rows
    .filter(({ name }) => name.startsWith(RENDER))
    .map(({ name, count }) => ({ ms: Number(name.slice(RENDER.length)), count }))
    .toSorted((a, b) => a.ms - b.ms);
  const counts = Object.fromEntries(COUNTS.map((name) => [name, sum(name)])) as Counts;
  return {
    at: new Date(hour * HOUR_MS),
    ...counts,
    renderP50Ms: percentile(times, 0.5),
    renderP95Ms: percentile(times, 0.95),
  };
}

/** The upper bound below which a share of the renders lies. @param times by their bounds */
function percentile(times: readonly { ms: number; count: number }[], share: number): number | undefined {
  const total = times.reduce((sum, { count }) => sum + count, 0);
  let counted = 0;
  return times.find(({ count }) => {
    counted += count;
    return counted >= total * share;
  })?.ms;
}

function errorsIn(rows: readonly Row[]): Activity['errors'] {
  const counts = new Map<string, number>();
  for (const { name, count } of rows) {
    if (!name.startsWith(ERROR)) continue;
    const code = name.slice(ERROR.length);
    counts.set(code, (counts.get(code) ?? 0) + count);
  }
  return Array.from(counts, ([code, count]) => ({ code, count })).toSorted((a, b) => b.count - a.count);
}
