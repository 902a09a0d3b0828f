import { badRequest, codeOf, HttpProblem, unavailable } from '../../errors.ts';

/** When a client may ask again. */
const RETRY_SECONDS = 2;

/**
 * The classes of SQLSTATE that blame the server or the moment, and not the statement: connections (08), a user or a database that is
 * no longer there (28, 3D), a standby that took over (25), conflicts of transactions (40), resources (53), a shutdown or a time
 * limit (57), locks (55), the system (58).
 */
const OUT_OF_ORDER = /^(08|25006|28|3D|40|53|55P03|57|58)/;

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** A text with U+0000, which PostgreSQL cannot keep. */
const BAD_TEXT = '22021';

/** Whether an error of the driver says nothing about the statement: the connection, the server or the moment is to blame. */
export function isOutage(error: unknown): boolean {
  const code = codeOf(error);
  // A value that was read and cannot be kept is no fault of the server either.
  return SQLSTATE.test(code) ? OUT_OF_ORDER.test(code) : !(error instanceof RangeError);
}

/** Whether a connection cannot be used after this error. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  return SQLSTATE.test(code) ? /^(08|25006|57P)/.test(code) : isOutage(error);
}

/**
 * Whether an error of the driver says that there is no server to talk to, or that it is only starting or stopping. A server that
 * refuses, for example a password, is there.
 */
export function isAway(error: unknown): boolean {
  const code = codeOf(error);
  if (SQLSTATE.test(code)) return /^(08|57P)/.test(code);
  if (code !== '') return /^E(?!RR_)/.test(code);
  // The driver's own errors have no code.
  return error instanceof Error && /timeout|terminated/i.test(error.message);
}

/** The error of the driver, which is the cause of what is said about it. */
export function driverError(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? driverError(error.cause) : error;
}

/** What a client is told of an error of the driver, which is its cause. */
export function toProblem(error: unknown): unknown {
  if (error instanceof HttpProblem) return error;
  if (codeOf(error) === BAD_TEXT)
    return badRequest('A text has a character that cannot be kept (U+0000).', 'validation_failed');
  if (!isOutage(error)) return error;
  return databaseUnavailable(error);
}

export function databaseUnavailable(cause?: unknown): HttpProblem {
  return unavailable('The database cannot be used at the moment.', 'database_unavailable', RETRY_SECONDS, cause);
}
