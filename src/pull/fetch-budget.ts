import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { isWithin, type StoragePath } from '../path.ts';

/** Row of the fetched originals in `storage_total`, next to that of the shared variants. */
const FETCHED_ORIGINALS = 3;

export interface FetchBudgetOptions {
  db: Kysely<Schema>;
  /** 0 for no limit; bytes are counted anyway. */
  maxBytes: number;
  /** Returns the bytes in the folders of all origins, from any source; undefined while unknown. */
  countStored(): Promise<number | undefined>;
}

/**
 * Counts the bytes of fetched originals, across all nodes and restarts. Deletions and moves are not counted
 * individually: when the budget is used up, the count is lowered to the actual size of the folders.
 */
export class FetchBudget {
  readonly maxBytes: number;
  readonly #options: FetchBudgetOptions;

  constructor(options: FetchBudgetOptions) {
    this.maxBytes = options.maxBytes;
    this.#options = options;
  }

  /** Bytes taken so far. */
  async used(): Promise<number> {
    const { db } = this.#options;
    const row = db.selectFrom('storage_total').select('size').where('id', '=', FETCHED_ORIGINALS);
    return (await row.executeTakeFirst())?.size ?? 0;
  }

  async isFull(): Promise<boolean> {
    if (!(await this.#isReached())) return false;
    return !(await this.#correct()) || this.#isReached();
  }

  /** Reserves bytes for a file. False if there are not enough. */
  async take(bytes: number): Promise<boolean> {
    if (await this.#add(bytes)) return true;
    return (await this.#correct()) && this.#add(bytes);
  }

  /** Returns the bytes of a file that was not stored. */
  async giveBack(bytes: number): Promise<void> {
    const { db } = this.#options;
    await db
      .updateTable('storage_total')
      .set((row) => ({
        size: row
          .case()
          .when('size', '>', bytes)
          .then(row('size', '-', bytes))
          .else(0)
          .end(),
        fileCount: row
          .case()
          .when('fileCount', '>', 1)
          .then(row('fileCount', '-', 1))
          .else(0)
          .end(),
      }))
      .where('id', '=', FETCHED_ORIGINALS)
      .execute();
  }

  async #isReached(): Promise<boolean> {
    return this.maxBytes > 0 && (await this.used()) >= this.maxBytes;
  }

  async #add(bytes: number): Promise<boolean> {
    const { db } = this.#options;
    const updatedAt = new Date().toISOString();
    const empty = { id: FETCHED_ORIGINALS, size: 0, fileCount: 0, updatedAt };
    const row = db.insertInto('storage_total').values(empty);
    await row.onConflict((conflict) => conflict.doNothing()).execute();
    let added = db
      .updateTable('storage_total')
      .set((sums) => ({ size: sums('size', '+', bytes), fileCount: sums('fileCount', '+', 1), updatedAt }))
      .where('id', '=', FETCHED_ORIGINALS);
    // One statement checks and adds, so that nodes cannot exceed the limit together.
    if (this.maxBytes > 0) added = added.where('size', '<=', this.maxBytes - bytes);
    return (await added.executeTakeFirstOrThrow()).numUpdatedRows > 0n;
  }

  /** True if the count was too high. */
  async #correct(): Promise<boolean> {
    const { db, countStored } = this.#options;
    const counted = await this.used();
    const stored = await countStored();
    if (stored === undefined || stored >= counted) return false;
    const corrected = db.updateTable('storage_total').set({ size: stored }).where('id', '=', FETCHED_ORIGINALS);
    // Another node may have reserved or corrected meanwhile.
    await corrected.where('size', '=', counted).execute();
    return true;
  }
}

interface FolderSizes {
  /** True once the catalog has every file; before, files may be missing from the sums. */
  isIndexed(): boolean;
  /** Returns the bytes of all files below a folder. */
  sizeOf(folder: StoragePath): Promise<number>;
}

/** Creates `countStored` for these folders, which may lie in each other. */
export function createStoredCount(
  folders: readonly StoragePath[],
  { isIndexed, sizeOf }: FolderSizes,
): FetchBudgetOptions['countStored'] {
  const distinct = outermost(folders);
  return async () => {
    if (!isIndexed()) return undefined;
    const sizes = await Promise.all(distinct.map(sizeOf));
    return sizes.reduce((sum, size) => sum + size, 0);
  };
}

/** Returns the folders that lie in no other folder of the list. */
function outermost(folders: readonly StoragePath[]): StoragePath[] {
  return folders.filter((folder) => !folders.some((other) => other !== folder && isWithin(folder, other)));
}
