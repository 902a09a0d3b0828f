import { setTimeout as pause } from 'node:timers/promises';
import { HttpProblem, unavailable } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { driverError, isAway, RETRY_SECONDS } from './outage.ts';

export interface PresenceOptions {
  /** Looks whether the server is there and its database can be used. @throws Error that says what is wrong */
  verify(): Promise<void>;
  /** An answer of the server that is more recent than this tells a busy pool from a server that is away, in milliseconds. */
  recentMs: number;
  log: Log;
}

/** The pause between two looks at a server that is away, and at one that cannot be used, in milliseconds. */
const AWAY_PAUSE_MS = 500;
const UNUSABLE_PAUSE_MS = 5000;

/**
 * Knows whether the server is there. While it is away, every use fails at once instead of after a time-out of its own, and a look in
 * the background finds out when it is back. The database is then verified as at a start, because another one may have come back.
 */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #closing = new AbortController();
  #isAway = false;
  /** What waits for the server, in its order. */
  readonly #steps: (() => Promise<void>)[] = [];
  #isLooking = false;
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** What was said about the server last. */
  #complaint: string | undefined;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** @throws HttpProblem 503 while the server is known to be away */
  assertThere(): void {
    if (this.#isAway) throw away();
  }

  /** Notes that the server has answered. */
  answered(): void {
    this.#answeredAt = performance.now();
  }

  /** Notes that there was no connection, or no answer. Where others were answered meanwhile, too many have asked. */
  missed(error: unknown): void {
    if (isAway(error) && performance.now() - this.#answeredAt > this.#options.recentMs) this.leave(error);
  }

  /** The server is away. */
  leave(error: unknown): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#complain(error);
    void this.#look();
  }

  /**
   * Does work that needs the server: now, or, where it is away, as soon as it is there, after what already waits for it. Work that
   * loses the server begins again from its start.
   */
  async whenAvailable(step: () => Promise<void>): Promise<void> {
    if (!this.#isAway && this.#steps.length === 0) {
      try {
        return await step();
      } catch (error) {
        if (!(error instanceof HttpProblem && error.code === 'database_unavailable')) throw error;
        this.#complain(error.cause ?? error);
      }
    }
    this.#steps.push(step);
    void this.#look();
  }

  close(): void {
    this.#closing.abort();
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { signal } = this.#closing;
    let pauseMs = AWAY_PAUSE_MS;
    while ((this.#isAway || this.#steps.length > 0) && !signal.aborted) {
      await pause(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) pauseMs = await this.#join();
    }
    this.#isLooking = false;
  }

  /** @returns the pause before the next attempt */
  async #join(): Promise<number> {
    try {
      await this.#options.verify();
      this.#isAway = false;
      for (let step = this.#steps[0]; step; step = this.#steps[0]) {
        await step();
        this.#steps.shift();
      }
    } catch (error) {
      this.#complain(error);
      return isAway(driverError(error)) ? AWAY_PAUSE_MS : UNUSABLE_PAUSE_MS;
    }
    this.#complaint = undefined;
    this.#options.log.info('PostgreSQL is there: everything can be used');
    return AWAY_PAUSE_MS;
  }

  /** Says each thing once, however often it is found. */
  #complain(error: unknown): void {
    const complaint = error instanceof Error ? error.message : String(error);
    if (complaint === this.#complaint) return;
    this.#complaint = complaint;
    const isPassing = isAway(driverError(error));
    const message = 'PostgreSQL cannot be used: pictures are served, what needs the database is 503 until it can';
    this.#options.log[isPassing ? 'warn' : 'error']({ err: error }, message);
  }
}

const away = () => unavailable('The database cannot be used at the moment.', 'database_unavailable', RETRY_SECONDS);
