import { hash } from 'node:crypto';
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../bounded-cache.ts';
import { HttpProblem, tooManyRequests } from '../errors.ts';
import { withPriority } from './passwords.ts';

/** The clients from which an account was signed in to before. */
export interface KnownClients {
  has(email: string, client: string): Promise<boolean>;
  add(email: string, client: string): Promise<void>;
}

export interface SignInBackoffOptions {
  /** How many attempts in a row may fail before the next ones have to wait. */
  maxFailures: number;
  /** By default they are remembered by this process alone. */
  known?: KnownClients;
  /** Milliseconds of a clock that is never set. */
  now?: () => number;
}

/** Failed attempts in a row: of an account from anywhere, or of one known client or session. */
interface Attempts {
  failures: number;
  /** No attempt is allowed before. */
  openAt: number;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
const FORGOTTEN_MS = 3_600_000;
/** Accounts that do not exist are counted as well, so that a stranger cannot learn which ones do. */
const MAX_COUNTED = 10_000;
const MAX_REMEMBERED_CLIENTS = 1000;

/**
 * Slows guessing down for each account, from however many addresses the guesses come. A client that signed in before, and a session,
 * have a count of their own each: strangers could keep the owner out otherwise. Their passwords do not wait behind those of strangers.
 */
export class SignInBackoff {
  readonly #maxFailures: number;
  readonly #now: () => number;
  readonly #known: KnownClients;
  readonly #ofAccounts: LRUCache<string, Attempts> = boundedCache(MAX_COUNTED, FORGOTTEN_MS);
  /** Only those who have signed in get in here, so strangers cannot push anything out. */
  readonly #ofTrusted: LRUCache<string, Attempts> = boundedCache(MAX_COUNTED, FORGOTTEN_MS);

  constructor({ maxFailures, known = rememberClients(), now = () => performance.now() }: SignInBackoffOptions) {
    this.#maxFailures = maxFailures;
    this.#known = known;
    this.#now = now;
  }

  /**
   * Tries to sign in, if that may be tried now.
   * @param email whose account it is, whether or not there is one
   * @param client from where it is tried
   * @throws HttpProblem 429; whatever the try throws, of which a wrong password counts as a failure
   */
  async try<T>(email: string, client: string, signIn: () => Promise<T>): Promise<T> {
    const account = hash('sha256', email.toLowerCase(), 'base64url');
    const isKnown = await this.#known.has(email, client);
    const result = isKnown
      ? await withPriority(() => this.#attempt(this.#ofTrusted, `${account} ${client}`, signIn))
      : await this.#attempt(this.#ofAccounts, account, signIn);
    // The client is signed in. When it cannot be added, its next sign-in does so.
    await this.#known.add(email, client).catch(() => undefined);
    return result;
  }

  /**
   * Checks the password again of whoever has a session: as `try`, with a count for this session.
   * @param session its id
   */
  async tryInSession(session: string, check: () => Promise<void>): Promise<void> {
    await withPriority(() => this.#attempt(this.#ofTrusted, `session ${session}`, check));
  }

  async #attempt<T>(counts: LRUCache<string, Attempts>, name: string, work: () => Promise<T>): Promise<T> {
    this.#assertOpen(counts.get(name));
    // It is counted before its result is known, so that a thousand attempts at once count as a thousand.
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
    throw tooManyRequests(`Signing in has failed too often: try again in ${seconds} s.`, 'too_many_sign_ins', seconds);
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

function rememberClients(): KnownClients {
  const known = boundedCache<string, true>(MAX_REMEMBERED_CLIENTS);
  const nameOf = (email: string, client: string) => `${hash('sha256', email.toLowerCase(), 'base64url')} ${client}`;
  return {
    has: async (email, client) => known.has(nameOf(email, client)),
    async add(email, client) {
      known.set(nameOf(email, client), true);
    },
  };
}
