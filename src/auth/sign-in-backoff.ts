import { hash } from 'node:crypto';
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../bounded-cache.ts';
import { HttpProblem, tooManyRequests } from '../errors.ts';

export interface SignInBackoffOptions {
  /** How many attempts in a row may fail before the next ones have to wait. */
  maxFailures: number;
  /** Milliseconds of a clock that is never set. */
  now?: () => number;
}

interface Account {
  failures: number;
  /** No attempt is allowed before. */
  openAt: number;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
const FORGOTTEN_MS = 3_600_000;
/** Accounts that do not exist are counted as well, so that a stranger cannot learn which ones do. */
const MAX_ACCOUNTS = 10_000;
const MAX_KNOWN_CLIENTS = 1000;

/**
 * Slows guessing down for each account, from however many addresses the guesses come. A client that has signed in before is not
 * held back, because a stranger could keep the owner out otherwise.
 */
export class SignInBackoff {
  readonly #maxFailures: number;
  readonly #now: () => number;
  readonly #accounts: LRUCache<string, Account>;
  readonly #knownClients = boundedCache<string, true>(MAX_KNOWN_CLIENTS);

  constructor({ maxFailures, now = () => performance.now() }: SignInBackoffOptions) {
    this.#maxFailures = maxFailures;
    this.#now = now;
    this.#accounts = boundedCache(MAX_ACCOUNTS, FORGOTTEN_MS);
  }

  /**
   * Tries to sign in, if that may be tried now.
   * @param email whose account it is, whether or not there is one
   * @param client from where it is tried
   * @throws HttpProblem 429; whatever the try throws, of which a wrong password counts as a failure
   */
  async try<T>(email: string, client: string, signIn: () => Promise<T>): Promise<T> {
    const account = hash('sha256', email.toLowerCase(), 'base64url');
    const known = `${account} ${client}`;
    if (!this.#knownClients.has(known)) this.#assertOpen(account);
    // It is counted before its result is known, so that a thousand attempts at once count as a thousand.
    const counted = this.#count(account);
    try {
      const result = await signIn();
      this.#accounts.delete(account);
      this.#knownClients.set(known, true);
      return result;
    } catch (error) {
      const isFailure = error instanceof HttpProblem && (error.status === 401 || error.code === 'wrong_password');
      if (!isFailure) counted.failures--;
      counted.openAt = this.#openAt(counted.failures);
      throw error;
    }
  }

  #assertOpen(account: string): void {
    const waitMs = (this.#accounts.get(account)?.openAt ?? 0) - this.#now();
    if (waitMs <= 0) return;
    const seconds = Math.ceil(waitMs / 1000);
    throw tooManyRequests(`Signing in has failed too often: try again in ${seconds} s.`, 'too_many_sign_ins', seconds);
  }

  #count(account: string): Account {
    const counted = this.#accounts.get(account) ?? { failures: 0, openAt: 0 };
    counted.failures++;
    counted.openAt = this.#openAt(counted.failures);
    this.#accounts.set(account, counted);
    return counted;
  }

  #openAt(failures: number): number {
    const over = failures - this.#maxFailures;
    return over < 0 ? 0 : this.#now() + Math.min(FIRST_WAIT_MS * 2 ** over, LONGEST_WAIT_MS);
  }
}
