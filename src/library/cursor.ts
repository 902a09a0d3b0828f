import type { z } from 'zod';
import { badRequest } from '../errors.ts';
import { parseJson } from '../json.ts';
import { quote } from '../path.ts';

/** Writes a position as an opaque text for clients. */
export function writeCursor(position: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** @throws HttpProblem 400 for text that `writeCursor` has not written for such a position */
export function readCursor<Position>(cursor: string, form: z.ZodType<Position>): Position {
  const read = form.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!read.success) throw wrongCursor(cursor);
  return read.data;
}

/** @throws HttpProblem 400 when a cursor belongs to another order than the requested one */
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
