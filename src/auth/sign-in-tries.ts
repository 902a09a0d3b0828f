import { boundedCache } from '../bounded-cache.ts';
import { tooManyRequests } from '../errors.ts';

const MAX_TRIES = 3;
export const SIGN_IN_WINDOW_MS = 10_000;
const MAX_CLIENTS = 10_000;

export interface SignInTriesOptions {
  /** Monotonic clock, in ms. */
  now?: () => number;
  /** Shared counter of several nodes, in windows of `SIGN_IN_WINDOW_MS`. */
  shared?:
    | { add(counted: { client: string; count: number }[]): Promise<{ count: number; leftMs: number }[]> }
    | undefined;
}

/**
 * Limits sign-ins of each client, with any result. Refusals come before better-auth, which takes a millisecond to load.
 */
export class SignInTries {
  readonly #now: () => number;
  readonly #shared: SignInTriesOptions['shared'];
  readonly #windows = boundedCache<string, { count: number; endsAt: number }>(MAX_CLIENTS);

  constructor({ now = () => performance.now(), shared }: SignInTriesOptions = {}) {
    this.#now = now;
    this.#shared = shared;
  }

  /**
   * @param counted what is counted, for the message
   * @throws HttpProblem 429; 503 when the shared counter is unavailable, as then is sign-in
   */
  async count(client: string, counted = 'sign-ins from one address'): Promise<void> {
    const now = this.#now();
    const known = this.#windows.get(client);
    const window = known && known.endsAt > now ? known : { count: 0, endsAt: now + SIGN_IN_WINDOW_MS };
    if (window !== known) this.#windows.set(client, window);
    window.count++;
    assertWithin(window.count, window.endsAt - now, counted);
    // Refused by this node alone first, which costs no shared write.
    const [total] = (await this.#shared?.add([{ client: `sign-in ${client}`, count: 1 }])) ?? [];
    if (total) assertWithin(total.count, total.leftMs, counted);
  }
}

function assertWithin(count: number, leftMs: number, counted: string): void {
  if (count <= MAX_TRIES) return;
  const seconds = Math.max(1, Math.ceil(leftMs / 1000));
  const message = `Expected at most ${MAX_TRIES} ${counted} in ${SIGN_IN_WINDOW_MS / 1000} s. Retry in ${seconds} s.`;
  throw tooManyRequests(message, 'too_many_sign_ins', seconds);
}
