import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { ROOT, type StoragePath } from '../../path.ts';
import { HIDDEN } from '../hidden.ts';

/** True for descendants of `folder`, at any depth. */
export function isBelow(folder: StoragePath, column = 'path'): Expression<SqlBool> {
  const path = sql.ref(column);
  if (folder === ROOT) return sql<SqlBool>`(${path} <> '' and ${isShown(column)})`;
  // `0` comes after `/`.
  return sql<SqlBool>`(${path} > ${`${folder}/`} and ${path} < ${`${folder}0`})`;
}

/** True for `folder` and its descendants, at any depth. */
export function within(folder: StoragePath, column = 'path'): Expression<SqlBool> {
  if (folder === ROOT) return isShown(column);
  return sql<SqlBool>`(${sql.ref(column)} = ${folder} or ${isBelow(folder, column)})`;
}

/** True for folders outside the trash. */
export function isShown(column = 'path'): Expression<SqlBool> {
  return sql<SqlBool>`(${sql.ref(column)} < '/' or ${sql.ref(column)} >= '0')`;
}

/** True for files whose folder is outside the trash. Looked up for each file: the trash may have a million folders. */
export function isInShownFolder(): RawBuilder<SqlBool> {
  return sql<SqlBool>`not exists (
    select 1 from folder as hidden where hidden."id" = asset."folderId" and ${within(HIDDEN, 'hidden.path')}
  )`;
}

/**
 * Begins a query for files of a folder, at any depth, with `from asset ... where ...`.
 * @param areFew true if the folder has few files, so that these are read, and no others
 */
export function fromFilesIn(folder: StoragePath, areFew: boolean): RawBuilder<unknown> {
  if (folder === ROOT) return sql`from asset where ${isInShownFolder()}`;
  const isInFolder = within(folder, 'place.path');
  // SQLite has no statistics: in a cross join it begins with the folders.
  if (areFew) return sql`from folder as place cross join asset where asset."folderId" = place."id" and ${isInFolder}`;
  return sql`
    from asset where exists (select 1 from folder as place where place."id" = asset."folderId" and ${isInFolder})
  `;
}
