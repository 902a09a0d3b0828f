import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { Pool, type PoolClient, type PoolConfig, types } from 'pg';
import type { Availability } from '../../availability.ts';
import { within } from '../../concurrency.ts';
import { retryConflicts } from '../conflicts.ts';
import { databaseUnavailable, isConnectionLost, isUnavailable, toProblem } from './outage.ts';

/** Timeout for a connection, a free one or a new one, in ms. */
const CONNECT_MS = 2000;
/** Time limit of the server for a statement, in ms. */
const STATEMENT_MS = 5000;
/** Timeout for a response, in ms. A frozen server does not end its statements. */
const ANSWER_MS = 7000;
/** A process that is frozen in a transaction would hold its locks, so the server ends its connection, in ms. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const IDLE_MS = 60_000;
/** Timeout for closing connections, in ms. A connection that does not close is left to the end of the process. */
const END_MS = 2000;

const INT8 = 20;
const OUTSIDE_TRANSACTION = 'I';

/** The driver's error for a statement without a response in time. */
const isUnanswered = (error: unknown) => error instanceof Error && error.message === 'Query read timeout';

/**
 * By default the planner assumes the random access of a spinning disk. It then scans a long index in the order of a
 * page rather than find the few rows that have a rare word. It also compiles statements that it overestimates, such as
 * those with a recursive part: half a second for a search that takes 50 ms.
 */
const PLANNER_SETTINGS = 'set random_page_cost = 1.1; set jit = off';

/** Creates a pool whose waits are limited to some seconds. */
export function createPool(url: string, max: number): Pool {
  return listenTo({
    connectionString: url,
    max,
    statement_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    async onConnect(client) {
      await client.query(PLANNER_SETTINGS);
    },
  });
}

/** Creates a pool of one connection without time limits, for work at the start. */
export function createRetryingPool(url: string): Pool {
  return listenTo({ connectionString: url, max: 1 });
}

/** Ends unused connections, and waits for that up to `END_MS`. */
export async function endPool(pool: Pool): Promise<void> {
  if (!pool.ending) await within(pool.end(), END_MS);
}

function listenTo(config: PoolConfig): Pool {
  const pool = new Pool({
    application_name: 'darkroom',
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    types: { getTypeParser },
    ...config,
  });
  // The pool drops a broken connection, and its user gets the error; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/**
 * Numbers of 64 bits come as text. The stored ones are exact as numbers; any other value is an error instead of an
 * inexact number.
 */
const getTypeParser: typeof types.getTypeParser = (id: number, format?: 'text' | 'binary') =>
  id === INT8 && format !== 'binary' ? parseInteger : types.getTypeParser(id, format as 'text');

function parseInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The database has the number ${text}, which is too large.`);
  return value;
}

/**
 * Adapts the pool for Kysely. Its errors are those for clients, and a lost connection is not used again.
 * @param availability notified of responses and failures; while it is open, connections are refused without an attempt
 */
export function guardPool(pool: Pool, availability?: Availability): PostgresPool {
  const guarded = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => endPool(pool),
    async connect() {
      if (availability?.isAvailable === false) throw databaseUnavailable();
      try {
        const client = await pool.connect();
        const known = guarded.get(client) ?? guardClient(client, availability);
        guarded.set(client, known);
        return known;
      } catch (error) {
        // If others were answered meanwhile, the pool is exhausted.
        if (isUnavailable(error)) availability?.failed(error, performance.now() - CONNECT_MS);
        throw toProblem(error);
      }
    },
  };
}

function guardClient(client: PoolClient, availability: Availability | undefined): PostgresPoolClient {
  let isLost = false;
  const run = (text: string, parameters: readonly unknown[]) => client.query(text, [...parameters]);
  // Kysely also requests cursors, but only if it was configured with some.
  async function query(text: string, parameters: readonly unknown[]) {
    try {
      // A transaction is repeated as a whole, by its caller.
      const isAlone = client.getTransactionStatus() === OUTSIDE_TRANSACTION;
      const result = await (isAlone ? retryConflicts(() => run(text, parameters)) : run(text, parameters));
      availability?.answered();
      return result;
    } catch (error) {
      isLost ||= isConnectionLost(error);
      // A single connection may break. The next one shows if the server is unreachable.
      if (isUnanswered(error)) availability?.failed(error, performance.now() - CONNECT_MS);
      throw toProblem(error);
    }
  }
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy || isLost),
  };
}
