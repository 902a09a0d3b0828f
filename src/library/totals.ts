import { SingleFlight } from '../concurrency.ts';
import { ROOT } from '../path.ts';
import { type BlobStore, StorageUnavailable } from '../storage/blob-store.ts';
import { countInPeace } from '../storage/count-in-peace.ts';
import { type DatedUsage, type Usage, usageOf } from '../storage/usage.ts';
import { RunningChanges } from './running-changes.ts';

/** Called with what a change has added; a removal is negative. */
export type Tally = (added: Usage) => void;

/** How much is stored. */
export interface Totals {
  /** Runs one change of the stored files. Every change goes through here. */
  during<T>(change: (tally: Tally) => Promise<T>): Promise<T>;
  read(): Promise<DatedUsage>;
  /** Counts again. */
  recount(): Promise<DatedUsage>;
  /** Waits for work in the background. */
  close(): Promise<void>;
}

/** Totals that are counted whenever they are asked for. They are exact even when others change the files, and cheap on a disk. */
export function createWalkedTotals(store: BlobStore): Totals {
  const walks = new SingleFlight<DatedUsage>();
  let changes = 0;
  // A request after a change must not join a walk that began before it.
  const read = () => walks.run(String(changes), undefined, () => countFiles(store));
  return {
    async during(change) {
      changes++;
      try {
        return await change(() => undefined);
      } finally {
        changes++;
      }
    },
    read,
    recount: read,
    close: async () => undefined,
  };
}

/** Keeps counters over a restart. A change that was begun and not finished means that they can no longer be trusted. */
export interface TotalsLedger {
  begin(): Promise<string>;
  /** Ends a change and adds what it added, in one step. */
  finish(change: string, added: Usage): Promise<void>;
  /** Undefined before the first count. */
  read(): Promise<DatedUsage | undefined>;
  /** The changes of processes that are gone, at the start of this one, which is now to make up for them. */
  unfinished(): Promise<string[]>;
  /** The same later on, when processes are gone for the second time in a row. Each change is given to one process. */
  takeOver(): Promise<string[]>;
  /** What other machines have done so far; undefined while they change something. */
  mark(): Promise<string | undefined>;
  /**
   * Replaces the old count by a new one and forgets these unfinished changes.
   * @param mark of before the count: when it has changed, the count may be wrong, and nothing is replaced
   */
  replace(counted: Usage, forgotten: readonly string[], mark?: string): Promise<DatedUsage | undefined>;
}

export interface CountedTotalsOptions {
  store: BlobStore;
  ledger: TotalsLedger;
  /** Does work that needs the ledger: at once, or as soon as it can be used. */
  whenThere(step: () => Promise<void>): Promise<void>;
  onError(error: unknown): void;
  /** How often it is looked for changes of machines that have ended, in milliseconds. */
  lookMs?: number;
}

const LOOK_MS = 60_000;

/** How often a count is tried beside the changes. If each try is disturbed by a change, the changes wait for the last one. */
const UNDISTURBED_ATTEMPTS = 2;

/**
 * Totals that every change keeps up to date, for stores where a full listing is slow and costs money. When a process dies in the
 * middle of a change, the next start counts again, or another machine that runs.
 */
export async function createCountedTotals({
  store,
  ledger,
  whenThere,
  onError,
  lookMs = LOOK_MS,
}: CountedTotalsOptions): Promise<Totals> {
  const changes = new RunningChanges();
  const counts = new Counts(store, ledger, changes);
  let background: Promise<unknown> | undefined;
  await whenThere(async () => {
    counts.left = await ledger.unfinished();
    const isTrusted = counts.left.length === 0 && (await ledger.read()) !== undefined;
    if (isTrusted) return;
    const first = counts.inPeace();
    background = first.catch(onError);
    // Nobody waits for more, but the figures have to be right in the end.
    void first.then((counted) => counted ?? counts.inPeace(Number.POSITIVE_INFINITY)).catch(() => undefined);
  });
  // What fails is done the next time.
  const looking = setInterval(() => void counts.makeUp().catch(() => undefined), lookMs).unref();

  return {
    during: (change) => changes.run(() => recorded(ledger, change)),
    async read() {
      await background;
      const known = await ledger.read();
      // More was removed here than was stored here: others use the bucket too.
      return known && known.size >= 0 && known.fileCount >= 0 ? known : counts.recount();
    },
    recount: () => counts.recount(),
    close: async () => {
      counts.isClosed = true;
      clearInterval(looking);
      await background;
    },
  };
}

