import { z } from 'zod';
import type { SearchPosition } from '../../catalog/catalog-search.ts';
import { badRequest } from '../../errors.ts';
import { parseJson } from '../../json.ts';
import { quote } from '../../path.ts';

const form = z.tuple([
  z.string(),
  z.string(),
  z.int(),
  z.union([z.number(), z.string(), z.null()]),
  z.int(),
  z.boolean(),
]);

/** Where a page of a search ended: opaque to clients. */
export function writeSearchCursor({ id, value, part, isNear }: SearchPosition, sort: string, order: string): string {
  return Buffer.from(JSON.stringify([sort, order, id, value, part, isNear])).toString('base64url');
}

/** @throws HttpProblem 400 for what `writeSearchCursor` has not written, or for another order */
export function parseSearchCursor(cursor: string, sort: string, order: string): SearchPosition {
  const read = form.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!read.success) {
    const message = `In "cursor": expected the nextCursor of a page of this search, received ${quote(cursor)}.`;
    throw badRequest(message, 'invalid_cursor');
  }
  const [forSort, forOrder, id, value, part, isNear] = read.data;
  if (forSort !== sort || forOrder !== order) {
    const message = `In "cursor": expected one of the order ${sort} ${order}, received one of ${forSort} ${forOrder}.`;
    throw badRequest(message, 'invalid_cursor');
  }
  return { id, value, part, isNear };
}
