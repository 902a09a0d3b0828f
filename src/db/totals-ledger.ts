import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

interface Count {
  size: number;
  fileCount: number;
}

/** The rows of the totals: of the originals, and of the variants that several machines share. */
const ROW = 1;
const CACHE_ROW = 2;

/** What the changes of the shared variants are called, one for each process; those of the originals have names of their own. */
const CACHE_CHANGES = 'variants ';

/** Keeps the totals of the storage in the database. */
export function createTotalsLedger(db: Kysely<Schema>, now: () => number = Date.now) {
  const time = () => new Date(now()).toISOString();
  return {
    async begin(): Promise<string> {
      const id = randomUUID();
      await db.insertInto('storage_change').values({ id }).execute();
      return id;
    },

    async finish(change: string, added: Count): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('storage_change').where('id', '=', change).execute();
        if (added.size === 0 && added.fileCount === 0) return;
        await transaction
          .updateTable('storage_total')
          .set((row) => ({
            size: row('size', '+', added.size),
            fileCount: row('fileCount', '+', added.fileCount),
            updatedAt: time(),
          }))
          .where('id', '=', ROW)
          .execute();
      });
    },

    async read(): Promise<(Count & { updatedAt: Date }) | undefined> {
      const row = await db.selectFrom('storage_total').selectAll().where('id', '=', ROW).executeTakeFirst();
      return row && { size: row.size, fileCount: row.fileCount, updatedAt: new Date(row.updatedAt) };
    },

    async unfinished(): Promise<string[]> {
      const changes = await db
        .selectFrom('storage_change')
        .select('id')
        .where('id', 'not like', `${CACHE_CHANGES}%`)
        .execute();
      return changes.map(({ id }) => id);
    },

    async replace({ size, fileCount }: Count, forgotten: readonly string[]): Promise<Count & { updatedAt: Date }> {
      const row = { size, fileCount, updatedAt: time() };
      await db.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('storage_total')
          .values({ id: ROW, ...row })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
          .execute();
        for (const id of forgotten) await transaction.deleteFrom('storage_change').where('id', '=', id).execute();
      });
      return { size, fileCount, updatedAt: new Date(row.updatedAt) };
    },
  };
}

/**
 * Keeps the totals of the shared variants in the database. Where a process has ended in the middle of changes, they are
 * forgotten: nobody knows how far those came.
 */
export async function openCacheLedger(db: Kysely<Schema>, now: () => number = Date.now) {
  const time = () => new Date(now()).toISOString();
  const id = CACHE_CHANGES + randomUUID();
  const left = await db.deleteFrom('storage_change').where('id', 'like', `${CACHE_CHANGES}%`).executeTakeFirst();
  if (left.numDeletedRows > 0n) await db.deleteFrom('storage_total').where('id', '=', CACHE_ROW).execute();
  return {
    async begin(): Promise<void> {
      await db
        .insertInto('storage_change')
        .values({ id })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },

    async finish(): Promise<void> {
      await db.deleteFrom('storage_change').where('id', '=', id).execute();
    },

    async read(): Promise<(Count & { updatedAt: Date }) | undefined> {
      const row = await db.selectFrom('storage_total').selectAll().where('id', '=', CACHE_ROW).executeTakeFirst();
      return row && { size: row.size, fileCount: row.fileCount, updatedAt: new Date(row.updatedAt) };
    },

    async add(added: Count): Promise<void> {
      await db
        .updateTable('storage_total')
        .set((row) => ({
          size: row('size', '+', added.size),
          fileCount: row('fileCount', '+', added.fileCount),
          updatedAt: time(),
        }))
        .where('id', '=', CACHE_ROW)
        .execute();
    },

    async replace({ size, fileCount }: Count): Promise<void> {
      const row = { size, fileCount, updatedAt: time() };
      await db
        .insertInto('storage_total')
        .values({ id: CACHE_ROW, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute();
    },
  };
}
