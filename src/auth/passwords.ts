import { AsyncLocalStorage } from 'node:async_hooks';
import { hashPassword, verifyPassword } from 'better-auth/crypto';
import { Slots } from '../concurrency.ts';
import { HttpProblem, tooManyRequests } from '../errors.ts';

/** Hashing of passwords: slow on purpose, and on the threads that read files as well. */
export interface Passwords {
  hash(password: string): Promise<string>;
  verify(given: { hash: string; password: string }): Promise<boolean>;
}

/** No limit on how many are hashed at once: for a process that serves no requests. */
export const PLAIN_PASSWORDS: Passwords = { hash: hashPassword, verify: verifyPassword };

/** One thread of the pool, and 32 MB. */
const AT_ONCE = 1;
const MAX_WAIT_MS = 10_000;
const RETRY_SECONDS = 5;

/** Set while work runs for somebody who was let in before. better-auth passes nothing on to what hashes for it. */
const priority = new AsyncLocalStorage<true>();

/**
 * Runs work whose passwords are hashed in a queue of their own, so that anonymous clients, who can fill the other one at any time,
 * do not hold it up. For callers that have proven something: an address that signed in before, a session, or the setup token.
 */
export function withPriority<T>(work: () => Promise<T>): Promise<T> {
  return priority.run(true, work);
}

/**
 * One hash at a time, whatever it is for, and one more for work with priority. Some wait; further ones are refused.
 * @param options.maxQueued how many may wait, in each of the two queues
 * @param options.plain does the work
 * @throws HttpProblem 429 from both functions
 */
export function createPasswords(options: { maxQueued: number; plain?: Passwords }): Passwords {
  const { maxQueued, plain = PLAIN_PASSWORDS } = options;
  const createSlots = () =>
    new Slots({ size: AT_ONCE, maxQueued, maxWaitMs: MAX_WAIT_MS, purpose: 'checking passwords' });
  const open = createSlots();
  const reserved = createSlots();

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    try {
      const slots = priority.getStore() ? reserved : open;
      return await slots.use(undefined, work);
    } catch (error) {
      throw error instanceof HttpProblem
        ? tooManyRequests('Too many passwords are being checked.', 'too_many_sign_ins', RETRY_SECONDS)
        : error;
    }
  }

  return {
    hash: (password) => inTurn(() => plain.hash(password)),
    verify: (given) => inTurn(() => plain.verify(given)),
  };
}
