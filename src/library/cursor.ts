import { z } from 'zod';
import type { SearchPosition, SearchSort } from '../catalog/catalog-search.ts';
import { badRequest } from '../errors.ts';
import { parseJson } from '../json.ts';
import { quote } from '../path.ts';

/** Writes a position as an opaque text for clients. */
export function writeCursor(position: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** Reads a position. @throws HttpProblem 400 for text that `writeCursor` has not written for such a position */
export function readCursor<Position>(cursor: string, form: z.ZodType<Position>): Position {
  const read = form.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!read.success) throw wrongCursor(cursor);
  return read.data;
}

/** @throws HttpProblem 400 when a cursor belongs to another order than the requested one */
export function assertOrder(
  received: readonly [sort: string, order: string],
  requested: { sort: string; order: string },
): void {
  const [sort, order] = received;
  if (sort === requested.sort && order === requested.order) return;
  const message = `In "cursor": expected one of the order ${requested.sort} ${requested.order}, received one of ${sort} ${order}.`;
  throw badRequest(message, 'invalid_cursor');
}

export const wrongCursor = (cursor: string) =>
  badRequest(`In "cursor": expected the nextCursor of the page before, received ${quote(cursor)}.`, 'invalid_cursor');

const searchForm = z.tuple([
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
  const [forSort, forOrder, id, value, part, isNear] = readCursor(cursor, searchForm);
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
