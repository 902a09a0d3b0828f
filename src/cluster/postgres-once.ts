import { LATE, within } from '../concurrency.ts';
import type { Bus, Hold, Once } from './cluster.ts';
import { FinishedWork } from './finished-work.ts';
import { lockId } from './lock-id.ts';
import type { Session } from './session.ts';

export interface PostgresOnceOptions {
  session: Session;
  bus: Bus;
  /** Time that a node waits for another one before it works as well, in ms. */
  waitMs: number;
}

/** Interval of attempts to take the lock of a node that may have died, in ms. */
const RETRY_MS = 250;

interface Lock {
  id: string;
  /** Epoch of the session that holds it. */
  epoch: number;
}

interface Task<T> {
  key: string;
  find: () => Promise<T | undefined>;
  work: (hold: Hold) => Promise<T>;
  signal: AbortSignal | undefined;
  /** End of the wait, in ms of `performance.now`. */
  deadline: number;
}

/**
 * Request coalescing between nodes that share a PostgreSQL database. The session of the working node holds an advisory
 * lock, which PostgreSQL releases when the node dies. Waiting for the lock would block the session, so it is polled.
 */
export class PostgresOnce implements Once {
  readonly #session: Session;
  readonly #bus: Bus;
  readonly #waitMs: number;
  readonly #finished: FinishedWork;
  /** Locks that this node holds or requests. PostgreSQL grants a session the same lock repeatedly. */
  readonly #taken = new Set<string>();
  readonly #stats = { waits: 0, found: 0, timeouts: 0, alone: 0 };

  constructor({ session, bus, waitMs }: PostgresOnceOptions) {
    this.#session = session;
    this.#bus = bus;
    this.#waitMs = waitMs;
    this.#finished = new FinishedWork(bus);
  }

  stats() {
    return { ...this.#stats };
  }

  async run<T>(
    key: string,
    find: () => Promise<T | undefined>,
    work: (hold: Hold) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    signal?.throwIfAborted();
    const task: Task<T> = { key, find, work, signal, deadline: performance.now() + this.#waitMs };
    // The caller has just searched for the result. Search again only when there may be a new one.
    let known = this.#finished.isIncomplete ? Number.NaN : undefined;
    for (let isFirst = true; ; isFirst = false) {
      const lock = await this.#tryLock(task);
      if (lock === 'unreachable') return this.#workAlone(task, 'alone');
      const latest = this.#finished.latest(key);
      if (latest !== known || (lock !== 'taken' && !isFirst)) {
        known = latest;
        const found = await this.#lookUp(task, lock);
        if (found !== undefined) return found;
      }
      if (lock !== 'taken') return this.#workWith(lock, task);
      if (isFirst) this.#stats.waits++;
      if (performance.now() >= task.deadline) return this.#workAlone(task, 'timeouts');
      await this.#wait(task, known);
    }
  }

  #workAlone<T>({ work }: Task<T>, reason: 'timeouts' | 'alone'): Promise<T> {
    this.#stats[reason]++;
    return work(() => undefined);
  }

  async #workWith<T>(lock: Lock, { key, work, signal }: Task<T>): Promise<T> {
    const held: Promise<unknown>[] = [];
    try {
      signal?.throwIfAborted();
      const result = await work((until) => {
        held.push(until);
      });
      void this.#finish(lock, key, held);
      return result;
    } catch (error) {
      this.#release(lock, key);
      throw error;
    }
  }

  /** Announces the result before the lock is released. */
  async #finish(lock: Lock, key: string, held: readonly Promise<unknown>[]): Promise<void> {
    await Promise.allSettled(held);
    await this.#bus.publish({ kind: 'rendered', key });
    this.#finished.announce(key);
    this.#release(lock, key);
  }

  /** Tries to take the lock. `taken` also stands for no answer in time, which ends the wait. */
  async #tryLock<T>({ key, deadline, signal }: Task<T>): Promise<Lock | 'taken' | 'unreachable'> {
    const lock = { id: lockId('once', key), epoch: this.#session.epoch };
    if (this.#taken.has(lock.id)) return 'taken';
    this.#taken.add(lock.id);
    const request = this.#session
      .query<{ won: boolean }>('select pg_try_advisory_lock($1::bigint) as won', [lock.id])
      .then(([row]) => (row?.won ? lock : 'taken'))
      .catch(() => 'unreachable' as const);
    const giveBack = (answer: Lock | 'taken' | 'unreachable') => {
      if (typeof answer === 'object') this.#release(answer, key);
      else this.#taken.delete(lock.id);
    };
    let answer: Awaited<typeof request> | typeof LATE = LATE;
    try {
      answer = await within(request, deadline - performance.now(), signal);
    } finally {
      // The lock may still be granted after the timeout.
      if (answer === LATE) void request.then(giveBack);
    }
    if (answer === LATE) return 'taken';
    if (typeof answer === 'string') giveBack(answer);
    return answer;
  }

  #release({ id, epoch }: Lock, key: string): void {
    this.#taken.delete(id);
    // A lost session holds no locks. A statement that fails ends the session too.
    if (epoch === this.#session.epoch) {
      void this.#session.query('select pg_advisory_unlock($1::bigint)', [id]).catch(() => undefined);
    }
    this.#finished.wake(key);
  }

  /** Looks up the result within the wait. A failed lookup counts as no result. */
  async #lookUp<T>({ key, find, deadline, signal }: Task<T>, lock: Lock | 'taken'): Promise<T | undefined> {
    let found: T | undefined;
    try {
      const answer = await within(
        find().catch(() => undefined),
        deadline - performance.now(),
        signal,
      );
      found = answer === LATE ? undefined : answer;
    } catch (error) {
      if (typeof lock === 'object') this.#release(lock, key);
      throw error;
    }
    if (found === undefined) return undefined;
    this.#stats.found++;
    if (typeof lock === 'object') this.#release(lock, key);
    return found;
  }

  async #wait<T>({ key, deadline, signal }: Task<T>, known: number | undefined): Promise<void> {
    if (!Object.is(this.#finished.latest(key), known)) return;
    const next = this.#finished.next(key);
    try {
      await within(next.promise, Math.min(RETRY_MS, deadline - performance.now()), signal);
    } finally {
      next.cancel();
    }
  }
}
