import { driverError } from '../db/postgres/outage.ts';
import { codeOf, unavailable } from '../errors.ts';

const RETRY_SECONDS = 2;

/** A table or a column that is not there, on SQLite and on PostgreSQL. */
const BROKEN = ['SQLITE_ERROR', 'SQLITE_CORRUPT', '42P01', '42703'];

/** Does what needs the rows. @throws HttpProblem 503 when the catalog is broken or away */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!BROKEN.includes(codeOf(driverError(error)))) throw error;
    throw unavailable('The catalog cannot be used at the moment.', 'database_unavailable', RETRY_SECONDS, error);
  }
}
