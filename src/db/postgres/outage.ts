import { badRequest, codeOf, HttpProblem, unavailable } from '../../errors.ts';

/** Seconds after which a client may retry. */
const RETRY_SECONDS = 2;

/**
 * The classes of SQLSTATE that blame the server or a transient state, not the statement: connections (08), a missing
 * user or database (28, 3D), a standby that took over (25), conflicts of transactions (40), resources (53), a shutdown
 * or a time limit (57), locks (55), the system (58).
 */
const OUT_OF_ORDER = /^(08|25006|28|3D|40|53|55P03|57|58)/;

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** A text with U+0000, which PostgreSQL cannot store. */
const BAD_TEXT = '22021';

/**
 * True if an error of the driver does not concern the statement, but the connection, the server or a transient state.
 */
function isOutage(error: unknown): boolean {
  const code = codeOf(error);
  // The server is not to blame for a value that was read and cannot be represented either.
  return SQLSTATE.test(code) ? OUT_OF_ORDER.test(code) : !(error instanceof RangeError);
}

/** True if a connection cannot be used after this error. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  return SQLSTATE.test(code) ? /^(08|25006|57P)/.test(code) : isOutage(error);
}

/**
 * True if an error of the driver shows that there is no server to talk to, or that it is only starting or stopping. A
 * server that refuses, for example a password, is reachable.
 */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  if (SQLSTATE.test(code)) return /^(08|57P)/.test(code);
  if (code !== '') return /^E(?!RR_)/.test(code);
  // The driver's own errors have no code.
  return error instanceof Error && /timeout|terminated/i.test(error.message);
}

/** The error of the driver, which is the cause of the thrown one. */
export function driverError(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? driverError(error.cause) : error;
}

/** Converts an error of the driver to the error for clients, with the former as its cause. */
export function toProblem(error: unknown): unknown {
  if (error instanceof HttpProblem) return error;
  if (codeOf(error) === BAD_TEXT)
    return badRequest('A text has a character that cannot be stored (U+0000).', 'validation_failed');
  if (!isOutage(error)) return error;
  return databaseUnavailable(error);
}

export function databaseUnavailable(cause?: unknown): HttpProblem {
  return unavailable('The database cannot be used at the moment.', 'database_unavailable', RETRY_SECONDS, cause);
}
