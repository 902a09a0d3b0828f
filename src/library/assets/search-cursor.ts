import { z } from 'zod';
import type { SearchPosition, SearchSort } from '../../catalog/catalog-search.ts';
import { badRequest } from '../../errors.ts';
import { parseJson } from '../../json.ts';
import { quote } from '../../path.ts';

const form = z.tuple([
  z.string(),
  z.string(),
  z.int().min(1),
  z.union([z.int(), z.string().regex(/^[^\0]*$/), z.null()]),
  z.int().min(0),
  z.boolean(),
]);

/** What each part of an order is sorted by; by ids alone nothing is said of it. */
const SORTED_BY: Readonly<Record<SearchSort, readonly ('text' | 'number' | 'id')[]>> = {
  relevance: ['id', 'id'],
  name: ['text'],
  size: ['number'],
  mtime: ['number'],
  created: ['number'],
  taken: ['number', 'id'],
};

/** Where a page of a search ended: opaque to clients. */
export function writeSearchCursor({ id, value, part, isNear }: SearchPosition, sort: string, order: string): string {
  return Buffer.from(JSON.stringify([sort, order, id, value, part, isNear])).toString('base64url');
}

/** @throws HttpProblem 400 for what `writeSearchCursor` has not written, or for another order */
export function parseSearchCursor(cursor: string, sort: SearchSort, order: string): SearchPosition {
  const read = form.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!read.success) throw noCursor(cursor);
  const [forSort, forOrder, id, value, part, isNear] = read.data;
  if (forSort !== sort || forOrder !== order) {
    const message = `In "cursor": expected one of the order ${sort} ${order}, received one of ${forSort} ${forOrder}.`;
    throw badRequest(message, 'invalid_cursor');
  }
  const sortedBy = SORTED_BY[sort][part];
  const found = value === null ? 'id' : typeof value === 'string' ? 'text' : 'number';
  if (sortedBy !== found) throw noCursor(cursor);
  return { id, value, part, isNear };
}

const noCursor = (cursor: string) =>
  badRequest(
    `In "cursor": expected the nextCursor of a page of this search, received ${quote(cursor)}.`,
    'invalid_cursor',
  );

/** What `GET /assets/duplicates` has given as `nextCursor`. @throws HttpProblem 400 for anything else */
export function checkDuplicatesCursor(kind: 'exact' | 'similar', cursor: string): void {
  if (!DUPLICATES_CURSOR[kind].test(cursor)) throw noCursor(cursor);
}

/** The SHA-256 of the last group, or the id of the last picture. */
const DUPLICATES_CURSOR = { exact: /^[0-9a-f]{64}$/, similar: /^\d{1,15}$/ } as const;
