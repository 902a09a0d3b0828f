import type { Bus } from '../cluster/cluster.ts';
import { FailureLog, type Log } from '../log.ts';
import { DeliveryFailure } from '../outbox/failure.ts';
import { type Attempt, CDN, type ClaimedMessage, type Message, type Outbox } from '../outbox/outbox.ts';
import { backoff } from '../queue/backoff.ts';
import { Consumer, type Failure } from '../queue/consumer.ts';

export interface PurgeSenderOptions {
  outbox: Outbox;
  /**
   * Sends purges in one request. @throws DeliveryFailure with a message for the operator; any other error is one of the
   * service
   */
  send(purges: readonly Message[], signal: AbortSignal): Promise<void>;
  bus: Bus;
  log: Log;
  /** Purges per request. */
  batchSize: number;
  /** Maximum number of pending purges. */
  maxWaiting: number;
  /** Maximum time that a purge waits for others to join its request, in ms; it waits at least half of it. */
  delayMs: number;
  /** Retries before a purge is dead-lettered. */
  retryMax: number;
  /** Delay of the first retry, in ms; it doubles with each, up to an hour. */
  retryDelayMs: number;
  /** Longer than a request takes, in ms. */
  leaseMs?: number;
  /** Interval of polls for purges of other nodes, in ms. */
  pollMs?: number;
}

/** Maximum delay of a purge, in ms. */
export const MAX_PURGE_DELAY_MS = 3_600_000;
/** Maximum interval between attempts while the CDN fails, in ms; they are not made for each change. */
const MAX_PAUSE_MS = 60_000;
/** Nodes that failed together do not return together. */
const JITTER = 0.5;
const TIDY_INTERVAL_MS = 600_000;
/** Dead letters are stored for a week, up to this number. */
const STORED_FAILURES = { ageMs: 7 * 86_400_000, max: 1000 };

/** Sends purges to the CDN in batches. There may be one such sender in each of several processes. */
export class PurgeSender {
  readonly #options: Required<PurgeSenderOptions>;
  /** Requests of this process since its start, by result. */
  readonly attempts = { received: 0, failed: 0 };
  readonly #consumer: Consumer<ClaimedMessage[]>;
  readonly #outages: FailureLog;
  /** The database may be unavailable when the service starts. */
  #isRevived = false;
  #isFailing = false;
  #unsubscribe: (() => void) | undefined;
  #tidyTimer: NodeJS.Timeout | undefined;

