import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, unavailable } from '../../errors.ts';
import { databaseUnavailable } from '../postgres/outage.ts';

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
const RETRY_SECONDS = 2;

/** The codes that blame the disk or the file, not the statement. */
const OUT_OF_ORDER = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/;

/**
 * Runs a statement, and retries while another process holds the lock. The event loop is free meanwhile.
 * @param waitMs maximum time for attempts, in ms
 * @throws HttpProblem 503 when the lock was held too long, or the file cannot be read or written
 */
export async function whenUnlocked<T>(waitMs: number, run: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await run();
    } catch (error) {
      const code = codeOf(error);
      if (OUT_OF_ORDER.test(code)) throw databaseUnavailable(error);
      if (!/^SQLITE_(BUSY|LOCKED)/.test(code)) throw error;
      if (performance.now() - start + pauseMs > waitMs) {
        throw unavailable('Another process holds the database.', 'database_unavailable', RETRY_SECONDS, error);
      }
    }
    await pause(pauseMs);
  }
}
