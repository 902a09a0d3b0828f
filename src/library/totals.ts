import { SingleFlight } from '../concurrency.ts';
import { ROOT } from '../path.ts';
import { type BlobStore, StorageUnavailable } from '../storage/blob-store.ts';

/** Bytes and files. */
export interface Count {
  size: number;
  fileCount: number;
}

export interface CountedAt extends Count {
  updatedAt: Date;
}

/** Told what a change added; what it removed is negative. */
export type Tally = (added: Count) => void;

/** How much is stored. */
export interface Totals {
  /** Runs one change of the stored files. Every change goes through here. */
  during<T>(change: (tally: Tally) => Promise<T>): Promise<T>;
  read(): Promise<CountedAt>;
  /** Counts anew. */
  recount(): Promise<CountedAt>;
  /** Waits for work in the background. */
  close(): Promise<void>;
}

/** Totals that are counted whenever they are asked for: exact whoever else changes the files, and cheap on a local disk. */
export function createWalkedTotals(store: BlobStore): Totals {
  const walks = new SingleFlight<CountedAt>();
  let changes = 0;
  // Whoever asks after a change may not get what a walk from before it found.
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

/** Where counters survive a restart. A change that was begun and not finished says that they can no longer be trusted. */
export interface TotalsLedger {
  begin(): Promise<string>;
  /** Ends a change and adds what it added, in one step. */
  finish(change: string, added: Count): Promise<void>;
  /** Undefined before the first count. */
  read(): Promise<CountedAt | undefined>;
  unfinished(): Promise<string[]>;
  /** Puts a new count in the place of the old and forgets these unfinished changes. */
  replace(count: Count, forgotten: readonly string[]): Promise<CountedAt>;
}

export interface CountedTotalsOptions {
  store: BlobStore;
  ledger: TotalsLedger;
  onError(error: unknown): void;
}

/** A count that no change disturbs is tried for this often; then the changes have to wait for it. */
const UNDISTURBED_ATTEMPTS = 2;

/**
 * Totals that every change keeps up to date, for stores where a full listing is slow and costs money. When the process died in
 * the middle of a change they are counted anew at the next start.
 */
export async function createCountedTotals({ store, ledger, onError }: CountedTotalsOptions): Promise<Totals> {
  const counting = new SingleFlight<CountedAt>();
  const changes = new Changes();
  const left = await ledger.unfinished();
  const replace = (count: Count) => ledger.replace(count, left);

  async function count(): Promise<CountedAt> {
    for (let attempt = 1; attempt <= UNDISTURBED_ATTEMPTS; attempt++) {
      const before = changes.begun;
      const found = changes.running === 0 && (await countFiles(store));
      // Whatever begins from here on comes on top of the new count.
      if (found && before === changes.begun) return changes.holdBack(() => replace(found));
    }
    return changes.holdBack(async () => replace(await countFiles(store)));
  }

  const recount = () => counting.run('all', undefined, count);
  const isTrusted = left.length === 0 && (await ledger.read()) !== undefined;
  const background = isTrusted ? undefined : recount().catch(onError);

  return {
    during: (change) => changes.run(() => recorded(ledger, change)),
    async read() {
      await background;
      const known = await ledger.read();
      // More was removed here than was stored here: others use the bucket too.
      return known && known.size >= 0 && known.fileCount >= 0 ? known : recount();
    },
    recount,
    close: async () => {
      await background;
    },
  };
}

/** The changes under way, which a count may hold back. */
class Changes {
  /** How many there have been, those that are held back among them. */
  begun = 0;
  running = 0;
  /** Ends when no change is held back any more. */
  #held: Promise<void> | undefined;
  #onQuiet: () => void = () => undefined;

  async run<T>(change: () => Promise<T>): Promise<T> {
    this.begun++;
    while (this.#held) await this.#held;
    this.running++;
    try {
      return await change();
    } finally {
      if (--this.running === 0) this.#onQuiet();
    }
  }

  /** Does its work when all changes under way have ended; those that come now begin after it. One at a time. */
  async holdBack<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    try {
      if (this.running > 0) await new Promise<void>((quiet) => (this.#onQuiet = quiet));
      return await work();
    } finally {
      this.#held = undefined;
      resolve();
    }
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
    // Of a change that an outage has interrupted, nobody knows how far it came: it stays unfinished, and the next start counts.
    if (!(error instanceof StorageUnavailable)) await ledger.finish(id, sum);
    throw error;
  }
}

async function countFiles(store: BlobStore): Promise<CountedAt> {
  const count = { size: 0, fileCount: 0 };
  for await (const { size } of store.walk(ROOT)) {
    count.size += size;
    count.fileCount++;
  }
  return { ...count, updatedAt: new Date() };
}
