import { type Kysely, type Selectable, sql } from 'kysely';
import { yieldToEventLoop } from '../../concurrency.ts';
import type { AssetRow } from '../../db/catalog-schema.ts';
import { isPostgres } from '../../db/dialect.ts';
import type { Schema } from '../../db/schema.ts';
import { baseName, parentOf, type StoragePath } from '../../path.ts';
import type { Files } from '../catalog-store.ts';
import { TOMBSTONES } from '../hidden.ts';
import { nameKeyOf } from '../name-key.ts';
import type { AssetRecord, FileEntry, KnownFile } from '../records.ts';
import { DESCRIPTION, identityOf, readAssets, selectKnown, toKnownFile, voidedUnless, WORDS } from './asset-rows.ts';
import { ensureFolder, ensureFolders, holdFolders } from './folders.ts';
import { isShown, within } from './in-folder.ts';
import { placesOf, preparedQuery } from './prepared-query.ts';
import { SqlRedirects } from './redirects.ts';
import { canIndexLater, writeNames, writeWords } from './searchable.ts';
import { inChunks, ROW_BATCH, step } from './step.ts';

/** Limit of rows per step on SQLite: with their terms, they block the event loop for some milliseconds. */
const SQLITE_PUT_BATCH = 50;

/** Stores the rows of files in a database. */
export class SqlFiles implements Files {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async find(path: StoragePath): Promise<AssetRecord | undefined> {
    const row = await rowAt(this.#db, path).select('asset.id').executeTakeFirst();
    return row && (await readAssets(this.#db, [row.id]))[0];
  }

  put(entries: readonly FileEntry[], { mayIndexLater = false } = {}): Promise<number[]> {
    const byPath = new Map(entries.map((entry) => [entry.path, entry]));
    return step(this.#db, async (transaction) => {
      const ids = new Map<StoragePath, number>();
      const folders = await ensureFolders(transaction, [...byPath.keys()].map(parentOf));
      await holdFolders(transaction, folders.values());
      const size = isPostgres(transaction) ? ROW_BATCH : SQLITE_PUT_BATCH;
      for (const some of inChunks([...byPath.values()], size)) {
        if (ids.size > 0) await yieldToEventLoop();
        for (const [path, id] of await putRows(transaction, some, folders, mayIndexLater)) ids.set(path, id);
      }
      return entries.map(({ path }) => ids.get(path) ?? 0);
    });
  }

  move(from: StoragePath, to: FileEntry): Promise<void> {
    return step(this.#db, async (transaction) => {
      await new SqlRedirects(transaction).follow(from, to.path);
      const [source, folderId] = await this.#freePath(transaction, from, to);
      if (!source) {
        await new SqlFiles(transaction).put([to]);
        return;
      }
      await transaction
        .updateTable('asset')
        .set({ ...voidedUnless(sql<boolean>`asset.etag = ${to.etag}`), ...identityOf(to, folderId) })
        .where('id', '=', source.id)
        .execute();
      await writeWords(transaction, [source.id]);
    });
  }

  async copy(from: StoragePath, to: FileEntry): Promise<void> {
    if (from === to.path) {
      await this.put([to]);
      return;
    }
    await step(this.#db, async (transaction) => {
      const [source, folderId] = await this.#freePath(transaction, from, to);
      if (!source) {
        await new SqlFiles(transaction).put([to]);
        return;
      }
      const copied = source.etag === to.etag ? [...WORDS, ...DESCRIPTION] : WORDS;
      const { id } = await transaction
        .insertInto('asset')
        .values({
          ...identityOf(to, folderId),
          searchable: 1,
          ...Object.fromEntries(copied.map((name) => [name, source[name]])),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const tags = transaction.selectFrom('asset_tag').where('assetId', '=', source.id);
      await transaction
        .insertInto('asset_tag')
        .columns(['assetId', 'tag'])
        .expression(tags.select([sql<number>`cast(${id} as bigint)`.as('assetId'), 'tag']))
        .execute();
      await writeWords(transaction, [id]);
    });
  }

  /** @returns the row of the file that is moved or copied, and its target folder */
  async #freePath(
    transaction: Kysely<Schema>,
    from: StoragePath,
    to: FileEntry,
  ): Promise<[Selectable<AssetRow> | undefined, number]> {
    const source = await rowAt(transaction, from).selectAll('asset').executeTakeFirst();
    const folderId = await ensureFolder(transaction, parentOf(to.path));
    await holdFolders(transaction, source ? [source.folderId, folderId] : [folderId]);
    if (source && from !== to.path) await new SqlFiles(transaction).remove([to.path]);
    return [source, folderId];
  }

