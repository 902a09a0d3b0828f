import { LRUCache } from 'lru-cache';
import { tooManyRequests } from '../errors.ts';

const MAX_TRIES = 3;
const WINDOW_MS = 10_000;
const MAX_CLIENTS = 10_000;

/** Counts the sign-ins of each client, whatever their result. One beyond the limit is refused before better-auth, whose start takes
 * a millisecond. */
export class SignInTries {
  readonly #now: () => number;
  readonly #windows = new LRUCache<string, { count: number; endsAt: number }>({ max: MAX_CLIENTS });

  /** @param options.now milliseconds of a clock that is never set */
  constructor({ now = () => performance.now() } = {}) {
    this.#now = now;
  }

  /** @throws HttpProblem 429 */
  count(client: string): void {
    const now = this.#now();
    const known = this.#windows.get(client);
    const window = known && known.endsAt > now ? known : { count: 0, endsAt: now + WINDOW_MS };
    if (window !== known) this.#windows.set(client, window);
    window.count++;
    if (window.count <= MAX_TRIES) return;
    const seconds = Math.ceil((window.endsAt - now) / 1000);
    const message = `Expected at most ${MAX_TRIES} sign-ins from one address in ${WINDOW_MS / 1000} s: try again in ${seconds} s.`;
    throw tooManyRequests(message, 'too_many_sign_ins', seconds);
  }
}
