import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { Pool, type PoolClient, type PoolConfig, types } from 'pg';
import type { Availability } from '../../availability.ts';
import { within } from '../../concurrency.ts';
import { databaseUnavailable, isAway, isConnectionLost, toProblem } from './outage.ts';

/** Until there is a connection, a free one or a new one, in milliseconds. */
const CONNECT_MS = 2000;
/** For how long the server works on a statement. */
const STATEMENT_MS = 5000;
/** A server that is frozen does not end its statements. */
const ANSWER_MS = 7000;
/** A process that is frozen in a transaction would keep its locks. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const IDLE_MS = 60_000;
/** A connection that cannot be ended in order is left to the end of the process. */
const END_MS = 2000;

const INT8 = 20;

/** The driver's error of a statement that the server did not answer in time. */
const isUnanswered = (error: unknown) => error instanceof Error && error.message === 'Query read timeout';

/**
 * The server takes a look-up for as dear as a jump of a disk's head. Then it reads a long index in the order of a page rather than find
 * the few rows that have a rare word.
 */
const NO_DEAR_LOOKUPS = 'set random_page_cost = 1.1';

/** Waits for nothing longer than for some seconds. */
export function createPool(url: string, max: number): Pool {
  return listenTo({
    connectionString: url,
    max,
    statement_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    async onConnect(client) {
      await client.query(NO_DEAR_LOOKUPS);
    },
  });
}

/** One connection, for work at the start that takes as long as it takes. */
export function createPatientPool(url: string): Pool {
  return listenTo({ connectionString: url, max: 1 });
}

/** Ends the connections that are not used any more, and waits for that for a moment. */
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
  // The pool drops a connection that breaks, and whoever uses it gets the error; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Numbers of 64 bits come as text. Ours are exact as numbers; anything else is an error instead of a number that is nearly right. */
const getTypeParser: typeof types.getTypeParser = (id: number, format?: 'text' | 'binary') =>
  id === INT8 && format !== 'binary' ? parseInteger : types.getTypeParser(id, format as 'text');

function parseInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The database has the number ${text}, which is too large.`);
  return value;
}

/**
 * The pool as Kysely uses it. Its errors are those that clients are told of, and a connection that was lost is not used again.
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
        if (isAway(error)) availability?.failed(error, performance.now() - CONNECT_MS);
        throw toProblem(error);
      }
    },
  };
}

function guardClient(client: PoolClient, availability: Availability | undefined): PostgresPoolClient {
  let isLost = false;
  // Kysely also asks for cursors, but only where it was given some.
  async function query(text: string, parameters: readonly unknown[]) {
    try {
      const result = await client.query(text, [...parameters]);
      availability?.answered();
      return result;
    } catch (error) {
      isLost ||= isConnectionLost(error);
      // A connection may break alone. Whether the server is away shows with the next one.
      if (isUnanswered(error)) availability?.failed(error, performance.now() - CONNECT_MS);
      throw toProblem(error);
    }
  }
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy || isLost),
  };
}