  remove(paths: readonly StoragePath[]): Promise<number> {
    return step(this.#db, async (transaction) => {
      let removed = 0;
      for (const [folder, within] of Map.groupBy(paths, parentOf)) {
        const folderId = transaction.selectFrom('folder').select('id').where('path', '=', folder);
        for (const some of inChunks(within)) {
          const rows = transaction.deleteFrom('asset').where('folderId', '=', folderId);
          const named = rows.where('nameKey', 'in', keysOf(some.map(baseName)));
          removed += Number((await named.executeTakeFirstOrThrow()).numDeletedRows);
        }
      }
      return removed;
    });
  }

  removeUnchanged(files: readonly KnownFile[]): Promise<number[]> {
    return step(this.#db, async (transaction) => {
      const removed: number[] = [];
      for (const some of inChunks(files)) {
        for (const { id, etag } of await holdUnchanged(transaction, some)) {
          const row = transaction.deleteFrom('asset').where('id', '=', id).where('etag', '=', etag);
          if ((await row.executeTakeFirstOrThrow()).numDeletedRows > 0n) removed.push(id);
        }
      }
      return removed;
    });
  }

  relocate(files: readonly KnownFile[], folder: StoragePath): Promise<number[]> {
    return step(this.#db, async (transaction) => {
      const folderId = await ensureFolder(transaction, folder);
      const moved: number[] = [];
      for (const some of inChunks(files)) {
        for (const { id, etag } of await holdUnchanged(transaction, some, [folderId])) {
          const row = transaction.updateTable('asset').set({ folderId }).where('id', '=', id).where('etag', '=', etag);
          if ((await row.executeTakeFirstOrThrow()).numUpdatedRows > 0n) moved.push(id);
        }
      }
      return moved;
    });
  }

  named(folder: StoragePath, names: readonly string[]): Promise<KnownFile[]> {
    return readKnown(names, (batch) =>
      selectKnown(this.#db).where('folder.path', '=', folder).where('asset.nameKey', 'in', keysOf(batch)),
    );
  }

  async page(folder: StoragePath, after: string | undefined, limit: number): Promise<KnownFile[]> {
    const rows = selectKnown(this.#db)
      .where('folder.path', '=', folder)
      .$if(after !== undefined, (query) => query.where('asset.nameKey', '>', nameKeyOf(after ?? '')))
      .orderBy('asset.nameKey')
      .limit(limit);
    return (await rows.execute()).map(toKnownFile);
  }

  identified(fileIds: readonly string[]): Promise<KnownFile[]> {
    return readKnown(fileIds, (batch) =>
      selectKnown(this.#db)
        .where('asset.fileId', 'in', batch)
        .where((eb) => eb.or([isShown('folder.path'), within(TOMBSTONES, 'folder.path')])),
    );
  }

  vanished(etags: readonly string[]): Promise<KnownFile[]> {
    const folders = this.#db.selectFrom('folder').select('id').where(within(TOMBSTONES));
    return readKnown(etags, (batch) =>
      selectKnown(this.#db).where('asset.folderId', 'in', folders).where('asset.etag', 'in', batch),
    );
  }

  async lastId(): Promise<number> {
    const newest = this.#db.selectFrom('asset').select('id').orderBy('id', 'desc').limit(1);
    return (await newest.executeTakeFirst())?.id ?? 0;
  }
}

/** Reads the rows that a query finds for each batch of values. */
async function readKnown(
  values: readonly string[],
  select: (batch: readonly string[]) => ReturnType<typeof selectKnown>,
): Promise<KnownFile[]> {
  const found: KnownFile[] = [];
  for (const batch of inChunks(values)) found.push(...(await select(batch).execute()).map(toKnownFile));
  return found;
}

/**
 * Selects the files whose rows are unchanged since they were read. Locks their folders, and `others`, until the
 * transaction ends.
 */
async function holdUnchanged(
  transaction: Kysely<Schema>,
  files: readonly KnownFile[],
  folderIds: readonly number[] = [],
): Promise<KnownFile[]> {
  const expected = new Map(files.map((file) => [file.id, file]));
  const rows = await selectKnown(transaction)
    .select('folderId')
    .where('asset.id', 'in', [...expected.keys()])
    .execute();
  await holdFolders(transaction, [...folderIds, ...rows.map(({ folderId }) => folderId)]);
  return rows.map(toKnownFile).filter(({ id, path, etag }) => {
    const file = expected.get(id);
    return file?.path === path && file.etag === etag;
  });
}

/** Selects the row at a path. */
export function rowAt(db: Kysely<Schema>, path: StoragePath) {
  return db
    .selectFrom('asset')
    .innerJoin('folder', 'folder.id', 'asset.folderId')
    .where('folder.path', '=', parentOf(path))
    .where('asset.nameKey', '=', nameKeyOf(baseName(path)));
}

const keysOf = (names: readonly string[]) => names.map(nameKeyOf);

async function putRows(
  db: Kysely<Schema>,
  entries: readonly FileEntry[],
  folders: ReadonlyMap<StoragePath, number>,
  mayIndexLater: boolean,
): Promise<[StoragePath, number][]> {
  const rows = entries.map((entry) => identityOf(entry, folders.get(parentOf(entry.path)) ?? 0));
  // Usually all rows are new, or none: two short statements are faster than an upsert that voids descriptions.
  const isIndexedLater = mayIndexLater && canIndexLater(db);
  const all = rows.map((row) => ({ ...row, searchable: isIndexedLater ? 0 : 1 }));
  const [first] = all;
  const added = first && all.length === 1 ? (await INSERT_ONE(db, first)).rows : await insertNew(db, all).execute();
  const ids = new Map(added.map((row) => [keyOf(row), row.id]));
  const there = rows.filter((row) => !ids.has(keyOf(row)));
  if (there.length > 0) for (const row of await replaceRows(db, there)) ids.set(keyOf(row), row.id);
  // An existing name is already indexed.
  if (!isIndexedLater) await writeNames(db, added);
  return entries.map(({ path }, at) => [path, ids.get(keyOf(rows[at])) ?? 0]);
}

type Identity = ReturnType<typeof identityOf>;
type New = Identity & { searchable: number };

const keyOf = (row?: Pick<Identity, 'folderId' | 'name'>) => `${row?.folderId}/${row?.name}`;

function insertNew(db: Kysely<Schema>, rows: readonly New[]) {
  return db
    .insertInto('asset')
    .values([...rows])
    .onConflict((conflict) => conflict.columns(['folderId', 'nameKey']).doNothing())
    .returning(['id', 'folderId', 'name']);
}

const NEW = [
  'folderId',
  'name',
  'nameKey',
  'folded',
  'kind',
  'extension',
  'size',
  'modifiedAt',
  'createdAt',
  'etag',
  'fileId',
  'searchable',
] as const satisfies (keyof New)[];
const INSERT_ONE = preparedQuery<New, Pick<Selectable<AssetRow>, 'id' | 'folderId' | 'name'>>((db, placeholder) =>
  insertNew(db, [placesOf(NEW, placeholder)]).compile(),
);

function replaceRows(db: Kysely<Schema>, rows: readonly Identity[]) {
  return db
    .insertInto('asset')
    .values(rows.map((row) => ({ ...row, searchable: 1 })))
    .onConflict((conflict) =>
      conflict.columns(['folderId', 'nameKey']).doUpdateSet((eb) => ({
        ...voidedUnless(sql<boolean>`asset.etag = excluded.etag`),
        size: eb.ref('excluded.size'),
        modifiedAt: eb.ref('excluded.modifiedAt'),
        createdAt: eb.ref('excluded.createdAt'),
        etag: eb.ref('excluded.etag'),
        fileId: eb.ref('excluded.fileId'),
      })),
    )
    .returning(['id', 'folderId', 'name'])
    .execute();
}
