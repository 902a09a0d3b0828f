import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { within } from '../concurrency.ts';
import type { Log } from '../log.ts';
import { BusLag } from './bus-lag.ts';
import type { Cluster } from './cluster.ts';
import { ADVISORY, LOCK_ID, lockId } from './lock-id.ts';
import { PostgresBus } from './postgres-bus.ts';
import { PostgresOnce } from './postgres-once.ts';
import { PostgresPathLock } from './postgres-path-lock.ts';
import { isDeaf } from './probe.ts';
import { Session, type SessionOptions } from './session.ts';

export interface PostgresClusterOptions extends Pick<SessionOptions, 'heartbeatMs' | 'answerMs' | 'longestPauseMs'> {
  /** The address of PostgreSQL, or of a pooler before it (DATABASE_URL). */
  url: string;
  /** The address past a pooler (DATABASE_SESSION_URL). */
  sessionUrl?: string | undefined;
  log: Log;
  /** How long work waits that another node does as well, in milliseconds. */
  onceWaitMs?: number;
  /** How long a change of files waits for those of other nodes, in milliseconds. */
  lockWaitMs?: number;
  /** How long a notification to oneself may take at the start, in milliseconds. */
  probeMs?: number;
  /** The time between two measurements of the lag of the bus, in milliseconds. */
  lagIntervalMs?: number;
}

/** For changes of files that wait for those of other nodes. */
const LOCK_CONNECTIONS = 2;

const DEAF =
  'PostgreSQL does not pass on notifications: what this service has sent to itself did not arrive. A pooler in between, such as ' +
  'PgBouncer with transaction pooling, cannot pass them on. Set DATABASE_SESSION_URL to the address of PostgreSQL itself, or to a ' +
  'pooler with session pooling.';

/**
 * Joins the nodes that share a PostgreSQL. When it is not there, this node works alone until it is.
 * @throws Error when PostgreSQL refuses, and when a pooler in between makes working together impossible
 */
export async function joinPostgresCluster(options: PostgresClusterOptions): Promise<Cluster> {
  const {
    url,
    sessionUrl = url,
    log,
    onceWaitMs = 5000,
    lockWaitMs = 10_000,
    answerMs = 2000,
    probeMs = 2000,
    lagIntervalMs = 5000,
  } = options;
  const node = randomUUID();
  const session = new Session({ ...options, url: sessionUrl, node, answerMs });
  // Until others leave a place, and the connection is there.
  const pool = openPool(url, lockWaitMs + answerMs);
  async function disconnect(): Promise<void> {
    await session.close();
    // A PostgreSQL that does not answer is not waited for.
    await within(pool.end(), answerMs);
  }

  try {
    await session.start().catch(explainRefusal);
    await requireHearing(session, pool, { probeMs, log });
  } catch (error) {
    await disconnect();
    throw error;
  }

  // What was said before is no news to them.
  const bus = new PostgresBus(session, node, log);
  const once = new PostgresOnce({ session, bus, waitMs: onceWaitMs });
  const lag = new BusLag({ session, pool, intervalMs: lagIntervalMs, answerMs });
  return {
    ...{ node, bus, once },
    lock: new PostgresPathLock({ session, pool, waitMs: lockWaitMs, answerMs, log }),
    isAlive: (name) => isAlive(session, name),
    stats: () => ({ isConnected: session.isUp, ...once.stats(), busLagMs: lag.lagMs }),
    async close() {
      lag.close();
      await bus.settled();
      await disconnect();
    },
  };
}

/** Looks now, or as soon as there is a connection. @throws Error when a pooler in between passes on no notifications */
async function requireHearing(
  session: Session,
  pool: Pool,
  { probeMs, log }: { probeMs: number; log: Log },
): Promise<void> {
  const probe = () => isDeaf(session, pool, probeMs);
  if (!session.isUp) session.once('up', () => void probe().then((isSo) => isSo && log.error(DEAF)));
  else if (await probe()) throw new Error(DEAF);
}

function explainRefusal(cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `PostgreSQL refuses the connection that listens for other nodes (DATABASE_SESSION_URL, or else DATABASE_URL): ${reason}.`;
  throw new Error(message, { cause });
}

function openPool(url: string, connectMs: number): Pool {
  const pool = new Pool({
    connectionString: url,
    max: LOCK_CONNECTIONS,
    connectionTimeoutMillis: connectMs,
    application_name: 'darkroom locks',
  });
  // Without a listener, a connection that is lost would end the process, whether it is idle or in use. The next one replaces it.
  pool.on('error', () => undefined);
  return pool.on('connect', (client) => client.on('error', () => undefined));
}

/** A look at the list of locks, because to try one would make it taken for others that look. */
async function isAlive(session: Session, node: string): Promise<boolean> {
  const text = `select 1 from pg_locks where granted and ${ADVISORY} and ${LOCK_ID} = $1::bigint limit 1`;
  const rows = await session.query(text, [lockId('node', node)]);
  return rows.length > 0;
}
