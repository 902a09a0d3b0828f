import { randomUUID } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { DatedUsage, Usage } from '../storage/usage.ts';
import type { OpenDatabase, Schema, StorageChangeRow } from './schema.ts';

/** The rows of the counters: of the originals, and of the variants that several machines share. */
const ORIGINALS = 1;
const SHARED_VARIANTS = 2;

/** What the changes of the shared variants are called, one for each process; those of the originals have names of their own. */
const VARIANT_CHANGES = 'variants ';

/** The processes that share the database. */
export interface Nodes {
  /** The name of this one. */
  node: string;
  /** Whether the process of this name is running. */
  isAlive(node: string): Promise<boolean>;
}

/** Whoever has left a change is gone where there is only one process. */
const ALONE: Nodes = { node: '', isAlive: async () => false };

/** Keeps the counters of the originals in the database. */
export function createTotalsLedger(db: Kysely<Schema>, nodes = ALONE, now: () => number = Date.now) {
  const counters = new Counters(ORIGINALS, now);
  return {
    async begin(): Promise<string> {
      const id = randomUUID();
      await db.insertInto('storage_change').values({ id, node: nodes.node }).execute();
      return id;
    },

    async finish(change: string, added: Usage): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('storage_change').where('id', '=', change).execute();
        if (added.size !== 0 || added.fileCount !== 0) await counters.add(transaction, added);
      });
    },

    read: () => counters.read(db),

    /** The changes of processes that are gone. Those of the others go on. */
    async unfinished(): Promise<string[]> {
      return left(await allChanges(db).where('id', 'not like', `${VARIANT_CHANGES}%`).execute(), nodes);
    },

    async replace(counted: Usage, forgotten: readonly string[]): Promise<DatedUsage> {
      return db.transaction().execute(async (transaction) => {
        for (const id of forgotten) await transaction.deleteFrom('storage_change').where('id', '=', id).execute();
        return counters.replace(transaction, counted);
      });
    },
  };
}

/**
 * Keeps the counters of the shared variants in the database. Where a process has ended in the middle of changes, they are
 * forgotten: nobody knows how far those came.
 */
export async function openVariantLedger(
  { db, whenThere }: Pick<OpenDatabase, 'db' | 'whenThere'>,
  nodes = ALONE,
  now: () => number = Date.now,
) {
  const counters = new Counters(SHARED_VARIANTS, now);
  const id = VARIANT_CHANGES + randomUUID();
  await whenThere(async () => {
    const doubtful = await left(await allChanges(db).where('id', 'like', `${VARIANT_CHANGES}%`).execute(), nodes);
    if (doubtful.length === 0) return;
    await db.transaction().execute(async (transaction) => {
      const forgotten = await transaction.deleteFrom('storage_change').where('id', 'in', doubtful).executeTakeFirst();
      // Another start may have seen them as well, and have counted again since.
      if (forgotten.numDeletedRows > 0n) await counters.forget(transaction);
    });
  });
  return {
    async begin(): Promise<void> {
      const change = db.insertInto('storage_change').values({ id, node: nodes.node });
      await change.onConflict((conflict) => conflict.doNothing()).execute();
    },

    async finish(): Promise<void> {
      await db.deleteFrom('storage_change').where('id', '=', id).execute();
    },

    read: () => counters.read(db),

    add: (added: Usage) => counters.add(db, added),

    async replace(counted: Usage): Promise<void> {
      await counters.replace(db, counted);
    },
  };
}

type Change = Selectable<StorageChangeRow>;

const allChanges = (db: Kysely<Schema>) => db.selectFrom('storage_change').select(['id', 'node']);

/** The changes whose processes are gone. One that cannot be asked after may be running. */
async function left(changes: readonly Change[], { isAlive }: Nodes): Promise<string[]> {
  const gone = new Set<string>();
  for (const node of new Set(changes.map((change) => change.node))) {
    if (!(await isAlive(node).catch(() => true))) gone.add(node);
  }
  return changes.filter(({ node }) => gone.has(node)).map(({ id }) => id);
}

/** One row of counters. Each method runs in the database or the transaction that it is given. */
class Counters {
  readonly #id: number;
  readonly #now: () => number;

  constructor(id: number, now: () => number) {
    this.#id = id;
    this.#now = now;
  }

  /** Undefined before the first count. */
  async read(db: Kysely<Schema>): Promise<DatedUsage | undefined> {
    const row = await db.selectFrom('storage_total').selectAll().where('id', '=', this.#id).executeTakeFirst();
    return row && { size: row.size, fileCount: row.fileCount, updatedAt: new Date(row.updatedAt) };
  }

  /** Changes nothing before the first count. */
  async add(db: Kysely<Schema>, added: Usage): Promise<void> {
    const sums = db.updateTable('storage_total').set((row) => ({
      size: row('size', '+', added.size),
      fileCount: row('fileCount', '+', added.fileCount),
      updatedAt: this.#time(),
    }));
    await sums.where('id', '=', this.#id).execute();
  }

  async replace(db: Kysely<Schema>, { size, fileCount }: Usage): Promise<DatedUsage> {
    const row = { size, fileCount, updatedAt: this.#time() };
    const counted = db.insertInto('storage_total').values({ id: this.#id, ...row });
    await counted.onConflict((conflict) => conflict.column('id').doUpdateSet(row)).execute();
    return { size, fileCount, updatedAt: new Date(row.updatedAt) };
  }

  async forget(db: Kysely<Schema>): Promise<void> {
    await db.deleteFrom('storage_total').where('id', '=', this.#id).execute();
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}
