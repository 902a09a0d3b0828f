import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { LATE, within } from '../concurrency.ts';
import { CHANNEL, type Session } from './session.ts';

export interface BusLagOptions {
  session: Pick<Session, 'on' | 'off' | 'epoch'>;
  /** Sends the probes: a message of the session to itself would arrive before its own answer, whatever the bus does. */
  pool: Pick<Pool, 'connect'>;
  /** The time between two probes, in ms. */
  intervalMs: number;
  /** PostgreSQL counts as lost when it does not answer a probe within this time, in ms. */
  answerMs: number;
  /** A monotonic clock, in ms. */
  now?: () => number;
}

interface Probe {
  text: string;
  sentAt: number;
  /** Of the session that should hear it. A session that is lost does not hear what was sent before it is back. */
  epoch: number;
}

/**
 * Measures how late messages of the bus arrive. A probe is a notification to this node itself, so that one clock measures it.
 * One probe is on its way at a time: while it is not heard, the lag grows.
 */
export class BusLag {
  readonly #options: Required<BusLagOptions>;
  readonly #timer: NodeJS.Timeout;
  #probe: Probe | undefined;
  #lagMs = 0;
  /** Start of the first probe that has not been heard; undefined when the last one has. */
  #unheardSince: number | undefined;
  #isSending = false;

  constructor(options: BusLagOptions) {
    this.#options = { now: () => performance.now(), ...options };
    options.session.on('notification', this.#hear);
    this.#timer = setInterval(() => void this.send(), options.intervalMs).unref();
  }

  /** The delay of the last probe that was heard, or the age of the one that was not, in ms. 0 before the first one. */
  get lagMs(): number {
    const { now } = this.#options;
    return this.#unheardSince === undefined ? this.#lagMs : Math.max(this.#lagMs, now() - this.#unheardSince);
  }

  /** Sends no more probes. One that is being sent is not waited for. */
  close(): void {
    clearInterval(this.#timer);
    this.#options.session.off('notification', this.#hear);
  }

  /** Sends a probe, unless one is on its way. It never fails. */
  async send(): Promise<void> {
    // PostgreSQL delivers what it has taken, unless the session was lost meanwhile.
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
        // Other nodes cannot read it and ignore it.
        const text = `lag ${randomUUID()}`;
        // The wait for a connection before is not that of a message.
        const sentAt = now();
        this.#probe = { text, sentAt, epoch: session.epoch };
        this.#unheardSince ??= sentAt;
        const sent = client.query('select pg_notify($1, $2)', [CHANNEL, text]);
        isSent = (await within(sent, answerMs)) !== LATE;
      } finally {
        client.release(!isSent);
      }
    } catch {
      this.#unheardSince ??= begunAt;
    }
    if (!isSent) this.#probe = undefined;
  }

  readonly #hear = (text: string): void => {
    if (text !== this.#probe?.text) return;
    this.#lagMs = this.#options.now() - this.#probe.sentAt;
    this.#unheardSince = undefined;
    this.#probe = undefined;
  };
}
