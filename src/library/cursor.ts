import type { z } from 'zod';
import { badRequest } from '../errors.ts';
import { parseJson } from '../json.ts';
import { quote } from '../path.ts';

/** Where a page ended, as a text that is opaque to clients. */
export function writeCursor(position: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** @throws HttpProblem 400 for what `writeCursor` has not written of such a position */
export function readCursor<Position>(cursor: string, form: z.ZodType<Position>): Position {
  const read = form.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!read.success) throw wrongCursor(cursor);
  return read.data;
}

/** @throws HttpProblem 400 when a cursor is that of another order than the one that is asked for */
export function assertOrder(
  given: readonly [sort: string, order: string],
  asked: { sort: string; order: string },
): void {
  const [sort, order] = given;
  if (sort === asked.sort && order === asked.order) return;
  const message = `In "cursor": expected one of the order ${asked.sort} ${asked.order}, received one of ${sort} ${order}.`;
  throw badRequest(message, 'invalid_cursor');
}

export const wrongCursor = (cursor: string) =>
  badRequest(`In "cursor": expected the nextCursor of the page before, received ${quote(cursor)}.`, 'invalid_cursor');
