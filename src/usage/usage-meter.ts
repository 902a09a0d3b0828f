import type { Cluster } from '../cluster/cluster.ts';
import { Sweep } from '../cluster/sweep.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { INSTALLATION } from '../installation.ts';
import { FailureLog, type Log } from '../log.ts';
import type { StoragePath } from '../path.ts';
import {
  addCounts,
  countsOf,
  createCounter,
  isUnused,
  noCounts,
  resetCounts,
  sumOf,
  type UsageCounter,
  type UsageCounts,
  type UsageEntry,
} from './usage-counter.ts';
import {
  addEntries,
  setStored,
  spacesWithStored,
  sumRows,
  type UsageGroup,
  type UsageRange,
  type UsageSum,
} from './usage-rows.ts';

export interface UsageMeterOptions {
  database: Pick<OpenDatabase, 'db' | 'reader'>;
  /** Absent: stored bytes are not recorded. */
  cluster?: Pick<Cluster, 'once'> | undefined;
  log: Log;
  /** Interval of writes, in ms. */
  flushMs: number;
  /** Reads the bytes that a space has stored; undefined for one that does not exist. */
  readStored(space: string): Promise<number | undefined>;
  /** Returns the ids of all spaces. */
  spaces?: () => readonly string[];
  /** The innermost space of a file; empty for the installation. */
  spaceOf?: (path: StoragePath) => string;
  /** Maximum of counters in memory, and of days and counters that wait for the database. */
  maxCounters?: number;
  /** Unix milliseconds. */
  now?: () => number;
}

export interface Usage {
  rows: UsageSum[];
  total: UsageCounts & { storedBytes: number };
  /** Bytes stored now. */
  storedBytes: number;
  /** Bytes delivered since the beginning of the month. */
  monthBytes: number;
}

const DAY_MS = 86_400_000;

/** The day of a time, in UTC. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/**
 * Counts what is used, by space, day and key. Counters are in memory and added to the rows periodically, so that no
 * response waits and nodes add up; a kill loses what was counted since.
 */
