import type { Pool, PoolClient } from 'pg';
import { unavailable } from '../errors.ts';
import type { Log } from '../log.ts';
import { parentOf, ROOT, type StoragePath } from '../path.ts';
import type { PathLock } from './cluster.ts';
import { createLocalPathLock } from './local.ts';
import { lockId } from './lock-id.ts';

export interface PostgresPathLockOptions {
  /** Of its own: a connection is taken for as long as the work takes. */
  pool: Pool;
  /** How long work waits for other nodes, in milliseconds. */
  waitMs: number;
  /** How long PostgreSQL may take for anything else. */
  answerMs: number;
  log: Log;
}

/** The SQLSTATE of a lock that did not come free in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Serialises the changes of all nodes by path. Each change holds a transaction with advisory locks, shared ones for the folders above
 * its paths and exclusive ones for the paths, taken in one order, so that no two changes wait for each other.
 * A change that loses its connection goes on: the storage itself refuses to overwrite.
 */
export class PostgresPathLock implements PathLock {
  readonly #options: PostgresPathLockOptions;
  /** Changes of this node that exclude each other take one connection, not one each. */
  readonly #local = createLocalPathLock();

  constructor(options: PostgresPathLockOptions) {
    this.#options = options;
  }

  run<T>(paths: readonly StoragePath[], work: () => Promise<T>): Promise<T> {
    return this.#local.run(paths, async () => {
      const client = await this.#take(paths);
      try {
        return await work();
      } finally {
        await this.#release(client);
      }
    });
  }

  async #take(paths: readonly StoragePath[]): Promise<PoolClient> {
    const { pool, waitMs, answerMs } = this.#options;
    let client: PoolClient | undefined;
    try {
      client = await pool.connect();
      const begin = `begin; set local lock_timeout = ${waitMs}; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`;
      await client.query(inTime(begin, answerMs));
      await client.query({ ...inTime(TAKE, waitMs + answerMs), values: locksOf(paths) });
      return client;
    } catch (error) {
      client?.release(true);
      throw refusal(error, waitMs);
    }
  }

  /** The work is done, whatever becomes of the connection. */
  async #release(client: PoolClient): Promise<void> {
    const { answerMs, log } = this.#options;
    try {
      await client.query(inTime('commit', answerMs));
      client.release();
    } catch (err) {
      log.warn({ err }, 'a change of files has lost its lock before its end');
      client.release(true);
    }
  }
}

const TAKE = `select case when is_exclusive then pg_advisory_xact_lock(id) else pg_advisory_xact_lock_shared(id) end
from unnest($1::bigint[], $2::boolean[]) as lock (id, is_exclusive)`;

/** A statement that fails when PostgreSQL does not answer. */
const inTime = (text: string, ms: number) => ({ text, query_timeout: ms });

/** The numbers of the locks in the order in which every node takes them, and whether each is exclusive. */
function locksOf(paths: readonly StoragePath[]): [string[], boolean[]] {
  const wanted = new Map<string, boolean>();
  for (const path of paths) {
    for (const folder of foldersAbove(path)) {
      const id = lockId('path', folder);
      wanted.set(id, wanted.get(id) ?? false);
    }
    wanted.set(lockId('path', path), true);
  }
  const ids = [...wanted.keys()].sort();
  return [ids, ids.map((id) => wanted.get(id) === true)];
}

function foldersAbove(path: StoragePath): StoragePath[] {
  return path === ROOT ? [] : [parentOf(path), ...foldersAbove(parentOf(path))];
}

function refusal(error: unknown, waitMs: number) {
  if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) {
    const message = `Another change of the same files did not end within ${waitMs} ms.`;
    return unavailable(message, 'overloaded');
  }
  return unavailable(
    'Files cannot be changed now: PostgreSQL cannot be reached or is busy.',
    'database_unavailable',
    5,
    error,
  );
}
