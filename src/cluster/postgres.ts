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
import { missesNotifications } from './probe.ts';
import { Session, type SessionOptions } from './session.ts';

export interface PostgresClusterOptions extends Pick<SessionOptions, 'heartbeatMs' | 'answerMs' | 'longestPauseMs'> {
  /** URL of PostgreSQL or of a pooler (DATABASE_URL). */
  url: string;
  /** URL that bypasses a pooler (DATABASE_SESSION_URL). */
  sessionUrl?: string | undefined;
  log: Log;
  /** Timeout for work that another node is doing, in ms. */
  onceWaitMs?: number;
  /** Timeout of a change of files for those of other nodes, in ms. */
  lockWaitMs?: number;
  /** Timeout of the notification that a node sends to itself at the start, in ms. */
  probeMs?: number;
  /** Interval of the measurements of the bus lag, in ms. */
  lagIntervalMs?: number;
}

/** Connections for changes of files that wait for those of other nodes. */
const LOCK_CONNECTIONS = 2;

const NO_NOTIFICATIONS =
  'PostgreSQL does not pass on notifications: one that this service has sent to itself did not arrive. A pooler with transaction ' +
  'pooling, such as PgBouncer, cannot pass them on. Set DATABASE_SESSION_URL to the address of PostgreSQL itself, or to a ' +
  'pooler with session pooling.';

/**
 * Joins the nodes that share a PostgreSQL database. While it is unreachable, this node works alone.
 * @throws Error when PostgreSQL refuses the connection, or a pooler passes on no notifications
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
  // A connection may have to wait for another change, and then to be made.
  const pool = openPool(url, lockWaitMs + answerMs);
  async function disconnect(): Promise<void> {
    await session.close();
    // Do not wait for a PostgreSQL that does not answer.
    await within(pool.end(), answerMs);
  }

  try {
    await session.start().catch(explainRefusal);
    await requireNotifications(session, pool, { probeMs, log });
  } catch (error) {
    await disconnect();
    throw error;
  }

  // The probes above came before these listeners.
  const bus = new PostgresBus(session, node, log);
  const once = new PostgresOnce({ session, bus, waitMs: onceWaitMs });
  const lag = new BusLag({ session, pool, intervalMs: lagIntervalMs, answerMs });
  return {
    node,
    bus,
    once,
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

/** Probes now, or as soon as there is a connection. @throws Error when a pooler passes on no notifications */
async function requireNotifications(
  session: Session,
  pool: Pool,
  { probeMs, log }: { probeMs: number; log: Log },
): Promise<void> {
  const probe = () => missesNotifications(session, pool, probeMs);
  if (session.isUp) {
    if (await probe()) throw new Error(NO_NOTIFICATIONS);
    return;
  }
  session.once('up', async () => {
    if (await probe()) log.error(NO_NOTIFICATIONS);
  });
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
  // Without listeners, a lost connection would end the process, idle or in use. The pool replaces it.
  pool.on('error', () => undefined);
  return pool.on('connect', (client) => client.on('error', () => undefined));
}

/** Reads the list of locks: trying the lock would make it look taken to others. */
async function isAlive(session: Session, node: string): Promise<boolean> {
  const text = `select 1 from pg_locks where granted and ${ADVISORY} and ${LOCK_ID} = $1::bigint limit 1`;
  const rows = await session.query(text, [lockId('node', node)]);
  return rows.length > 0;
}
