import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from '../../db/dialect.ts';
import type { Schema } from '../../db/schema.ts';
import { parseJson } from '../../json.ts';
import { ROOT, type StoragePath } from '../../path.ts';
import { searchedWords } from '../path-words.ts';
import { isOneOf } from './asset-rows.ts';
import { isBelow } from './in-folder.ts';

/** What is searched in a folder, at its level or at any depth. Words are looked for in names below the folder. */
export interface PathScope {
  /** By default the library. */
  folder?: StoragePath | undefined;
  recursive?: boolean | undefined;
  search?: string | undefined;
}

/** Conditions on rows of `asset`. */
export interface PathSearch {
  conditions: readonly RawBuilder<SqlBool>[];
  /** True if few files meet one of them, so that they can all be read and sorted. */
  isFew: boolean;
}

/** Limit of files that have a word, up to which they are found by the word and sorted. */
const FEW = 10_000;

/** Length from which words are in the index, on both databases. */
const MIN_INDEXED = 3;

/**
 * Returns the conditions for files that have all words of a search in their paths. If few files have one of the words,
 * these are looked up first: the planner cannot estimate how many contain a text, and would scan the library.
 * @param few limit of files with a word, up to which they are looked up
 */
export async function searchPaths(db: Kysely<Schema>, scope: PathScope, few = FEW): Promise<PathSearch> {
  const { search = '' } = scope;
  if (search === '') return { conditions: [], isFew: false };
  const words = searchedWords(search);
  if (words.length === 0) return { conditions: [sql<SqlBool>`1 = 0`], isFew: true };
  const conditions: RawBuilder<SqlBool>[] = [];
  let isFew = false;
  // The longest word is likely to be the rarest.
  for (const word of words.toSorted((one, other) => other.length - one.length)) {
    const folders = scope.recursive && (await hasFolders(db, scope, word)) ? foldersWith(db, scope, word) : undefined;
    // Once there are few files, their paths are compared with the other words.
    const ids = !isFew && canSearch(scope, word) ? await idsOf(db, filesWith(db, word, folders), few) : undefined;
    if (ids) {
      conditions.push(isOneOf(db, 'asset.id', ids));
      isFew = true;
    } else {
      const isNamed = contains(db, 'asset.folded', word);
      conditions.push(folders ? sql`(${isNamed} or asset."folderId" in (${folders}))` : isNamed);
    }
  }
  return { conditions, isFew };
}

/** Returns the conditions for rows of `folder` that `isFoundPath` is true for, at any depth below a folder. */
export function foundFolders(db: Kysely<Schema>, { folder = ROOT, search = '' }: PathScope): RawBuilder<SqlBool> {
  const words = searchedWords(search);
  if (words.length === 0) return sql`1 = 0`;
  const own = words.map((word) => contains(db, 'folder.folded', word));
  const all = words.map(
    (word, at) => sql<SqlBool>`(${own[at]} or folder."id" in (${foldersWith(db, { folder }, word)}))`,
  );
  return sql`(${isBelow(folder, 'folder.path')} and (${sql.join(own, sql` or `)}) and ${sql.join(all, sql` and `)})`;
}

/** True for rows whose folded name has all words of a search. */
export function hasWords(db: Kysely<Schema>, column: string, search: string): RawBuilder<SqlBool> {
  const words = searchedWords(search).map((word) => contains(db, column, word));
  return words.length === 0 ? sql`1 = 0` : sql`(${sql.join(words, sql` and `)})`;
}

/** In one folder, names are read sooner than all names of the library that are too short for the index. */
const canSearch = ({ recursive }: PathScope, word: string) => recursive || isIndexed(word);

const isIndexed = (word: string) => [...word].length >= MIN_INDEXED && !word.includes('\0');

/** Returns the ids of the found files; undefined if there are more than `few`. */
async function idsOf(db: Kysely<Schema>, found: RawBuilder<unknown>, few: number): Promise<number[] | undefined> {
  // As one value: ten thousand rows take longer from the thread for readers than to find.
  const list = isPostgres(db) ? sql`cast(json_agg("id") as text)` : sql`json_group_array("id")`;
  const read = sql<{ ids: string | null }>`
    select case when count(*) <= ${sql.lit(few)} then coalesce(${list}, '[]') end as "ids"
    from (select "id" from (${found}) as found limit ${few + 1}) as some_found
  `;
  const ids = (await read.execute(db)).rows[0]?.ids ?? null;
  return ids === null ? undefined : (parseJson(ids) as number[]);
}

async function hasFolders(db: Kysely<Schema>, { folder = ROOT }: PathScope, word: string): Promise<boolean> {
  const rows = db
    .selectFrom('folder')
    .select('id')
    .where(contains(db, 'folded', word))
    .where(isBelow(folder));
  return (await rows.limit(1).executeTakeFirst()) !== undefined;
}

/** Selects the ids of files with a word in their names, or in the names of folders above them. */
function filesWith(db: Kysely<Schema>, word: string, folders: RawBuilder<unknown> | undefined): RawBuilder<unknown> {
  const named = namedWith(db, word);
  return folders ? sql`${named} union all select "id" from asset where "folderId" in (${folders})` : named;
}

function namedWith(db: Kysely<Schema>, word: string): RawBuilder<unknown> {
  const named = sql`select "id" from asset where ${contains(db, 'folded', word)}`;
  if (isPostgres(db) || !isIndexed(word)) return named;
  const quoted = `"${word.replaceAll('"', '""')}"`;
  // New files wait for the index.
  return sql`
    select rowid as "id" from asset_names where asset_names match ${quoted}
    union all ${named} and "searchable" = ${sql.lit(0)}
  `;
}

/**
 * Selects the ids of folders below a folder with a word in their names, and of all folders below those. Each folder is
 * visited once, however many have the word.
 */
function foldersWith(db: Kysely<Schema>, { folder = ROOT }: PathScope, word: string): RawBuilder<unknown> {
  return sql`
    with recursive found("id") as (
      select named."id" from folder as named
      where ${contains(db, 'named.folded', word)} and ${isBelow(folder, 'named.path')}
      union
      select below."id" from found join folder as below on below."parentId" = found."id"
    ) select "id" from found
  `;
}

/** True if a folded name contains a folded word. On PostgreSQL, `like` uses the index of trigrams. */
function contains(db: Kysely<Schema>, column: string, word: string): RawBuilder<SqlBool> {
  // No name contains NUL, which PostgreSQL cannot read.
  if (word.includes('\0')) return sql`1 = 0`;
  if (!isPostgres(db)) return sql`instr(${sql.ref(column)}, ${word}) > 0`;
  return sql`${sql.ref(column)} like ${`%${word.replace(/[\\%_]/g, '\\$&')}%`}`;
}
