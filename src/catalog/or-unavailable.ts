import { driverError } from '../db/postgres/outage.ts';
import { codeOf, unavailable } from '../errors.ts';
import type { CatalogStore } from './catalog-store.ts';

const RETRY_SECONDS = 2;

/** A table or a column that is not there, on SQLite and on PostgreSQL. */
const BROKEN = ['SQLITE_ERROR', 'SQLITE_CORRUPT', '42P01', '42703'];

/** The same catalog, of which each call is an HttpProblem 503 when the catalog is broken or away. */
export function orUnavailable(catalog: CatalogStore): CatalogStore {
  return guarded(catalog);
}

/** Of the catalog or of one of its parts, whose calls all give promises. */
function guarded<Part extends object>(part: Part): Part {
  return new Proxy(part, { get: (target, name) => guardedMember(target, Reflect.get(target, name)) });
}

function guardedMember(part: object, member: unknown): unknown {
  if (typeof member === 'function') return (...given: unknown[]) => calledSafely(() => member.apply(part, given));
  return typeof member === 'object' && member !== null ? guarded(member) : member;
}

async function calledSafely<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!BROKEN.includes(codeOf(driverError(error)))) throw error;
    throw unavailable('The catalog cannot be used at the moment.', 'database_unavailable', RETRY_SECONDS, error);
  }
}
