import { type Expression, type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import { yieldToEventLoop } from '../../concurrency.ts';
import type { FolderRow } from '../../db/catalog-schema.ts';
import { isPostgres } from '../../db/dialect.ts';
import type { Schema } from '../../db/schema.ts';
import { baseName, isWithin, parentOf, ROOT, type StoragePath } from '../../path.ts';
import { byCodeUnits, sortInPieces } from '../../runtime/in-pieces.ts';
import type { FolderDigest, Folders } from '../catalog-store.ts';
import { HIDDEN, hiddenFolder, hiddenId } from '../hidden.ts';
import { nameKeyOf } from '../name-key.ts';
import { foldName } from '../path-words.ts';
import type { FolderRecord } from '../records.ts';
import { isBelow, within } from './in-folder.ts';
import { preparedQuery } from './prepared-query.ts';
import { SqlRedirects } from './redirects.ts';
import { indexEntered } from './space-terms.ts';
import { inChunks, ROW_BATCH, step } from './step.ts';

export const FOLDER = ['id', 'path', 'mark', 'revision', 'digest'] as const;
/** Limit of digests per step: they are written one after another, and other writers wait. */
const DIGEST_BATCH = 50;
/** Limit of files deleted per step on SQLite: a few milliseconds, with their terms. */
const SQLITE_DELETE_BATCH = 50;
/** Limit of rows read per step: a few milliseconds, in which nothing else runs. */
const READ_BATCH = 500;

const FIND = preparedQuery<{ path: string }, Pick<Selectable<FolderRow>, (typeof FOLDER)[number]>>((db, placeholder) =>
  db.selectFrom('folder').select(FOLDER).where('path', '=', placeholder('path')).compile(),
);
const SET_FINGERPRINT = preparedQuery<{ path: string; mark: string | null }>((db, placeholder) =>
  db
    .updateTable('folder')
    .set({ mark: placeholder('mark') })
    .where('path', '=', placeholder('path'))
    .compile(),
);

/** Stores the rows of folders in a database. */
export class SqlFolders implements Folders {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async find(folder: StoragePath): Promise<FolderRecord | undefined> {
    const [row] = (await FIND(this.#db, { path: folder })).rows;
    return row && toFolder(row);
  }

  async add(folder: StoragePath): Promise<FolderRecord> {
    return step(this.#db, async (transaction) => {
      await ensureFolder(transaction, folder);
      const added = transaction.selectFrom('folder').select(FOLDER).where('path', '=', folder);
      return toFolder(await added.executeTakeFirstOrThrow());
    });
  }

  async move(from: StoragePath, to: StoragePath): Promise<void> {
    if (isWithin(from, to) || isWithin(to, from)) return;
    await step(this.#db, async (transaction) => {
      await new SqlRedirects(transaction).follow(from, to);
      const moved = await new SqlFolders(transaction).find(from);
      if (!moved) return;
      await new SqlFolders(transaction).remove(to);
      const parentId = await ensureFolder(transaction, parentOf(to));
      const path = sql<string>`${to} || substr("path", length(${from}) + 1)`;
      await new SqlFolders(transaction).#inBatches(isBelow(from), async (ids) => {
        await transaction.updateTable('folder').set({ path }).where('id', 'in', ids).execute();
      });
      const row = transaction.updateTable('folder').set({ path: to, parentId, ...namesOf(to) });
      await row.where('id', '=', moved.id).execute();
      await indexEntered(transaction, from, to);
    });
  }

  async remove(folder: StoragePath): Promise<void> {
    // A file can be added to a folder concurrently.
    for (let isRemoved = false; !isRemoved; isRemoved = await this.#removeFolders(folder))
      for await (const folders of this.#pages(within(folder))) await this.#removeFiles(folders.map(({ id }) => id));
    // Others may only be unknown for the moment: their redirects end with the change that removes them.
    if (isWholeItem(folder)) await new SqlRedirects(this.#db).removeTo(folder);
  }

  async #removeFiles(folderIds: readonly number[]): Promise<void> {
    if (folderIds.length === 0) return;
    const limit = isPostgres(this.#db) ? ROW_BATCH : SQLITE_DELETE_BATCH;
    const some = this.#db.selectFrom('asset').select('id').where('folderId', 'in', folderIds).limit(limit);
    for (let deleted = limit; deleted === limit; await yieldToEventLoop()) {
      const rows = await this.#db.deleteFrom('asset').where('id', 'in', some).executeTakeFirstOrThrow();
      deleted = Number(rows.numDeletedRows);
    }
  }

  /** @returns false when one of the folders has a file */
  async #removeFolders(folder: StoragePath): Promise<boolean> {
    const rows = folder === ROOT ? isBelow(ROOT) : within(folder);
    if (this.#db.isTransaction) {
      await this.#removeRows(rows);
      return true;
    }
    return step(this.#db, async (transaction) => {
      const held = transaction.selectFrom('folder').select('id').where(rows);
      if (isPostgres(transaction)) await held.orderBy('id').forUpdate().execute();
      const left = transaction.selectFrom('asset').select('id').where('folderId', 'in', held).limit(1);
      if (await left.executeTakeFirst()) return false;
      await new SqlFolders(transaction).#removeRows(rows);
      return true;
    });
  }

  async #removeRows(rows: Expression<SqlBool>): Promise<void> {
    await this.#inBatches(rows, async (ids) => {
      await this.#db.deleteFrom('folder').where('id', 'in', ids).execute();
    });
  }

  /** Changes the rows of folders in batches, and yields to the event loop in between: on SQLite each one blocks it. */
  async #inBatches(wanted: Expression<SqlBool>, change: (ids: readonly number[]) => Promise<void>): Promise<void> {
    for await (const page of this.#pages(wanted)) {
      const ids = page.map(({ id }) => id);
      for (const batch of inChunks(ids, ROW_BATCH)) {
        await change(batch);
        await yieldToEventLoop();
      }
    }
  }

  async setFingerprint(folder: StoragePath, mark: string | null): Promise<void> {
    await SET_FINGERPRINT(this.#db, { mark, path: folder });
  }

  async setDigests(digests: readonly FolderDigest[]): Promise<void> {
    for (const some of inChunks(digests, DIGEST_BATCH)) {
      await step(this.#db, async (transaction) => {
        for (const { folder, revision, digest } of some) {
          const row = transaction.updateTable('folder').set({ digest: `${revision} ${digest}` });
          await row.where('path', '=', folder).where('revision', '=', revision).execute();
        }
      });
      await yieldToEventLoop();
    }
  }

  async children(folder: StoragePath, limit?: number): Promise<FolderRecord[]> {
    const parent = this.#db.selectFrom('folder').select('id').where('path', '=', folder);
    const rows = this.#db.selectFrom('folder').select(FOLDER).where('parentId', '=', parent).orderBy('nameKey');
    return (await (limit === undefined ? rows : rows.limit(limit)).execute()).map(toFolder);
  }

  async below(folder: StoragePath): Promise<FolderRecord[]> {
    const found: FolderRecord[] = [];
    for await (const page of this.#pages(isBelow(folder))) found.push(...page.map(toFolder));
    // The database compares bytes, which sort differently for characters beyond 16 bits.
    return sortInPieces(found, (one, other) => byCodeUnits(one.path, other.path));
  }

  async *#pages(wanted: Expression<SqlBool>): AsyncGenerator<Pick<Selectable<FolderRow>, (typeof FOLDER)[number]>[]> {
    const rows = this.#db.selectFrom('folder').select(FOLDER).where(wanted).orderBy('path').limit(READ_BATCH);
    let page = await rows.execute();
    yield page;
    while (page.length === READ_BATCH) {
      await yieldToEventLoop();
      page = await rows.where('path', '>', page.at(-1)?.path ?? '').execute();
      yield page;
    }
  }
}

