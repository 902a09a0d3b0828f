import { z } from 'zod';
import { badRequest } from '../errors.ts';
import { parseJson } from '../json.ts';
import { parsePath, quote, type StoragePath } from '../path.ts';

export const SORTS = ['name', 'size', 'mtime'] as const;
export const ORDERS = ['asc', 'desc'] as const;

/** Folders always come first and are sorted by name. A descending order reverses the files, and the folders when it is by name. */
export interface ListingOrder {
  sort: (typeof SORTS)[number];
  order: (typeof ORDERS)[number];
}

/** A file or folder of one level. */
export interface Row {
  path: StoragePath;
  isFolder: boolean;
  size: number;
  /** Unix milliseconds. */
  mtime: number;
}

/** Sorts in place. Names are compared by UTF-16 code units; among equals the name decides. */
export function sortRows(rows: Row[], order: ListingOrder): Row[] {
  return rows.sort((one, other) => compare(one, other, order));
}

/** The index of the first row after a position, even when the row at that position is gone. */
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

const cursorForm = z.tuple([z.enum(SORTS), z.enum(ORDERS), z.boolean(), z.number(), z.number(), z.string()]);

/** Where a page ended: opaque to clients. */
export function writeCursor({ isFolder, size, mtime, path }: Row, { sort, order }: ListingOrder): string {
  return Buffer.from(JSON.stringify([sort, order, isFolder, size, mtime, path])).toString('base64url');
}

/** @throws HttpProblem 400 for what `writeCursor` has not written, or for another order */
export function parseCursor(cursor: string, { sort, order }: ListingOrder): Row {
  const read = cursorForm.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!read.success)
    throw badRequest(`Expected a "nextCursor" of this listing, received ${quote(cursor)}.`, 'invalid_cursor');
  const [forSort, forOrder, isFolder, size, mtime, path] = read.data;
  if (forSort !== sort || forOrder !== order) {
    const message = `Expected a cursor of the order ${sort} ${order}, received one of ${forSort} ${forOrder}.`;
    throw badRequest(message, 'invalid_cursor');
  }
  return { isFolder, size, mtime, path: parsePath(path) };
}

function compare(one: Row, other: Row, { sort, order }: ListingOrder): number {
  if (one.isFolder !== other.isFolder) return one.isFolder ? -1 : 1;
  const direction = order === 'asc' || (one.isFolder && sort !== 'name') ? 1 : -1;
  const byValue = one.isFolder || sort === 'name' ? 0 : one[sort] - other[sort];
  return direction * (byValue || (one.path < other.path ? -1 : Number(one.path > other.path)));
}
