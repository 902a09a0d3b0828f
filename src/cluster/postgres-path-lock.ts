import type { Pool, PoolClient } from 'pg';
import { unavailable } from '../errors.ts';
import type { Log } from '../log.ts';
import { parentOf, ROOT, type StoragePath } from '../path.ts';
import type { PathLock } from './cluster.ts';
import { createLocalPathLock } from './local.ts';
import { ADVISORY, LOCK_ID, lockId } from './lock-id.ts';
import { noticeLoss, type Session } from './session.ts';

export interface PostgresPathLockOptions {
  session: Session;
  /** Separate pool for changes that have to wait: each occupies a connection until its work is done. */
  pool: Pool;
  /** Timeout for locks of other nodes, in ms. */
  waitMs: number;
  /** Timeout of all other statements, in ms. */
  answerMs: number;
  log: Log;
}

/** Locks of a change: numbers in the order in which every node takes them, and a flag for each exclusive one. */
type Locks = [ids: string[], areExclusive: boolean[]];

/** Releases the locks. @throws Error when they are lost already */
type Release = () => Promise<void>;

/** SQLSTATE of a lock timeout. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Serialises the changes of all nodes by path, with exclusive advisory locks for the paths and shared ones for the
 * folders above. Free locks are taken by the session, which holds any number. Otherwise a transaction waits for them in
 * one fixed order, so that nothing deadlocks, and no change overtakes it. A change that loses its connection continues:
 * the storage refuses to overwrite.
 */
export class PostgresPathLock implements PathLock {
  readonly #options: PostgresPathLockOptions;
  /** PostgreSQL grants a session the same lock repeatedly, so changes of this node exclude each other here. */
  readonly #local = createLocalPathLock();

  constructor(options: PostgresPathLockOptions) {
    this.#options = options;
  }

  run<T>(paths: readonly StoragePath[], work: () => Promise<T>): Promise<T> {
    return this.#local.run(paths, async () => {
      const locks = locksOf(paths);
      const release = (await this.#take(locks)) ?? (await this.#waitFor(locks));
      try {
        return await work();
      } finally {
        // The work is done even if its locks were lost.
        await release().catch((err) => this.#options.log.warn({ err }, 'a change of files has lost its locks'));
      }
    });
  }

  /** Takes the locks if all of them are free; undefined otherwise, and without a session. */
  async #take(locks: Locks): Promise<Release | undefined> {
    const { session } = this.#options;
    const { epoch } = session;
    const release = async ([ids, areExclusive]: Locks) => {
      if (session.epoch !== epoch) throw new Error('The connection that held them was lost.');
      await session.query(RELEASE, [ids, areExclusive]);
    };
    try {
      const taken = await session.query<{ is_taken: boolean }>(TRY, locks);
      if (taken.every(({ is_taken }) => is_taken)) return () => release(locks);
      const isTaken = (_: unknown, index: number) => taken[index]?.is_taken === true;
      await release([locks[0].filter(isTaken), locks[1].filter(isTaken)]);
    } catch {
      // A lost session holds no locks.
    }
    return undefined;
  }

  async #waitFor(locks: Locks): Promise<Release> {
    const { pool, waitMs, answerMs } = this.#options;
    let client: PoolClient | undefined;
    try {
      client = await pool.connect();
      const begin = `begin; set local lock_timeout = ${waitMs}; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; ${noticeLoss('local')}`;
      await client.query(withTimeout(begin, answerMs));
      await client.query({ ...withTimeout(WAIT_FOR, waitMs + answerMs), values: locks });
      return () => this.#commit(client as PoolClient);
    } catch (error) {
      client?.release(true);
      throw refusal(error, waitMs);
    }
  }

  async #commit(client: PoolClient): Promise<void> {
    try {
      await client.query(withTimeout('commit', this.#options.answerMs));
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}

const LOCKS = 'unnest($1::bigint[], $2::boolean[]) as lock (id, is_exclusive)';
/** A session would get a lock that it holds already although another waits for it. Waiting changes come first. */
const IS_WAITED_FOR = `select 1 from pg_locks where not granted and ${ADVISORY} and ${LOCK_ID} = any($1::bigint[])`;
const TRY = `select case when exists (${IS_WAITED_FOR}) then false when is_exclusive then pg_try_advisory_lock(id) else pg_try_advisory_lock_shared(id) end as is_taken from ${LOCKS}`;
const RELEASE = `select case when is_exclusive then pg_advisory_unlock(id) else pg_advisory_unlock_shared(id) end from ${LOCKS}`;
const WAIT_FOR = `select case when is_exclusive then pg_advisory_xact_lock(id) else pg_advisory_xact_lock_shared(id) end from ${LOCKS}`;

/** A statement with a timeout. */
const withTimeout = (text: string, ms: number) => ({ text, query_timeout: ms });

function locksOf(paths: readonly StoragePath[]): Locks {
  const isExclusive = new Map<string, boolean>();
  for (const path of paths) {
    for (const folder of foldersAbove(path)) {
      const id = lockId('path', folder);
      isExclusive.set(id, isExclusive.get(id) ?? false);
    }
    isExclusive.set(lockId('path', path), true);
  }
  const ids = [...isExclusive.keys()].sort();
  return [ids, ids.map((id) => isExclusive.get(id) === true)];
}

function foldersAbove(path: StoragePath): StoragePath[] {
  return path === ROOT ? [] : [parentOf(path), ...foldersAbove(parentOf(path))];
}

function refusal(error: unknown, waitMs: number) {
  if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) {
    const message = `Timed out after ${waitMs} ms waiting for another change of the same files.`;
    return unavailable(message, 'overloaded');
  }
  return unavailable(
    'Files cannot be changed: PostgreSQL is unreachable or busy. Retry in 5 s.',
    'database_unavailable',
    5,
    error,
  );
}
