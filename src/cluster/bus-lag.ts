import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { LATE, within } from '../concurrency.ts';
import { CHANNEL, type Session } from './session.ts';

export interface BusLagOptions {
  session: Pick<Session, 'on' | 'off' | 'epoch'>;
  /** Sends the probes. A session receives its own message before the answer, at any delay of the bus. */
  pool: Pick<Pool, 'connect'>;
  /** Interval of the probes, in ms. */
  intervalMs: number;
  /** Timeout of a probe, in ms. */
  answerMs: number;
  /** A monotonic clock, in ms. */
  now?: () => number;
}

interface Probe {
  text: string;
  sentAt: number;
  /** Epoch of the session that should receive it. A lost session never receives earlier messages. */
  epoch: number;
}

/**
 * Measures the delay of messages on the bus. A probe is a notification to this node itself, so that one clock measures
 * it. One probe is in flight at a time, and the lag grows until it arrives.
 */
export class BusLag {
  readonly #options: Required<BusLagOptions>;
  readonly #timer: NodeJS.Timeout;
  #probe: Probe | undefined;
  #lagMs = 0;
  /** Send time of the first probe that has not arrived; undefined when the last one has. */
  #pendingSince: number | undefined;
  #isSending = false;

  constructor(options: BusLagOptions) {
    this.#options = { now: () => performance.now(), ...options };
    options.session.on('notification', this.#receive);
    this.#timer = setInterval(() => void this.send(), options.intervalMs).unref();
  }

  /** Delay of the last probe, or the age of a pending one if that is greater, in ms. 0 before the first probe. */
  get lagMs(): number {
    const { now } = this.#options;
    return this.#pendingSince === undefined ? this.#lagMs : Math.max(this.#lagMs, now() - this.#pendingSince);
  }

  /** Stops probing. Does not wait for a probe that is being sent. */
  close(): void {
    clearInterval(this.#timer);
    this.#options.session.off('notification', this.#receive);
  }

  /** Sends a probe, unless one is in flight. Never rejects. */
  async send(): Promise<void> {
    // PostgreSQL delivers every accepted notification, unless the session is lost.
    if (this.#isSending || this.#probe?.epoch === this.#options.session.epoch) return;
    this.#isSending = true;
    await this.#send();
    this.#isSending = false;
  }

  async #send(): Promise<void> {
    const { session, pool, answerMs, now } = this.#options;
    const begunAt = now();
    let isSent = false;
    try {
      const client = await pool.connect();
      try {
        // No JSON, so other nodes ignore it.
        const text = `lag ${randomUUID()}`;
        // Exclude the wait for a connection.
        const sentAt = now();
        this.#probe = { text, sentAt, epoch: session.epoch };
        this.#pendingSince ??= sentAt;
        const sent = client.query('select pg_notify($1, $2)', [CHANNEL, text]);
        isSent = (await within(sent, answerMs)) !== LATE;
      } finally {
        client.release(!isSent);
      }
    } catch {
      this.#pendingSince ??= begunAt;
    }
    if (!isSent) this.#probe = undefined;
  }

  readonly #receive = (text: string): void => {
    if (text !== this.#probe?.text) return;
    this.#lagMs = this.#options.now() - this.#probe.sentAt;
    this.#pendingSince = undefined;
    this.#probe = undefined;
  };
}
