import { z } from 'zod';
import type { SearchPosition, SearchSort } from '../catalog/catalog-search.ts';
import { assertOrder, readCursor, writeCursor, wrongCursor } from './cursor.ts';

const form = z.tuple([
  z.string(),
  z.string(),
  z.int().min(1),
  z.union([z.int(), z.string().regex(/^[^\0]*$/), z.null()]),
  z.int().min(0),
  z.boolean(),
]);

/** Type of the sort value in each part of an order; parts sorted by id alone have none. */
const SORTED_BY: Readonly<Record<SearchSort, readonly ('text' | 'number' | 'id')[]>> = {
  relevance: ['id', 'id'],
  name: ['text'],
  size: ['number'],
  mtime: ['number'],
  created: ['number'],
  taken: ['number', 'id'],
};

/** Writes the position after which the next page of a search begins. */
export function writeSearchCursor({ id, value, part, isNear }: SearchPosition, sort: string, order: string): string {
  return writeCursor([sort, order, id, value, part, isNear]);
}

/** @throws HttpProblem 400 for text that `writeSearchCursor` has not written, or for another order */
export function parseSearchCursor(cursor: string, sort: SearchSort, order: string): SearchPosition {
  const [forSort, forOrder, id, value, part, isNear] = readCursor(cursor, form);
  assertOrder([forSort, forOrder], { sort, order });
  const sortedBy = SORTED_BY[sort][part];
  const found = value === null ? 'id' : typeof value === 'string' ? 'text' : 'number';
  if (sortedBy !== found) throw wrongCursor(cursor);
  return { id, value, part, isNear };
}

/** Reads the `nextCursor` of `GET /assets/duplicates`. @throws HttpProblem 400 for anything else */
export function checkDuplicatesCursor(kind: 'exact' | 'similar', cursor: string): void {
  if (!DUPLICATES_CURSOR[kind].test(cursor)) throw wrongCursor(cursor);
}

/** SHA-256 of the last group, or id of the last image. */
const DUPLICATES_CURSOR = { exact: /^[0-9a-f]{64}$/, similar: /^\d{1,15}$/ } as const;