export class UsageMeter {
  readonly #options: UsageMeterOptions & Required<Omit<UsageMeterOptions, 'cluster'>>;
  readonly #failures: FailureLog;
  readonly #sweep: Sweep | undefined;
  /** By space and key. Those of spaces stay, because cached responses hold them. */
  readonly #counters = new Map<string, UsageCounter>();
  /** By day, space and key. */
  #pending = new Map<string, UsageEntry>();
  #day: string;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: UsageMeterOptions) {
    this.#options = { spaces: () => [], spaceOf: () => '', maxCounters: 10_000, now: Date.now, ...options };
    this.#day = dayOf(this.#options.now());
    this.#failures = new FailureLog(options.log, {
      fails: 'Usage cannot be stored',
      works: 'Usage can be stored again',
    });
    this.#sweep =
      options.cluster &&
      new Sweep({
        name: 'record of stored bytes',
        fails: 'the stored bytes of today could not be recorded',
        tasks: [(now, signal) => this.#recordStored(now, signal)],
        cluster: options.cluster,
        log: options.log,
      });
  }

  start(): void {
    this.#schedule();
    this.#sweep?.start();
  }

  /** Writes the rest, once. */
  async stop(): Promise<void> {
    await this.#sweep?.stop();
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.flush();
  }

  /**
   * Returns the counter of a space and a key. That of a space without a key stays valid for good; others may be
   * replaced after each write. Beyond the maximum, keys share the counter of their space.
   */
  counter(space: string, key = ''): UsageCounter {
    const name = nameOf(space, key);
    const known = this.#counters.get(name);
    if (known) return known;
    if (key !== '' && this.#counters.size >= this.#options.maxCounters) return this.counter(space);
    const counter = createCounter(space, key);
    this.#counters.set(name, counter);
    return counter;
  }

  /** Returns the counter of the innermost space of a file. */
  counterOf(path: StoragePath, key = ''): UsageCounter {
    return this.counter(this.#options.spaceOf(path), key);
  }

  readonly countRender = (path: StoragePath, cpuMs: number): void => {
    const counter = this.counterOf(path);
    counter.renders++;
    counter.renderMs += cpuMs;
  };

  readonly countTranscode = (path: StoragePath, ms: number): void => {
    this.counterOf(path).transcodeMs += ms;
  };

  /** Adds to the rows what was counted. Never fails: what could not be written waits. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Returns the bytes that a space has stored; those of the installation for an empty id. */
  async storedBytes(space: string): Promise<number> {
    return (await this.#options.readStored(space)) ?? 0;
  }

  /**
   * Records the stored bytes of today, once for each space: to sum them up takes longer with each file. Runs every hour,
   * on one node at a time, so that new spaces and days after a stop get theirs. Never fails.
   */
  async recordStored(): Promise<void> {
    await this.#sweep?.run(this.#options.now());
  }

  /** Returns the bytes delivered since the beginning of the month, with what this node has counted since its last write. */
  async monthBytes(space: string): Promise<number> {
    await this.flush();
    const today = dayOf(this.#options.now());
    return sumOf(await this.#sums('day', { space, from: `${today.slice(0, 8)}01`, to: today })).deliveredBytes;
  }

  /** Sums some days, with what this node has counted since its last write. */
  async read(by: UsageGroup, range: UsageRange): Promise<Usage> {
    const { space } = range;
    const monthBytes = await this.monthBytes(space);
    const storedBytes = await this.storedBytes(space);
    const today = dayOf(this.#options.now());
    const days = await this.#sums('day', range);
    const sums = by === 'day' ? days : await this.#sums(by, range);
    const rows = by === 'day' ? everyDay(range, sums) : sums;
    const current = rows.find(({ name }) => by === 'day' && name === today);
    if (current) current.storedBytes = storedBytes;
    const last = days.findLast((day) => day.storedBytes !== null)?.storedBytes ?? 0;
    return {
      rows,
      total: { ...sumOf(days), storedBytes: range.to < today ? last : storedBytes },
      storedBytes,
      monthBytes,
    };
  }

  /** Sums rows, and what could not be added to them yet. */
  async #sums(by: UsageGroup, range: UsageRange): Promise<UsageSum[]> {
    const sums = await sumRows(this.#options.database.reader, by, range);
    const { space, from, to } = range;
    for (const entry of this.#pending.values()) {
      if (entry.day < from || entry.day > to || (space !== '' && entry.space !== space)) continue;
      const known = sums.find(({ name }) => name === entry[by]);
      if (known) addCounts(known, entry);
      else sums.push({ ...countsOf(entry), name: entry[by], storedBytes: null });
    }
    return sums;
  }

  /** Also at midnight, so that what was counted belongs to its day. */
  #schedule(): void {
    if (this.#isStopped) return;
    const untilMidnight = DAY_MS - (this.#options.now() % DAY_MS);
    const run = async () => {
      await this.flush();
      this.#schedule();
    };
    this.#timer = setTimeout(() => void run(), Math.min(this.#options.flushMs, untilMidnight)).unref();
  }

  /** Moves what was counted to its day. */
  #drain(): void {
    for (const [name, counter] of this.#counters) {
      if (!isUnused(counter)) {
        this.#add({ ...counter, day: this.#day });
        resetCounts(counter);
      }
      if (counter.key !== '') this.#counters.delete(name);
    }
    this.#day = dayOf(this.#options.now());
  }

  #add(entry: UsageEntry): void {
    const name = `${entry.day} ${nameOf(entry.space, entry.key)}`;
    const known = this.#pending.get(name);
    if (known) addCounts(known, entry);
    else if (this.#pending.size < this.#options.maxCounters || entry.key === '') this.#pending.set(name, entry);
    else this.#add({ ...entry, key: '' });
  }

  async #write(): Promise<void> {
    this.#drain();
    if (this.#pending.size === 0) return;
    const entries = this.#pending;
    this.#pending = new Map();
    try {
      await addEntries(this.#options.database.db, [...entries.values()]);
      this.#failures.succeeded();
    } catch (error) {
      this.#failures.failed(error);
      for (const entry of entries.values()) this.#add(entry);
    }
  }

  async #recordStored(now: number, signal: AbortSignal): Promise<void> {
    const { database, readStored, spaces } = this.#options;
    const day = dayOf(now);
    const recorded = await spacesWithStored(database.db, day);
    for (const space of [INSTALLATION, ...spaces()]) {
      if (signal.aborted) return;
      if (recorded.has(space)) continue;
      const bytes = await readStored(space);
      // The space may have been deleted meanwhile.
      if (bytes !== undefined) await setStored(database.db, space, day, bytes);
    }
  }
}

const nameOf = (space: string, key: string) => `${space} ${key}`;

/** Completes the days of a range. */
function everyDay({ from, to }: UsageRange, sums: readonly UsageSum[]): UsageSum[] {
  const known = new Map(sums.map((sum) => [sum.name, sum]));
  const days: UsageSum[] = [];
  for (let time = Date.parse(from); time <= Date.parse(to); time += DAY_MS) {
    const name = dayOf(time);
    days.push(known.get(name) ?? { name, ...noCounts(), storedBytes: null });
  }
  return days;
}
