import { type Kysely, sql } from 'kysely';
import { yieldToEventLoop } from '../../concurrency.ts';
import type { Schema } from '../../db/schema.ts';
import { ROOT, type StoragePath } from '../../path.ts';
import { byCodeUnits, sortInPieces } from '../../runtime/in-pieces.ts';
import type { TagCount, Tags } from '../catalog-words.ts';
import { HIDDEN } from '../hidden.ts';
import { rowAt } from './files.ts';
import { holdFolders } from './folders.ts';
import { within } from './in-folder.ts';
import { writeWords } from './searchable.ts';
import { inChunks, ROW_BATCH, step } from './step.ts';

type Change = { add?: readonly string[]; remove?: readonly string[] };

/** Stores tags in a database. */
export class SqlTags implements Tags {
  readonly #db: Kysely<Schema>;
  readonly #reader: Kysely<Schema>;

  constructor(db: Kysely<Schema>, reader: Kysely<Schema>) {
    this.#db = db;
    this.#reader = reader;
  }

  async list(folder: StoragePath = ROOT): Promise<TagCount[]> {
    const tags = await (folder === ROOT ? this.#countAll() : this.#countIn(folder));
    return sortInPieces(tags, (one, other) => byCodeUnits(one.tag, other.tag));
  }

  async rename(tag: string, name: string, folder: StoragePath = ROOT): Promise<number> {
    if (tag === name) return folder === ROOT ? this.#countOf(tag) : (await this.#taggedIn(folder, tag)).length;
    return this.#change(folder, tag, { add: [name], remove: [tag] });
  }

  remove(tag: string, folder: StoragePath = ROOT): Promise<number> {
    return this.#change(folder, tag, { remove: [tag] });
  }

  async change(paths: readonly StoragePath[], changed: Change): Promise<StoragePath[]> {
    const found: StoragePath[] = [];
    for (const some of inChunks(paths)) {
      await step(this.#db, async (transaction) => {
        const ids: number[] = [];
        for (const path of some) {
          const row = await rowAt(transaction, path).select('asset.id').executeTakeFirst();
          if (row) ids.push(row.id);
          if (row) found.push(path);
        }
        await changeRows(transaction, ids, changed);
      });
      await yieldToEventLoop();
    }
    return [...new Set(found)];
  }

  #countAll(): Promise<TagCount[]> {
    const hidden = this.#reader
      .selectFrom('asset')
      .select('asset.id')
      .innerJoin('folder', 'folder.id', 'asset.folderId')
      .where(within(HIDDEN, 'folder.path'));
    const rows = this.#reader
      .selectFrom('asset_tag')
      .where('assetId', 'not in', hidden)
      .select(({ fn }) => ['tag', fn.countAll<number>().as('count')]);
    return rows.groupBy('tag').execute();
  }

  #countIn(folder: StoragePath): Promise<TagCount[]> {
    const rows = tagsIn(this.#reader, folder).select(({ fn }) => ['asset_tag.tag', fn.countAll<number>().as('count')]);
    return rows.groupBy('asset_tag.tag').execute();
  }

  async #taggedIn(folder: StoragePath, tag: string): Promise<number[]> {
    const rows = tagsIn(this.#reader, folder).where('asset_tag.tag', '=', tag).select('asset_tag.assetId');
    return (await rows.execute()).map(({ assetId }) => assetId);
  }

  #change(folder: StoragePath, tag: string, changed: Change): Promise<number> {
    return folder === ROOT ? this.#changeAll(tag, changed) : this.#changeIn(folder, tag, changed);
  }

  /** Changes the files that a folder has now, in small steps. Those that leave it meanwhile stay as they are. */
  async #changeIn(folder: StoragePath, tag: string, changed: Change): Promise<number> {
    let count = 0;
    for (const some of inChunks(await this.#taggedIn(folder, tag))) {
      count += await step(this.#db, async (transaction) => {
        const rows = transaction
          .selectFrom('asset_tag')
          .innerJoin('asset', 'asset.id', 'asset_tag.assetId')
          .innerJoin('folder', 'folder.id', 'asset.folderId')
          .where('asset_tag.assetId', 'in', some)
          .where('asset_tag.tag', '=', tag)
          .where(within(folder, 'folder.path'));
        const ids = (await rows.select('asset.id').execute()).map(({ id }) => id);
        await changeRows(transaction, ids, changed);
        return ids.length;
      });
      await yieldToEventLoop();
    }
    return count;
  }

  async #countOf(tag: string): Promise<number> {
    const rows = this.#db.selectFrom('asset_tag').where('tag', '=', tag);
    return (await rows.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count;
  }

  /**
   * Changes all rows in many small steps, which do not block other writers. When it is stopped, the remaining files
   * still have the tag.
   */
  async #changeAll(tag: string, changed: Change): Promise<number> {
    let count = 0;
    for (let some = ROW_BATCH; some === ROW_BATCH; await yieldToEventLoop()) {
      some = await step(this.#db, async (transaction) => {
        const rows = transaction.selectFrom('asset_tag').select('assetId').where('tag', '=', tag);
        const ids = (await rows.limit(ROW_BATCH).execute()).map(({ assetId }) => assetId);
        await changeRows(transaction, ids, changed);
        return ids.length;
      });
      count += some;
    }
    return count;
  }
}

/** Selects the tags of the files in a folder, at any depth. SQLite has no statistics: it begins with the folders. */
function tagsIn(db: Kysely<Schema>, folder: StoragePath) {
  return db
    .selectFrom('folder')
    .crossJoin('asset')
    .crossJoin('asset_tag')
    .where(within(folder, 'folder.path'))
    .whereRef('asset.folderId', '=', 'folder.id')
    .whereRef('asset_tag.assetId', '=', 'asset.id');
}

async function changeRows(
  db: Kysely<Schema>,
  ids: readonly number[],
  { add = [], remove = [] }: Change,
): Promise<void> {
  if (ids.length === 0) return;
  const folders = await db.selectFrom('asset').select('folderId').distinct().where('id', 'in', ids).execute();
  await holdFolders(
    db,
    folders.map(({ folderId }) => folderId),
  );
  if (remove.length > 0)
    await db.deleteFrom('asset_tag').where('assetId', 'in', ids).where('tag', 'in', remove).execute();
  for (const tag of new Set(add)) {
    const rows = ids.map((assetId) => ({ assetId, tag }));
    const added = db.insertInto('asset_tag').values(rows);
    await added.onConflict((conflict) => conflict.doNothing()).execute();
  }
  const changed = db.updateTable('asset').set({ revision: sql`"revision" + 1` });
  await changed.where('id', 'in', ids).execute();
  await writeWords(db, ids);
}
