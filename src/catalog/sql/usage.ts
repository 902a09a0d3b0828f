import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from '../../db/dialect.ts';
import type { Schema } from '../../db/schema.ts';
import type { MediaKind } from '../../media.ts';
import { ROOT, type StoragePath } from '../../path.ts';
import { byCodeUnits, sortInPieces } from '../../runtime/in-pieces.ts';
import type { Usage } from '../../storage/usage.ts';
import type { UsageBelow, Usages } from '../catalog-store.ts';
import { HIDDEN } from '../hidden.ts';
import { pathIn } from './asset-rows.ts';
import { isBelow, within } from './in-folder.ts';

const SUMS = {
  size: sql<number>`cast(coalesce(sum(folder_usage."size"), 0) as bigint)`,
  fileCount: sql<number>`cast(coalesce(sum(folder_usage."fileCount"), 0) as bigint)`,
};

/**
 * Limit of files in a folder that are all read to find some of them. In a larger folder, those of the library are read
 * in the order of an index.
 */
const FEW_FILES = 20_000;

/** True if a folder has so few files, at any depth, that all of them can be read and sorted. */
export async function hasFewFiles(db: Kysely<Schema>, folder: StoragePath): Promise<boolean> {
  return (await new SqlUsages(db).total(folder)).fileCount <= FEW_FILES;
}

/** Sums the figures that triggers maintain for each folder. */
export class SqlUsages implements Usages {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async total(folder: StoragePath): Promise<Usage> {
    return this.#sums(folder).executeTakeFirstOrThrow();
  }

  async below(folder: StoragePath): Promise<UsageBelow> {
    const kinds = await this.#sums(folder).select('kind').groupBy('kind').execute();
    const used = kinds.filter(({ fileCount }) => fileCount > 0);
    return {
      folders: await this.#folders(folder),
      kinds: Object.fromEntries(used.map(({ kind, size, fileCount }) => [kind as MediaKind, { size, fileCount }])),
    };
  }

  #sums(folder: StoragePath) {
    return this.#db
      .selectFrom('folder_usage')
      .innerJoin('folder', 'folder.id', 'folder_usage.folderId')
      .where(within(folder, 'folder.path'))
      .select([SUMS.size.as('size'), SUMS.fileCount.as('fileCount')]);
  }

  async #folders(folder: StoragePath): Promise<UsageBelow['folders']> {
    const rest = folder === ROOT ? sql`folder."path"` : sql`substr(folder."path", length(${folder}) + 2)`;
    const rows = await this.#db
      .selectFrom('folder')
      .leftJoin('folder_usage', 'folder_usage.folderId', 'folder.id')
      .where(isBelow(folder, 'folder.path'))
      .select([
        SUMS.size.as('size'),
        SUMS.fileCount.as('fileCount'),
        firstNameIn(rest, isPostgres(this.#db)).as('name'),
      ])
      .groupBy('name')
      .execute();
    const folders = rows.map(({ name, size, fileCount }) => ({ path: pathIn(folder, name), size, fileCount }));
    return sortInPieces(folders, (one, other) => byCodeUnits(one.path, other.path));
  }
}

const SUM_OF_SIZES = sql<number>`cast(coalesce(sum("size"), 0) as bigint)`.as('bytes');

const SUM_OF_VERSIONS = sql<number>`cast(coalesce(sum(asset_version."size"), 0) as bigint)`.as('bytes');

/** Start of the paths of rows in the trash; the id of their item follows. */
const HIDDEN_START = `${HIDDEN}/`;

/**
 * Sums the bytes of the trash and of earlier versions, of files of a folder. The versions of files in the trash stay
 * with their hidden rows.
 */
export async function retainedBytes(db: Kysely<Schema>, folder: StoragePath): Promise<number> {
  const versions = db.selectFrom('asset_version').select(SUM_OF_SIZES);
  const trash = db.selectFrom('trash').select(SUM_OF_SIZES);
  if (folder === ROOT) return addUp(versions, trash);
  return addUp(versionsBelow(db, folder), versionsInTrash(db, folder), trash.where(isBelow(folder)));
}

function versionsInTrash(db: Kysely<Schema>, folder: StoragePath) {
  // A cross join: SQLite has no statistics, and would begin with all versions.
  const folders = db
    .selectFrom('trash')
    .crossJoin('folder')
    .where(isBelow(folder, 'trash.path'))
    .where(
      sql<SqlBool>`(
        folder."path" = ${HIDDEN_START} || trash."id" or
        (folder."path" > ${HIDDEN_START} || trash."id" || '/' and folder."path" < ${HIDDEN_START} || trash."id" || '0')
      )`,
    )
    .select('folder.id');
  const files = db.selectFrom('asset').where('folderId', 'in', folders).select('asset.id');
  return db.selectFrom('asset_version').where('assetId', 'in', files).select(SUM_OF_VERSIONS);
}

/** Sums the bytes of everything below a folder, with the versions of its files. */
export async function movedBytes(db: Kysely<Schema>, folder: StoragePath): Promise<number> {
  const { size } = await new SqlUsages(db).total(folder);
  return size + (await addUp(versionsBelow(db, folder)));
}

function versionsBelow(db: Kysely<Schema>, folder: StoragePath) {
  return db
    .selectFrom('folder')
    .innerJoin('asset', 'asset.folderId', 'folder.id')
    .innerJoin('asset_version', 'asset_version.assetId', 'asset.id')
    .where(within(folder, 'folder.path'))
    .select(SUM_OF_VERSIONS);
}

type Sum = { executeTakeFirstOrThrow(): Promise<{ bytes: number }> };

async function addUp(...sums: readonly Sum[]): Promise<number> {
  const bytes = await Promise.all(sums.map(async (sum) => Number((await sum.executeTakeFirstOrThrow()).bytes)));
  return bytes.reduce((total, some) => total + some, 0);
}

const firstNameIn = (path: RawBuilder<unknown>, isOnPostgres: boolean) =>
  isOnPostgres
    ? sql<string>`split_part(${path}, '/', 1)`
    : sql<string>`substr(${path}, 1, instr(${path} || '/', '/') - 1)`;
