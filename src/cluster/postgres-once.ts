import { LATE, within } from '../concurrency.ts';
import type { Bus, Hold, Once } from './cluster.ts';
import { lockId } from './lock-id.ts';
import { News } from './news.ts';
import type { Session } from './session.ts';

export interface PostgresOnceOptions {
  session: Session;
  bus: Bus;
  /** How long a node waits for another one before it works as well, in milliseconds. */
  waitMs: number;
}

/** How often a node looks whether the one that works has ended without a word, in milliseconds. */
const RETRY_MS = 250;

interface Lock {
  id: string;
  /** Of the session that has taken it. */
  epoch: number;
}

interface Task<T> {
  key: string;
  find: () => Promise<T | undefined>;
  work: (hold: Hold) => Promise<T>;
  signal: AbortSignal | undefined;
  /** When the wait ends, by the clock of `performance.now`. */
  deadline: number;
}

/**
 * Work that is done once by nodes that share a PostgreSQL. The session of the node that works holds an advisory lock, which PostgreSQL
 * takes back when the node dies. Waiting for the lock itself would block the session, so it is only tried.
 */
export class PostgresOnce implements Once {
  readonly #session: Session;
  readonly #bus: Bus;
  readonly #waitMs: number;
  readonly #news: News;
  /** The locks that this node has or tries to get: PostgreSQL gives one session the same lock again and again. */
  readonly #taken = new Set<string>();
  readonly #stats = { waits: 0, found: 0, timeouts: 0, alone: 0 };

  constructor({ session, bus, waitMs }: PostgresOnceOptions) {
    this.#session = session;
    this.#bus = bus;
    this.#waitMs = waitMs;
    this.#news = new News(bus);
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
    // Who asks has just looked for the result. Another look is only worth its price when there may be something new.
    let known = this.#news.isIncomplete ? Number.NaN : undefined;
    for (let isFirst = true; ; isFirst = false) {
      const lock = await this.#tryLock(task);
      if (lock === 'unreachable') return this.#workAlone(task, 'alone');
      const news = this.#news.of(key);
      if (news !== known || (lock !== 'taken' && !isFirst)) {
        known = news;
        const found = await this.#look(task, lock);
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
      const result = await work((until) => void held.push(until));
      void this.#finish(lock, key, held);
      return result;
    } catch (error) {
      this.#release(lock, key);
      throw error;
    }
  }

  /** Others hear of the result before they get the lock. */
  async #finish(lock: Lock, key: string, held: readonly Promise<unknown>[]): Promise<void> {
    await Promise.allSettled(held);
    await this.#bus.publish({ kind: 'rendered', key });
    this.#news.tell(key);
    this.#release(lock, key);
  }

  /** `taken` also means that there was no answer in time, so that the wait ends. */
  async #tryLock<T>({ key, deadline, signal }: Task<T>): Promise<Lock | 'taken' | 'unreachable'> {
    const lock = { id: lockId('once', key), epoch: this.#session.epoch };
    if (this.#taken.has(lock.id)) return 'taken';
    this.#taken.add(lock.id);
    const asked = this.#session
      .query<{ won: boolean }>('select pg_try_advisory_lock($1::bigint) as won', [lock.id])
      .then(([row]) => (row?.won ? lock : 'taken'))
      .catch(() => 'unreachable' as const);
    const giveBack = (answer: Lock | 'taken' | 'unreachable') => {
      if (typeof answer === 'object') this.#release(answer, key);
      else this.#taken.delete(lock.id);
    };
    let answer: Awaited<typeof asked> | typeof LATE = LATE;
    try {
      answer = await within(asked, deadline - performance.now(), signal);
    } finally {
      // Nobody waits for it any more, but it may still be won.
      if (answer === LATE) void asked.then(giveBack);
    }
    if (answer === LATE) return 'taken';
    if (typeof answer === 'string') giveBack(answer);
    return answer;
  }

  #release({ id, epoch }: Lock, key: string): void {
    this.#taken.delete(id);
    // The locks of a lost session are gone. A statement that fails is the end of the session, too.
    if (epoch === this.#session.epoch) {
      void this.#session.query('select pg_advisory_unlock($1::bigint)', [id]).catch(() => undefined);
    }
    this.#news.wake(key);
  }

  /** What can be found before the wait is over. A place where nothing can be looked up has nothing. */
  async #look<T>({ key, find, deadline, signal }: Task<T>, lock: Lock | 'taken'): Promise<T | undefined> {
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
    if (!Object.is(this.#news.of(key), known)) return;
    const news = this.#news.next(key);
    try {
      await within(news.promise, Math.min(RETRY_MS, deadline - performance.now()), signal);
    } finally {
      news.forget();
    }
  }
}
