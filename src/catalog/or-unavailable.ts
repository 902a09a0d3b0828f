import { driverError } from '../db/postgres/outage.ts';
import { codeOf, unavailable } from '../errors.ts';

const RETRY_SECONDS = 2;

/** Error codes of a missing table or column, on SQLite and on PostgreSQL. */
const BROKEN = ['SQLITE_ERROR', 'SQLITE_CORRUPT', '42P01', '42703'];

/**
 * Wraps the catalog, or one of its parts, so that calls fail with HttpProblem 503 when it is broken. All calls return
 * promises.
 */
export function orUnavailable<Part extends object>(part: Part): Part {
  return new Proxy(part, { get: (target, name) => guardedMember(target, Reflect.get(target, name)) });
}

function guardedMember(part: object, member: unknown): unknown {
  if (typeof member === 'function') return (...given: unknown[]) => calledSafely(() => member.apply(part, given));
  return typeof member === 'object' && member !== null ? orUnavailable(member) : member;
}

async function calledSafely<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!BROKEN.includes(codeOf(driverError(error)))) throw error;
    throw unavailable('The catalog cannot be used at the moment.', 'database_unavailable', RETRY_SECONDS, error);
  }
}
