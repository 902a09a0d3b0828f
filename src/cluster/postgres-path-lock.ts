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
  /** Of its own, for changes that have to wait: one takes a connection for as long as its work takes. */
  pool: Pool;
  /** How long work waits for other nodes, in milliseconds. */
  waitMs: number;
  /** How long PostgreSQL may take for anything else. */
  answerMs: number;
  log: Log;
}

/** The locks of a change: their numbers in the order in which every node takes them, and whether each is exclusive. */
type Locks = [ids: string[], areExclusive: boolean[]];

/** Gives the locks back. @throws Error when they are gone already */
type Release = () => Promise<void>;

/** The SQLSTATE of a lock that did not come free in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Serialises the changes of all nodes by path, by shared advisory locks for the folders above its paths and exclusive ones for the
 * paths. Where nobody is in the way the session takes them, which holds any number. Otherwise a transaction waits for them, in one
 * order, so that no two changes wait for each other. Nobody overtakes who waits.
 * A change that loses its connection goes on: the storage itself refuses to overwrite.
 */
export class PostgresPathLock implements PathLock {
  readonly #options: PostgresPathLockOptions;
  /** A session is given the same lock again and again, so changes of this node have to exclude each other here. */
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
        // The work is done, whatever becomes of its locks.
        await release().catch((err) => this.#options.log.warn({ err }, 'a change of files has lost its locks'));
      }
    });
  }

  /** Takes the locks if all of them are free; undefined if not, and if there is no session. */
  async #take(locks: Locks): Promise<Release | undefined> {
    const { session } = this.#options;
    const { epoch } = session;
    const release = async ([ids, areExclusive]: Locks) => {
      if (session.epoch !== epoch) throw new Error('The connection that held them is gone.');
      await session.query(GIVE_BACK, [ids, areExclusive]);
    };
    try {
      const taken = await session.query<{ is_taken: boolean }>(TRY, locks);
      if (taken.every(({ is_taken }) => is_taken)) return () => release(locks);
      const isTaken = (_: unknown, index: number) => taken[index]?.is_taken === true;
      await release([locks[0].filter(isTaken), locks[1].filter(isTaken)]);
    } catch {
      // Locks of a session that is lost are free.
    }
    return undefined;
  }

  async #waitFor(locks: Locks): Promise<Release> {
    const { pool, waitMs, answerMs } = this.#options;
    let client: PoolClient | undefined;
    try {
      client = await pool.connect();
      const begin = `begin; set local lock_timeout = ${waitMs}; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; ${noticeLoss('local')}`;
      await client.query(inTime(begin, answerMs));
      await client.query({ ...inTime(WAIT_FOR, waitMs + answerMs), values: locks });
      return () => this.#commit(client as PoolClient);
    } catch (error) {
      client?.release(true);
      throw refusal(error, waitMs);
    }
  }

  async #commit(client: PoolClient): Promise<void> {
    try {
      await client.query(inTime('commit', this.#options.answerMs));
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}

const LOCKS = 'unnest($1::bigint[], $2::boolean[]) as lock (id, is_exclusive)';
/** PostgreSQL gives a session what it holds already, whoever waits for it. Whoever waits comes first here, too. */
const IS_WAITED_FOR = `select 1 from pg_locks where not granted and ${ADVISORY} and ${LOCK_ID} = any($1::bigint[])`;
const TRY = `select case when exists (${IS_WAITED_FOR}) then false when is_exclusive then pg_try_advisory_lock(id) else pg_try_advisory_lock_shared(id) end as is_taken from ${LOCKS}`;
const GIVE_BACK = `select case when is_exclusive then pg_advisory_unlock(id) else pg_advisory_unlock_shared(id) end from ${LOCKS}`;
const WAIT_FOR = `select case when is_exclusive then pg_advisory_xact_lock(id) else pg_advisory_xact_lock_shared(id) end from ${LOCKS}`;

/** A statement that fails when PostgreSQL does not answer. */
const inTime = (text: string, ms: number) => ({ text, query_timeout: ms });

function locksOf(paths: readonly StoragePath[]): Locks {
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
