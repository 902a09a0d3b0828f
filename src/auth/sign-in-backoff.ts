import { hash } from 'node:crypto';
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../bounded-cache.ts';
import { HttpProblem, tooManyRequests } from '../errors.ts';
import { withPriority } from './passwords.ts';

/** Clients that have signed in to an account before. */
export interface KnownClients {
  has(email: string, client: string): Promise<boolean>;
  add(email: string, client: string): Promise<void>;
}

export interface SignInBackoffOptions {
  /** Consecutive failures before further attempts are delayed. */
  maxFailures: number;
  known: KnownClients;
  /** Monotonic clock, in ms. */
  now?: () => number;
}

/** Consecutive failures of an account, or of one known client or session. */
interface Attempts {
  failures: number;
  /** Earliest time of the next attempt. */
  openAt: number;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
const RETENTION_MS = 3_600_000;
/** Missing accounts are counted as well, so that the delay does not reveal which ones exist. */
const MAX_COUNTED = 10_000;

/**
 * Delays guesses of a password for each account, from any number of addresses. A client that signed in before, and a
 * session, have separate counts and priority: otherwise anonymous clients could lock the owner out.
 */
export class SignInBackoff {
  readonly #maxFailures: number;
  readonly #now: () => number;
  readonly #known: KnownClients;
  readonly #ofAccounts: LRUCache<string, Attempts> = boundedCache(MAX_COUNTED, RETENTION_MS);
  /** Only clients with a successful sign-in are counted here, so that anonymous clients cannot evict anything. */
  readonly #ofTrusted: LRUCache<string, Attempts> = boundedCache(MAX_COUNTED, RETENTION_MS);

  constructor({ maxFailures, known, now = () => performance.now() }: SignInBackoffOptions) {
    this.#maxFailures = maxFailures;
    this.#known = known;
    this.#now = now;
  }

  /**
   * Signs in, unless an attempt is too early.
   * @param email address of an account that may not exist
   * @param client address of the client
   * @param isComplete false for a result that needs a second factor: `complete` is called after it
   * @throws HttpProblem 429; any error of `signIn`, of which a wrong password counts as a failure
   */
  async try<T>(
    email: string,
    client: string,
    signIn: () => Promise<T>,
    isComplete: (result: T) => boolean = () => true,
  ): Promise<T> {
    const account = hash('sha256', email.toLowerCase(), 'base64url');
    const isKnown = await this.#known.has(email, client);
    const result = isKnown
      ? await withPriority(() => this.#attempt(this.#ofTrusted, `${account} ${client}`, signIn))
      : await this.#attempt(this.#ofAccounts, account, signIn);
    if (isComplete(result)) await this.complete(email, client);
    return result;
  }

  /** Adds the client of a completed sign-in to the known ones. One that cannot be added now is added by its next sign-in. */
  async complete(email: string, client: string): Promise<void> {
    await this.#known.add(email, client).catch(() => undefined);
  }

  /**
   * Checks the password of a session: as `try`, with a count for this session.
   * @param session id of the session
   */
  tryInSession<T>(session: string, check: () => Promise<T>): Promise<T> {
    return withPriority(() => this.#attempt(this.#ofTrusted, `session ${session}`, check));
  }

  async #attempt<T>(counts: LRUCache<string, Attempts>, name: string, work: () => Promise<T>): Promise<T> {
    this.#assertOpen(counts.get(name));
    // Count before the result is known, so that a thousand concurrent attempts count as a thousand.
    const counted = this.#count(counts, name);
    try {
      const result = await work();
      counts.delete(name);
      return result;
    } catch (error) {
      const isFailure = error instanceof HttpProblem && (error.status === 401 || error.code === 'wrong_password');
      if (!isFailure) counted.failures--;
      counted.openAt = this.#openAt(counted.failures);
      throw error;
    }
  }

  #assertOpen(counted: Attempts | undefined): void {
    const waitMs = (counted?.openAt ?? 0) - this.#now();
    if (waitMs <= 0) return;
    const seconds = Math.ceil(waitMs / 1000);
    throw tooManyRequests(`Too many failed sign-ins. Retry in ${seconds} s.`, 'too_many_sign_ins', seconds);
  }

  #count(counts: LRUCache<string, Attempts>, name: string): Attempts {
    const counted = counts.get(name) ?? { failures: 0, openAt: 0 };
    counted.failures++;
    counted.openAt = this.#openAt(counted.failures);
    counts.set(name, counted);
    return counted;
  }

  #openAt(failures: number): number {
    const over = failures - this.#maxFailures;
    return over < 0 ? 0 : this.#now() + Math.min(FIRST_WAIT_MS * 2 ** over, LONGEST_WAIT_MS);
  }
}
