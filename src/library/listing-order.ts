import { z } from 'zod';
import type { ListingSort } from '../catalog/catalog-store.ts';
import { formatKeyOf } from '../catalog/format-key.ts';
import type { AssetRecord } from '../catalog/records.ts';
import { baseName, parsePath, type StoragePath } from '../path.ts';
import { byCodeUnits, sortInPieces } from '../runtime/in-pieces.ts';
import { assertOrder, readCursor, writeCursor, wrongCursor } from './cursor.ts';

export const SORTS = [
  'name',
  'kind',
  'dimensions',
  'size',
  'mtime',
  'created',
] as const satisfies readonly ListingSort[];
export const ORDERS = ['asc', 'desc'] as const;

/**
 * Order of a listing. Folders come first, by name. A descending order reverses the files, and the folders when it is by
 * name. Kinds are formats; files without dimensions come last in both orders by dimensions.
 */
export interface ListingOrder {
  sort: ListingSort;
  order: (typeof ORDERS)[number];
  /** Lists all files below the folder, by their own names. */
  recursive?: boolean | undefined;
}

/** A file or folder of one level. */
export interface Row {
  path: StoragePath;
  isFolder: boolean;
  size: number;
  /** Unix milliseconds. */
  mtime: number;
  created: number;
  /** Width times height; 0 without dimensions. */
  pixels: number;
  /** Record of the file; undefined for folders, and where only the store has the file. */
  asset?: AssetRecord | undefined;
  /** Id of the asset. */
  id?: number | undefined;
}

/** Sorts rows: names by UTF-16 code units, equal values by path. */
export function sortRows(rows: readonly Row[], order: ListingOrder): Promise<Row[]> {
  return sortInPieces(rows, (one, other) => compare(one, other, order));
}

/** Returns the index of the first row after a position, even if the row at that position was deleted. */
export function after(rows: readonly Row[], position: Row, order: ListingOrder): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(rows[middle] ?? position, position, order) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

const cursorForm = z.tuple([
  z.enum(SORTS),
  z.enum(ORDERS),
  z.boolean(),
  z.int(),
  z.int(),
  z.string(),
  z.int(),
  z.boolean(),
  z.int().default(0),
  z.int().default(0),
]);

/** Writes the position after which the next page begins, as a cursor. */
export function writePosition(row: Row, listing: ListingOrder): string {
  const { isFolder, size, mtime, created, pixels, path, id = 0 } = row;
  const { sort, order, recursive = false } = listing;
  // In one folder no two files are equal.
  const last = [isFolder, size, mtime, path, recursive ? id : 0];
  return writeCursor([sort, order, ...last, recursive, created, pixels]);
}

/** Reads a cursor. @throws HttpProblem 400 for text that `writePosition` has not written, or for another order */
export function readPosition(cursor: string, { sort, order, recursive = false }: ListingOrder): Row {
  const [forSort, forOrder, isFolder, size, mtime, path, id, isRecursive, created, pixels] = readCursor(
    cursor,
    cursorForm,
  );
  if (isRecursive !== recursive) throw wrongCursor(cursor);
  assertOrder([forSort, forOrder], { sort, order });
  return { isFolder, size, mtime, created, pixels, path: parsePath(path), id };
}

function compare(one: Row, other: Row, listing: ListingOrder): number {
  const { sort, order, recursive } = listing;
  if (one.isFolder !== other.isFolder) return one.isFolder ? -1 : 1;
  const direction = order === 'asc' || (one.isFolder && sort !== 'name') ? 1 : -1;
  const byValue = one.isFolder ? 0 : compareValues(one, other, listing);
  const byName =
    recursive && (one.isFolder || sort === 'name') ? byCodeUnits(baseName(one.path), baseName(other.path)) : 0;
  return direction * (byValue || byName || byCodeUnits(one.path, other.path));
}

function compareValues(one: Row, other: Row, { sort, order }: ListingOrder): number {
  switch (sort) {
    case 'name':
      return 0;
    case 'kind':
      return byCodeUnits(formatKeyOf(one.path), formatKeyOf(other.path));
    case 'dimensions': {
      const pixelsOf = ({ pixels }: Row) => (pixels === 0 && order === 'asc' ? Number.MAX_VALUE : pixels);
      return pixelsOf(one) - pixelsOf(other);
    }
    default:
      return one[sort] - other[sort];
  }
}