/** Counts by listing, beside changes of this machine and of others. */
class Counts {
  /** Changes whose processes are gone: the next count makes up for them. */
  left: readonly string[] = [];
  isClosed = false;
  readonly #store: BlobStore;
  readonly #ledger: TotalsLedger;
  readonly #changes: RunningChanges;
  readonly #counting = new SingleFlight<DatedUsage>();
  #last: Promise<unknown> = Promise.resolve();
  #isMakingUp = false;

  constructor(store: BlobStore, ledger: TotalsLedger, changes: RunningChanges) {
    this.#store = store;
    this.#ledger = ledger;
    this.#changes = changes;
  }

  /** Counts, if need be while others change files. */
  recount(): Promise<DatedUsage> {
    return this.#counting.run('all', undefined, async () => {
      const inPeace = await this.inPeace();
      const counted = inPeace ?? (await this.#inTurn(() => this.#count(this.#replacement())));
      // Without a mark it is always written.
      return counted as DatedUsage;
    });
  }

  /** Counts again when another machine has ended in the middle of a change. */
  async makeUp(): Promise<void> {
    if (this.#isMakingUp) return;
    this.#isMakingUp = true;
    try {
      this.left = [...this.left, ...(await this.#ledger.takeOver())];
      if (this.left.length > 0) await this.inPeace(Number.POSITIVE_INFINITY);
    } finally {
      this.#isMakingUp = false;
    }
  }

  /** A count that no other machine disturbs; undefined when there was none in so many attempts. */
  inPeace(attempts?: number): Promise<DatedUsage | undefined> {
    const isOver = () => this.isClosed;
    return countInPeace(() => this.#inTurn(() => this.#tryInPeace()), { attempts, isOver });
  }

  async #tryInPeace(): Promise<DatedUsage | undefined> {
    // Changes of this machine that are half written would be taken for those of others.
    const mark = await this.#changes.holdBack(() => this.#ledger.mark());
    return mark === undefined ? undefined : this.#count(this.#replacement(mark));
  }

  /** What writes down a count that begins now: it makes up for what is left now. */
  #replacement(mark?: string) {
    const { left } = this;
    return async (found: Usage) => {
      const counted = await this.#ledger.replace(found, left, mark);
      if (counted) this.left = this.left.filter((change) => !left.includes(change));
      return counted;
    };
  }

  /** Changes can be held back by one at a time. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #count<T>(replace: (found: Usage) => Promise<T>): Promise<T> {
    const changes = this.#changes;
    for (let attempt = 1; attempt <= UNDISTURBED_ATTEMPTS; attempt++) {
      const before = changes.begun;
      const found = changes.running === 0 && (await countFiles(this.#store));
      // A change that begins from here on is added to the new count.
      if (found && before === changes.begun) return changes.holdBack(() => replace(found));
    }
    return changes.holdBack(async () => replace(await countFiles(this.#store)));
  }
}

async function recorded<T>(ledger: TotalsLedger, change: (tally: Tally) => Promise<T>): Promise<T> {
  const id = await ledger.begin();
  const sum = { size: 0, fileCount: 0 };
  try {
    const result = await change((added) => {
      sum.size += added.size;
      sum.fileCount += added.fileCount;
    });
    await ledger.finish(id, sum);
    return result;
  } catch (error) {
    // Nobody knows how far a change came that an outage has interrupted. It stays unfinished, and the next start counts again.
    if (!(error instanceof StorageUnavailable)) await ledger.finish(id, sum);
    throw error;
  }
}

async function countFiles(store: BlobStore): Promise<DatedUsage> {
  return { ...(await usageOf(store.walk(ROOT))), updatedAt: new Date() };
}
