import { codeOf } from '../errors.ts';
import { driverError } from './postgres/outage.ts';

/** PostgreSQL codes of work that it has undone because of concurrent work: a failed serialization, a deadlock. */
export const CONFLICTS: readonly string[] = ['40001', '40P01'];
const ATTEMPTS = 3;

/**
 * Runs a transaction, or a statement outside of one, and repeats it after a conflict. It must have no effects outside
 * of the database.
 * @param run receives the number of the attempt
 * @param codes the errors that are conflicts
 */
export async function retryConflicts<T>(run: (attempt: number) => Promise<T>, codes = CONFLICTS): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(attempt);
    } catch (error) {
      if (attempt === ATTEMPTS || !codes.includes(codeOf(driverError(error)))) throw error;
    }
  }
}

/** True for the error of a row whose unique value exists already. */
export function isUniqueViolation(error: unknown): boolean {
  return ['23505', 'SQLITE_CONSTRAINT_UNIQUE'].includes(codeOf(driverError(error)));
}
