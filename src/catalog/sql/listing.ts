import { type Kysely, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from '../../db/dialect.ts';
import { FORMAT, PIXELS } from '../../db/migrations/011-list-order.ts';
import type { Schema } from '../../db/schema.ts';
import type { MediaKind } from '../../media.ts';
import { baseName, type StoragePath } from '../../path.ts';
import {
  type FolderGlance,
  type ListingPart,
  type ListingPosition,
  type ListingRequest,
  type ListingScope,
  type ListingSort,
  type Listings,
  listsFolders,
} from '../catalog-store.ts';
import { formatKeyOf } from '../format-key.ts';
import { nameKeyOf } from '../name-key.ts';
import type { AssetRecord, FolderRecord } from '../records.ts';
import { pathIn, readFound, withoutIndex } from './asset-rows.ts';
import { FOLDER, SqlFolders, toFolder } from './folders.ts';
import { isInShownFolder, within } from './in-folder.ts';
import { foundFolders, hasWords, type PathSearch, searchPaths } from './path-search.ts';
import { assetConditions } from './search-filter.ts';
import { areSomeMissing } from './searchable.ts';
import { hasFewFiles } from './usage.ts';

/** Key by which files are sorted. */
interface SortKey {
  key: RawBuilder<unknown>;
  positionValue(position: ListingPosition): unknown;
}

const NAME: SortKey = { key: sql.ref('asset.nameKey'), positionValue: ({ path }) => nameKeyOf(baseName(path)) };
const ID: SortKey = { key: sql.ref('asset.id'), positionValue: ({ id }) => id };
const KEYS: Readonly<Record<ListingSort, SortKey>> = {
  name: NAME,
  kind: { key: FORMAT, positionValue: ({ path }) => formatKeyOf(path) },
  dimensions: { key: PIXELS, positionValue: ({ pixels }) => pixels },
  size: { key: sql.ref('asset.size'), positionValue: ({ size }) => size },
  mtime: { key: sql.ref('asset.modifiedAt'), positionValue: ({ modifiedAt }) => modifiedAt },
  created: { key: sql.ref('asset.createdAt'), positionValue: ({ createdAt }) => createdAt },
};

/** Returns the keys of an order; the last one is unique. */
function keysOf({ sort, recursive }: ListingRequest): readonly SortKey[] {
  if (recursive) return [KEYS[sort], ID];
  return sort === 'name' ? [NAME] : [KEYS[sort], NAME];
}

/** Limit of skipped rows on the main connection, next to other work. */
const FEW_SKIPPED = 1000;

/** Lists folders in a database. */
export class SqlListings implements Listings {
  readonly #db: Kysely<Schema>;
  readonly #reader: Kysely<Schema>;
  readonly #indexAll: () => Promise<void>;

  /**
   * @param reader the connection for queries that scan more rows than they return
   * @param indexAll indexes the files that wait for it
   */
  constructor(db: Kysely<Schema>, reader: Kysely<Schema>, indexAll: () => Promise<void>) {
    this.#db = db;
    this.#reader = reader;
    this.#indexAll = indexAll;
  }

  async page(request: ListingRequest): Promise<ListingPart> {
    // A later page goes on in the index as it is.
    if (request.after === undefined) await this.#prepare(request.conditions?.terms);
    const isHeavy = isSelective(request) || request.kind || (request.offset ?? 0) > FEW_SKIPPED;
    return isHeavy ? this.#onReader().#page(request) : this.#page(request);
  }

  async #page(request: ListingRequest): Promise<ListingPart> {
    const folder = await new SqlFolders(this.#db).find(request.folder);
    if (!folder) return { folders: [], files: [] };
    const { limit, after, offset = 0 } = request;
    const hasFolders = listsFolders(request);
    const folders = hasFolders && (after === undefined || after.isFolder) ? await this.#folders(folder, request) : [];
    const fileLimit = limit - folders.length;
    if (fileLimit <= 0) return { folders, files: [] };
    const skipped =
      offset === 0 || !hasFolders ? offset : Math.max(0, offset - (await this.#folderCount(folder, request)));
    return { folders, files: await this.#files(folder, request, fileLimit, skipped) };
  }

  async total(scope: ListingScope): Promise<number> {
    await this.#prepare(scope.conditions?.terms);
    return isSelective(scope) ? this.#onReader().#total(scope) : this.#total(scope);
  }

  async #total(scope: ListingScope): Promise<number> {
    const folder = await new SqlFolders(this.#db).find(scope.folder);
    if (!folder) return 0;
    const folders = listsFolders(scope) ? await this.#folderCount(folder, scope) : 0;
    const isCounted = scope.search || scope.conditions;
    return folders + (isCounted ? await this.#foundCount(folder, scope) : await this.#fileCount(folder, scope));
  }

  async version(path: StoragePath, recursive = false, terms?: string): Promise<string | undefined> {
    await this.#prepare(terms);
    // Indexing a file changes what is found, but no revision.
    if (terms !== undefined && (await areSomeMissing(this.#reader))) return undefined;
    const folder = await new SqlFolders(this.#db).find(path);
    if (!folder || !recursive) return folder && `${folder.id}-${folder.revision}`;
    const sum = (column: 'id' | 'revision') => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`;
    const { folders, ids, revisions } = await this.#reader
      .selectFrom('folder')
      .where(within(path))
      .select(({ fn }) => [fn.countAll<number>().as('folders'), sum('id').as('ids'), sum('revision').as('revisions')])
      .executeTakeFirstOrThrow();
    return `${folders}-${ids}-${revisions}`;
  }

  async glance(path: StoragePath, ceiling: number, previews: number): Promise<FolderGlance> {
    const folder = await new SqlFolders(this.#db).find(path);
    if (!folder) return { itemCount: 0, isMore: false, previews: [] };
    const found = await this.total({ folder: path });
    const first = this.#db
      .selectFrom('asset')
      .select(['name', 'kind', 'size', 'modifiedAt', 'width', 'height', 'placeholder', 'problem'])
      .where('folderId', '=', folder.id)
      .orderBy('nameKey')
      .limit(ceiling);
    const seen = (await first.execute()).filter(({ kind }) => kind === 'image' || kind === 'video').slice(0, previews);
    return {
      itemCount: Math.min(found, ceiling),
      isMore: found > ceiling,
      previews: seen.map(({ name, kind, ...file }) => ({
        path: pathIn(path, name),
        kind: kind as MediaKind,
        ...file,
      })),
    };
  }

  async #prepare(terms: string | undefined): Promise<void> {
    if (terms !== undefined) await this.#indexAll();
  }

  #onReader(): SqlListings {
    return this.#db === this.#reader ? this : new SqlListings(this.#reader, this.#reader, this.#indexAll);
  }

  #foldersIn(folder: FolderRecord, { search, recursive }: ListingScope) {
    const rows = this.#db.selectFrom('folder');
    if (recursive) return rows.where(foundFolders(this.#db, { folder: folder.path, search }));
    const children = rows.where('parentId', '=', folder.id);
    return search ? children.where(hasWords(this.#db, 'folded', search)) : children;
  }

  async #folders(folder: FolderRecord, request: ListingRequest): Promise<FolderRecord[]> {
    const { sort, order, limit, after, offset = 0, recursive } = request;
    const direction = sort === 'name' ? order : 'asc';
    const columns = recursive ? (['nameKey', 'path'] as const) : (['nameKey'] as const);
    let rows = this.#foldersIn(folder, request).select(FOLDER).limit(limit).offset(offset);
    if (after) {
      const values = [nameKeyOf(baseName(after.path)), after.path].slice(0, columns.length);
      const left = sql.join(columns.map((name) => sql.ref(name)));
      rows = rows.where(sql<SqlBool>`(${left}) ${direction === 'asc' ? sql`>` : sql`<`} (${sql.join(values)})`);
    }
    for (const column of columns) rows = rows.orderBy(column, direction);
    return (await rows.execute()).map(toFolder);
  }

  async #folderCount(folder: FolderRecord, scope: ListingScope): Promise<number> {
    return countOf(this.#foldersIn(folder, scope));
  }

  async #files(folder: FolderRecord, request: ListingRequest, limit: number, offset: number): Promise<AssetRecord[]> {
    const { sort, order, recursive } = request;
    const after = request.after?.isFolder ? undefined : request.after;
    const paths = await searchPaths(this.#db, request);
    const isFew = paths.isFew || (recursive === true && (await hasFewFiles(this.#db, folder.path)));
    const rows = this.#filesIn(folder, request, paths, !isFew || paths.isFew);
    // SQLite has no statistics. PostgreSQL would read an index of the library where it expects too many files.
    const areSorted = paths.isFew || (isFew && !isPostgres(this.#db));
    const read = (part: typeof rows, from: ListingPosition | undefined, size: number, skipped: number) =>
      this.#sorted(part.limit(size).offset(skipped), request, from, areSorted);
    if (sort !== 'dimensions' || order === 'desc') return read(rows, after, limit, offset);
    // Files without dimensions come last.
    const pixels = areSorted ? withoutIndex(this.#db, PIXELS) : PIXELS;
    const known = rows.where(sql<SqlBool>`${pixels} > 0`);
    const unknown = rows.where(sql<SqlBool>`${pixels} = 0`);
    if (after?.pixels === 0) return read(unknown, after, limit, offset);
    const found = await read(known, after, limit, offset);
    if (found.length === limit) return found;
    const skipped = offset === 0 || found.length > 0 ? 0 : Math.max(0, offset - (await countOf(known)));
    return [...found, ...(await read(unknown, undefined, limit - found.length, skipped))];
  }

  /** @param areSorted true if all rows are read and sorted, without an index */
  #sorted(
    found: SelectQueryBuilder<Schema, 'asset', object>,
    request: ListingRequest,
    after: ListingPosition | undefined,
    areSorted: boolean,
  ): Promise<AssetRecord[]> {
    const { order } = request;
    const all = keysOf(request);
    const keys = all.map(({ key }) => (areSorted ? withoutIndex(this.#db, key) : key));
    let rows = found.select('id');
    if (after) {
      const values = all.map(({ positionValue }) => positionValue(after));
      const sign = sql.raw(order === 'asc' ? '>' : '<');
      rows = rows.where(sql<SqlBool>`(${sql.join(keys)}) ${sign} (${sql.join(values)})`);
      // SQLite begins a range of an index at one expression, not at a row of them.
      rows = rows.where(sql<SqlBool>`${keys[0]} ${sign}= ${values[0]}`);
    }
    for (const key of keys) rows = rows.orderBy(key, order);
    return readFound(this.#db, rows, { keys: all.map(({ key }) => key), direction: order });
  }

  /** @param isMany true if the files are found by something else than their folders */
  #filesIn(folder: FolderRecord, scope: ListingScope, { conditions, isFew }: PathSearch, isMany = false) {
    const { recursive, kind } = scope;
    const folderId = (isUsed: boolean) => (isUsed ? sql.ref<number>('folderId') : sql<number>`+${sql.ref('folderId')}`);
    let rows = this.#db.selectFrom('asset');
    if (!recursive) rows = rows.where(folderId(!isFew), '=', folder.id);
    else if (folder.path === '') {
      rows = rows.where(isInShownFolder());
    } else {
      const below = this.#db.selectFrom('folder').select('id').where(within(folder.path));
      rows = rows.where(folderId(!isMany), 'in', below);
    }
    for (const condition of [...conditions, ...assetConditions(this.#db, scope.conditions ?? {})])
      rows = rows.where(condition);
    return kind ? rows.where('kind', '=', kind) : rows;
  }

  async #foundCount(folder: FolderRecord, scope: ListingScope): Promise<number> {
    const paths = await searchPaths(this.#db, scope);
    return countOf(this.#filesIn(folder, scope, paths, paths.isFew));
  }

  /** Counts files without reading their rows. */
  async #fileCount(folder: FolderRecord, { recursive, kind }: ListingScope): Promise<number> {
    const { count } = await this.#db
      .selectFrom('folder_usage')
      .innerJoin('folder', 'folder.id', 'folder_usage.folderId')
      .where(recursive ? within(folder.path, 'folder.path') : sql<SqlBool>`folder.id = ${folder.id}`)
      .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? ''))
      .select(sql<number>`cast(coalesce(sum("fileCount"), 0) as bigint)`.as('count'))
      .executeTakeFirstOrThrow();
    return count;
  }
}

/** True if more rows are read than a page has. */
const isSelective = ({ recursive, search, conditions }: ListingScope) => Boolean(recursive || search || conditions);

async function countOf<Table extends keyof Schema>(rows: SelectQueryBuilder<Schema, Table, object>): Promise<number> {
  const counted = rows.select(({ fn }) => fn.countAll<number>().as('count'));
  return (await counted.executeTakeFirstOrThrow()).count;
}
