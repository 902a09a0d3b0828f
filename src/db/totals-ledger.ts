import { randomUUID } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { DatedUsage, Usage } from '../storage/usage.ts';
import type { OpenDatabase, Schema, StorageChangeRow } from './schema.ts';

/** The row of the counters. Earlier versions had one for the originals, too. */
const SHARED_VARIANTS = 2;

/** What the changes of the shared variants are called, one for each process. Earlier versions wrote down those of the originals, too. */
const VARIANT_CHANGES = 'variants ';

/** The processes that share the database. */
export interface Nodes {
  /** The name of this one. */
  node: string;
  /** Whether the process of this name is running. */
  isAlive(node: string): Promise<boolean>;
}

/** The name of no process among several. */
const NOBODY = '';

/** Whoever has left a change is gone where there is only one process. */
const ALONE: Nodes = { node: NOBODY, isAlive: async () => false };

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
  const mark = createMark(counters, nodes);
  const id = VARIANT_CHANGES + randomUUID();
  await whenThere(async () => {
    const changes = await allChanges(db).where('id', 'like', `${VARIANT_CHANGES}%`).execute();
    const gone = await goneNodes(changes, nodes);
    const doubtful = changes.filter(({ node }) => gone.has(node)).map((change) => change.id);
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

    mark: () => mark(db),

    async replace(counted: Usage, before?: string): Promise<boolean> {
      return db.transaction().execute(async (transaction) => {
        if (before !== undefined && before !== (await mark(transaction))) return false;
        await counters.replace(transaction, counted);
        return true;
      });
    },
  };
}

type Change = Selectable<StorageChangeRow>;

const allChanges = (db: Kysely<Schema>) => db.selectFrom('storage_change').select(['id', 'node']);

/** The processes of these changes that are gone. One that cannot be asked after may be running. */
async function goneNodes(changes: readonly Change[], { isAlive }: Nodes): Promise<Set<string>> {
  const gone = new Set<string>();
  for (const node of new Set(changes.map((change) => change.node))) {
    if (!(await isAlive(node).catch(() => true))) gone.add(node);
  }
  return gone;
}

/**
 * Makes what gives a text about what other processes have done so far, undefined while one is in the middle of a change. Where it
 * is the same before and after a listing, nobody else has disturbed that.
 */
function createMark(counters: Counters, nodes: Nodes) {
  return async (db: Kysely<Schema>): Promise<string | undefined> => {
    const changes = await allChanges(db).where('id', 'like', `${VARIANT_CHANGES}%`).execute();
    const others = changes.filter(({ node }) => node !== nodes.node);
    const gone = await goneNodes(others, nodes);
    const isQuiet = others.every(({ node }) => gone.has(node));
    return isQuiet ? counters.mark(db) : undefined;
  };
}

/** What a row says before the first count, and after one that can no longer be trusted: far less than can be added. */
const UNKNOWN = { size: -(2 ** 52), fileCount: 0 };

/** One row of counters. Each method runs in the database or the transaction that it is given. */
class Counters {
  readonly #id: number;
  readonly #now: () => number;
  /** By this process. */
  readonly #added = { size: 0, fileCount: 0 };

  constructor(id: number, now: () => number) {
    this.#id = id;
    this.#now = now;
  }

  /** Undefined before the first count. */
  async read(db: Kysely<Schema>): Promise<DatedUsage | undefined> {
    const row = await db.selectFrom('storage_total').selectAll().where('id', '=', this.#id).executeTakeFirst();
    if (!row || row.size < UNKNOWN.size / 2) return undefined;
    return { size: row.size, fileCount: row.fileCount, updatedAt: new Date(row.updatedAt) };
  }

  /** What other processes have added, as a text. In a transaction, it cannot change before that ends. */
  async mark(db: Kysely<Schema>): Promise<string> {
    const unknown = db.insertInto('storage_total').values({ id: this.#id, ...UNKNOWN, updatedAt: this.#time() });
    await unknown.onConflict((conflict) => conflict.column('id').doUpdateSet({ id: this.#id })).execute();
    const row = await db.selectFrom('storage_total').selectAll().where('id', '=', this.#id).executeTakeFirstOrThrow();
    return `${row.size - this.#added.size} ${row.fileCount - this.#added.fileCount}`;
  }

  /** Changes nothing that is known before the first count. */
  async add(db: Kysely<Schema>, added: Usage): Promise<void> {
    const sums = db.updateTable('storage_total').set((row) => ({
      size: row('size', '+', added.size),
      fileCount: row('fileCount', '+', added.fileCount),
      updatedAt: this.#time(),
    }));
    await sums.where('id', '=', this.#id).execute();
    this.#added.size += added.size;
    this.#added.fileCount += added.fileCount;
  }

  async replace(db: Kysely<Schema>, { size, fileCount }: Usage): Promise<DatedUsage> {
    const row = { size, fileCount, updatedAt: this.#time() };
    const counted = db.insertInto('storage_total').values({ id: this.#id, ...row });
    await counted.onConflict((conflict) => conflict.column('id').doUpdateSet(row)).execute();
    return { size, fileCount, updatedAt: new Date(row.updatedAt) };
  }

  async forget(db: Kysely<Schema>): Promise<void> {
    await this.replace(db, UNKNOWN);
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}
