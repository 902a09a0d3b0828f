import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, unavailable } from '../errors.ts';

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
const RETRY_SECONDS = 2;

/** The beginnings of the codes that blame the disk or the file, and not the statement. */
const OUT_OF_ORDER = ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CANTOPEN'];

/**
 * Runs a statement, again and again while another process holds the lock. Everything else goes on meanwhile.
 * @param waitMs how long to try at most, in milliseconds
 * @throws HttpProblem 503 when the lock was held too long, or the file cannot be read or written
 */
export async function whenUnlocked<T>(waitMs: number, run: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await run();
    } catch (error) {
      if (isOutOfOrder(error))
        throw unavailable('The database cannot be used at the moment.', 'database_unavailable', RETRY_SECONDS, error);
      if (!isLocked(error)) throw error;
      if (performance.now() - start + pauseMs > waitMs) {
        throw unavailable('Another process holds the database.', 'database_unavailable', RETRY_SECONDS, error);
      }
    }
    await pause(pauseMs);
  }
}

function isLocked(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED');
}

function isOutOfOrder(error: unknown): boolean {
  const code = codeOf(error);
  return OUT_OF_ORDER.some((start) => code.startsWith(start));
}