  constructor(options: PurgeSenderOptions) {
    this.#options = { leaseMs: 30_000, pollMs: 10_000, ...options };
    const { outbox, log, retryDelayMs } = options;
    this.#outages = new FailureLog(log.child({ target: CDN }), {
      fails: 'the outbox is unavailable',
      works: 'the outbox is available again',
    });
    this.#consumer = new Consumer({
      claim: () => this.#claim(),
      nextDueIn: () => outbox.nextDueIn(CDN),
      handle: (batch, signal) => this.#send(batch, signal),
      concurrency: 1,
      pollMs: this.#options.pollMs,
      pause: { firstMs: retryDelayMs, maxMs: MAX_PAUSE_MS, jitter: JITTER },
      outages: this.#outages,
    });
  }

  /** Starts sending, first the purges that failed before: the settings may have been wrong. */
  start(): void {
    this.#unsubscribe = this.#options.bus.subscribe((message) => {
      if (message.kind === 'outbox' && message.target === CDN) this.#consumer.wakeIn(this.#options.delayMs);
    });
    this.#tidyTimer = setInterval(() => void this.#tidy(), TIDY_INTERVAL_MS);
    this.#consumer.start();
  }

  /**
   * Stops. The request in progress may end until the deadline. The rest is left to other nodes and to the next start.
   */
  async stop(deadline: AbortSignal): Promise<void> {
    await this.#consumer.stop(deadline);
    clearInterval(this.#tidyTimer);
    this.#unsubscribe?.();
  }

  /** Adds purges. They are durable when this resolves; returns false, and adds none, if there are too many. */
  async add(payloads: readonly string[]): Promise<boolean> {
    const { outbox, delayMs, maxWaiting } = this.#options;
    const isAdded = await outbox.addWithin(maxWaiting, CDN, payloads, delayMs);
    if (isAdded) this.#announce();
    return isAdded;
  }

  /** Adds a purge that replaces all pending ones. */
  async replace(payload: string): Promise<void> {
    const { outbox, delayMs } = this.#options;
    await outbox.replace(CDN, payload, delayMs);
    this.#announce();
  }

  #announce(): void {
    this.#consumer.wakeIn(this.#options.delayMs);
    void this.#options.bus.publish({ kind: 'outbox', target: CDN });
  }

  async #claim(): Promise<ClaimedMessage[][]> {
    const { outbox, batchSize, leaseMs, delayMs } = this.#options;
    if (!this.#isRevived) {
      await outbox.removeEnded(CDN, STORED_FAILURES);
      await outbox.revive(CDN);
      this.#isRevived = true;
    }
    const batch = await outbox.claim(CDN, { max: batchSize, leaseMs, aheadMs: delayMs / 2 });
    return batch.length === 0 ? [] : [batch];
  }

  async #send(batch: ClaimedMessage[], signal: AbortSignal): Promise<Failure | undefined> {
    const { outbox, send, log } = this.#options;
    const startedAt = Date.now();
    try {
      await send(batch, signal);
    } catch (error) {
      if (!signal.aborted) return this.#fail(batch, error, startedAt);
      await this.#outages.attempt(() => outbox.release(batch));
      return undefined;
    }
    if (this.#isFailing) log.info({ target: CDN }, 'messages are delivered again');
    this.#isFailing = false;
    this.attempts.received++;
    // A purge that cannot be removed is sent again when its lease has expired.
    await this.#outages.attempt(() => outbox.remove(batch));
    return undefined;
  }

  async #fail(batch: ClaimedMessage[], error: unknown, startedAt: number): Promise<Failure> {
    const { outbox, log, retryMax, retryDelayMs } = this.#options;
    const isKnown = error instanceof DeliveryFailure;
    const reason = isKnown ? error.message : 'an error of the service';
    const retryAfterMs = isKnown ? error.retryAfterMs : undefined;
    this.attempts.failed++;
    this.#isFailing = true;
    const attempts = Math.max(...batch.map(({ tries }) => tries));
    const delayMs = backoff(attempts, { firstMs: retryDelayMs, maxMs: MAX_PURGE_DELAY_MS, jitter: JITTER });
    const retryInMs = Math.max(retryAfterMs ?? 0, delayMs);
    const about = { target: CDN, entries: batch.length, attempts, reason, ...(!isKnown && { err: error }) };
    log.warn({ ...about, retryInMs: Math.round(retryInMs) }, 'messages were not delivered');
    // One log for the whole batch, so that one statement stores it.
    const attempt: Attempt = {
      at: new Date(startedAt).toISOString(),
      responseStatus: null,
      durationMs: Math.max(0, Date.now() - startedAt),
      error: reason,
    };
    await this.#outages.attempt(async () => {
      const isLast = ({ tries }: ClaimedMessage) => tries > retryMax;
      const rest = batch.filter((purge) => !isLast(purge));
      await outbox.end(rest, [attempt], { retryInMs });
      const entries = await outbox.end(batch.filter(isLast), [attempt], 'failed');
      if (entries > 0) log.error({ target: CDN, entries, attempts, reason }, 'messages are abandoned');
    });
    return { retryAfterMs };
  }

  async #tidy(): Promise<void> {
    await this.#outages.attempt(() => this.#options.outbox.removeEnded(CDN, STORED_FAILURES));
  }
}
