import { AsyncLocalStorage } from 'node:async_hooks';
import { hashPassword, verifyPassword } from 'better-auth/crypto';
import { Slots } from '../concurrency.ts';
import { HttpProblem, tooManyRequests } from '../errors.ts';

/** Hashing of passwords: slow by design, on the threads that also read files. */
export interface Passwords {
  hash(password: string): Promise<string>;
  verify(options: { hash: string; password: string }): Promise<boolean>;
}

/** Unlimited concurrency, for processes that serve no requests. */
export const PLAIN_PASSWORDS: Passwords = { hash: hashPassword, verify: verifyPassword };

/** One hash at a time: it takes a thread of the pool and 32 MB. */
const CONCURRENCY = 1;
const MAX_WAIT_MS = 10_000;
const RETRY_SECONDS = 5;

/** Set while work runs with priority. better-auth passes no context to its hash functions. */
const priority = new AsyncLocalStorage<true>();

/**
 * Runs work whose passwords are hashed in a separate queue, because anonymous clients can fill the common one at any
 * time. For callers with some proof: an address that signed in before, a session, or the setup token.
 */
export function withPriority<T>(work: () => Promise<T>): Promise<T> {
  return priority.run(true, work);
}

/**
 * Limits hashing to one password at a time, and one more with priority.
 * @param options.maxQueued capacity of each of the two queues
 * @param options.plain unlimited implementation
 * @throws HttpProblem 429 from both functions
 */
export function createPasswords(options: { maxQueued: number; plain?: Passwords }): Passwords {
  const { maxQueued, plain = PLAIN_PASSWORDS } = options;
  const createSlots = () =>
    new Slots({ size: CONCURRENCY, maxQueued, maxWaitMs: MAX_WAIT_MS, purpose: 'checking passwords' });
  const open = createSlots();
  const reserved = createSlots();

  async function limited<T>(work: () => Promise<T>): Promise<T> {
    try {
      const slots = priority.getStore() ? reserved : open;
      return await slots.use(undefined, work);
    } catch (error) {
      throw error instanceof HttpProblem
        ? tooManyRequests(
            `Too many passwords are being checked. Retry in ${RETRY_SECONDS} s.`,
            'too_many_sign_ins',
            RETRY_SECONDS,
          )
        : error;
    }
  }

  return {
    hash: (password) => limited(() => plain.hash(password)),
    verify: (options) => limited(() => plain.verify(options)),
  };
}
