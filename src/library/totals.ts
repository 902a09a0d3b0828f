import { SingleFlight } from '../concurrency.ts';
import { ROOT } from '../path.ts';
import { type BlobStore, StorageUnavailable } from '../storage/blob-store.ts';
import type { PathLock } from './path-lock.ts';

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
  lock: PathLock;
  onError(error: unknown): void;
}

/** A count that no change disturbs is tried for this often; then the changes have to wait for it. */
const UNDISTURBED_ATTEMPTS = 2;

/**
 * Totals that every change keeps up to date, for stores where a full listing is slow and costs money. When the process died in
 * the middle of a change they are counted anew at the next start.
 */
export async function createCountedTotals(options: CountedTotalsOptions): Promise<Totals> {
  const { store, ledger, lock, onError } = options;
  const counting = new SingleFlight<CountedAt>();
  const left = await ledger.unfinished();
  let running = 0;
  let begun = 0;

  async function countUndisturbed(): Promise<CountedAt> {
    for (let attempt = 1; attempt <= UNDISTURBED_ATTEMPTS; attempt++) {
      const before = begun;
      const isQuiet = running === 0;
      const count = isQuiet && (await countFiles(store));
      if (count && before === begun) return ledger.replace(count, left);
    }
    return lock.run([ROOT], async () => ledger.replace(await countFiles(store), left));
  }

  const recount = () => counting.run('all', undefined, countUndisturbed);
  const isTrusted = left.length === 0 && (await ledger.read()) !== undefined;
  const background = isTrusted ? undefined : recount().catch(onError);

  return {
    async during(change) {
      begun++;
      running++;
      try {
        return await recorded(ledger, change);
      } finally {
        running--;
      }
    },
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