/**
 * Adds missing folders and their parents.
 * @returns the ids of these folders
 */
export async function ensureFolders(
  db: Kysely<Schema>,
  folders: Iterable<StoragePath>,
): Promise<Map<StoragePath, number>> {
  const ids = new Map<StoragePath, number>();
  const paths = [...new Set(folders)];
  // A single folder is looked up below.
  for (const some of inChunks(paths.length > 1 ? paths : [])) {
    const found = await db.selectFrom('folder').select(['id', 'path']).where('path', 'in', some).execute();
    for (const { id, path } of found) ids.set(path as StoragePath, id);
  }
  // Parents come before children on all nodes.
  for (const folder of paths.filter((path) => !ids.has(path)).sort()) await ensureFolder(db, folder, ids);
  return ids;
}

/**
 * Adds a folder and its parents where missing. Returns its id.
 * @param ids the ids of known folders; those that are looked up or added are put there
 */
export async function ensureFolder(
  db: Kysely<Schema>,
  folder: StoragePath,
  ids = new Map<StoragePath, number>(),
): Promise<number> {
  const known = ids.get(folder);
  if (known !== undefined) return known;
  const found = await new SqlFolders(db).find(folder);
  if (found) {
    ids.set(folder, found.id);
    return found.id;
  }
  const parentId = folder === ROOT || folder === HIDDEN ? null : await ensureFolder(db, parentOf(folder), ids);
  const added = db.insertInto('folder').values({ path: folder, parentId, ...namesOf(folder) });
  await added.onConflict((conflict) => conflict.column('path').doNothing()).execute();
  const row = db.selectFrom('folder').select('id').where('path', '=', folder);
  const { id } = await row.executeTakeFirstOrThrow();
  ids.set(folder, id);
  return id;
}

/** Locks the rows of folders until the transaction ends, in the same order on all nodes to avoid deadlocks. */
export async function holdFolders(db: Kysely<Schema>, ids: Iterable<number>): Promise<void> {
  const held = [...new Set(ids)];
  if (!isPostgres(db) || held.length === 0) return;
  await db.selectFrom('folder').select('id').where('id', 'in', held).orderBy('id').forNoKeyUpdate().execute();
}

const namesOf = (folder: StoragePath) => {
  const name = baseName(folder);
  return { nameKey: nameKeyOf(name), folded: foldName(name) };
};

export const toFolder = ({
  path,
  digest,
  ...row
}: Pick<Selectable<FolderRow>, (typeof FOLDER)[number]>): FolderRecord => {
  const [revision, seen = null] = digest?.split(' ') ?? [];
  return { ...row, path: path as StoragePath, digest: Number(revision) === row.revision ? seen : null };
};

/** True for the folder of everything that belongs to an item of the trash. */
function isWholeItem(folder: StoragePath): boolean {
  const id = hiddenId(folder);
  return id !== undefined && folder === hiddenFolder(id);
}
