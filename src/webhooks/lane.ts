import { FailureLog, type Log } from '../log.ts';
import { Alarm } from '../runtime/alarm.ts';
import type { DeliveryRows } from './delivery-rows.ts';
import { waitAfter } from './schedule.ts';
import type { Message, Reply } from './send.ts';
import { type Attempt, type ClaimedDelivery, TEST_EVENT } from './webhook.ts';
import type { WebhookRows } from './webhook-rows.ts';

/** Attempts of this node, by how they ended. */
export type AttemptCounts = Record<'delivered' | 'failed' | 'given_up', number>;

export interface LaneOptions {
  webhooks: WebhookRows;
  deliveries: DeliveryRows;
  log: Log;
  send(message: Message, signal: AbortSignal): Promise<Reply>;
  /** Longer than sending takes, in milliseconds. */
  leaseMs: number;
  /** A webhook that has received nothing for so long is disabled, in milliseconds. */
  failingMs: number;
  counts: AttemptCounts;
  /** Is told that the webhook is not sent to any more. */
  onDisabled(): Promise<void>;
  /** How often it looks for what others have left, in milliseconds. */
  pollMs?: number | undefined;
  /** The wait after a failure; it doubles with each that follows, to a minute at most. */
  pauseMs?: number | undefined;
}

/** How many requests there are at a time. While they fail, there is one. */
const AT_ONCE = 4;
const MAX_PAUSE_MS = 60_000;
/** Due times are those of another clock, and nobody is to ask in circles. */
const MIN_WAIT_MS = 5;

const GONE = 410;
const GONE_REASON = 'The receiver answered 410 Gone: it wants to hear nothing any more.';
const FAILING_REASON = 'Nothing was received for days.';

/** Sends to one webhook what is due for it: slow ones keep nobody else waiting. There may be one in each of several processes. */
export class Lane {
  readonly #webhook: string;
  readonly #options: LaneOptions & { pollMs: number; pauseMs: number };
  readonly #alarm = new Alarm();
  readonly #uses: FailureLog;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #loop: Promise<void>;
  #isStopping = false;
  #pausedUntil = 0;
  #failuresInARow = 0;

  constructor(webhook: string, options: LaneOptions) {
    this.#webhook = webhook;
    const { pollMs = 10_000, pauseMs = 1000 } = options;
    this.#options = { ...options, pollMs, pauseMs };
    const about = options.log.child({ webhook });
    this.#uses = new FailureLog(about, { fails: 'deliveries cannot be read', works: 'deliveries can be read again' });
    this.#loop = this.#work();
  }

  /** There may be something to send. */
  ring(): void {
    this.#alarm.ring();
  }

  /** What is under way may end until the deadline. What is not sent stays for others and for the next start. */
  async stop(deadline: AbortSignal): Promise<void> {
    this.#isStopping = true;
    this.#alarm.ring();
    const abort = () => this.#stopping.abort(new Error('The service stops.'));
    if (deadline.aborted) abort();
    deadline.addEventListener('abort', abort, { once: true });
    await this.#loop;
    await Promise.all(this.#underWay);
    deadline.removeEventListener('abort', abort);
  }

  async #work(): Promise<void> {
    while (!this.#isStopping) {
      this.#alarm.arm();
      const waitMs = await this.#turn();
      if (!this.#isStopping) await this.#alarm.wait(Math.min(this.#options.pollMs, waitMs));
    }
  }

  /** Begins with what is due. Returns how long nothing is to be done, in milliseconds. */
  async #turn(): Promise<number> {
    const { deliveries, leaseMs, pollMs } = this.#options;
    const pause = this.#pausedUntil - performance.now();
    if (pause > 0) return pause;
    const places = (this.#failuresInARow === 0 ? AT_ONCE : 1) - this.#underWay.size;
    // The end of a request rings.
    if (places <= 0) return pollMs;
    const claimed = await this.#attempt(() => deliveries.claim(this.#webhook, places, leaseMs));
    for (const delivery of claimed ?? []) this.#begin(delivery);
    if (!claimed || claimed.length === places) return pollMs;
    const dueIn = await this.#attempt(() => deliveries.nextDueIn(this.#webhook));
    return Math.max(MIN_WAIT_MS, dueIn ?? pollMs);
  }

  #begin(delivery: ClaimedDelivery): void {
    const sending = this.#deliver(delivery).finally(() => {
      this.#underWay.delete(sending);
      this.#alarm.ring();
    });
    this.#underWay.add(sending);
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { webhooks, deliveries, send } = this.#options;
    const address = await this.#attempt(() => webhooks.address(this.#webhook));
    // What cannot be sent now is sent when its lease has run out.
    if (!address) return;
    const [at, began] = [new Date().toISOString(), performance.now()];
    let reply: Reply;
    try {
      reply = await send({ ...address, id: delivery.id, payload: delivery.payload }, this.#stopping.signal);
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error;
      await this.#attempt(() => deliveries.release(delivery));
      return;
    }
    const durationMs = Math.round(performance.now() - began);
    const attempt = { at, durationMs, responseStatus: reply.status ?? null, error: reply.error ?? null };
    if (reply.error === undefined) await this.#noteReceived(delivery, attempt);
    else await this.#noteFailed(delivery, attempt, reply);
  }

  async #noteReceived(delivery: ClaimedDelivery, attempt: Attempt): Promise<void> {
    const { webhooks, deliveries, counts } = this.#options;
    this.#failuresInARow = 0;
    counts.delivered++;
    await this.#attempt(async () => {
      await deliveries.end(delivery, attempt, 'delivered');
      await webhooks.noteReceived(this.#webhook);
    });
  }

  async #noteFailed(delivery: ClaimedDelivery, attempt: Attempt, { status, retryAfterMs = 0 }: Reply): Promise<void> {
    const { deliveries, counts, pauseMs, log } = this.#options;
    const { id, event, tries } = delivery;
    this.#failuresInARow++;
    const wanted = pauseMs * 2 ** (this.#failuresInARow - 1);
    this.#pausedUntil = performance.now() + Math.max(retryAfterMs, Math.min(MAX_PAUSE_MS, wanted));
    const isLast = status === GONE || event === TEST_EVENT;
    const retryInMs = isLast ? undefined : waitAfter(tries, retryAfterMs);
    counts[retryInMs === undefined ? 'given_up' : 'failed']++;
    log.warn(
      { webhook: this.#webhook, delivery: id, tries, reason: attempt.error },
      'a webhook has not received an event',
    );
    await this.#attempt(async () => {
      await deliveries.end(delivery, attempt, retryInMs === undefined ? 'failed' : { retryInMs });
      if (status === GONE) await this.#disable(GONE_REASON);
      else if (event !== TEST_EVENT) await this.#noteFailing(retryInMs === undefined);
    });
  }

  /** A single bad moment disables nothing: a delivery has to have failed from its first attempt to its last. */
  async #noteFailing(isGivenUp: boolean): Promise<void> {
    const failingMs = await this.#options.webhooks.noteFailed(this.#webhook);
    if (isGivenUp && failingMs >= this.#options.failingMs) await this.#disable(FAILING_REASON);
  }

  async #disable(reason: string): Promise<void> {
    const { webhooks, onDisabled, log } = this.#options;
    await webhooks.disable(this.#webhook, reason);
    log.error({ webhook: this.#webhook, reason }, 'a webhook is disabled');
    await onDisabled();
  }

  /** Without its database it waits, and the service goes on. */
  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      this.#uses.succeeded();
      return result;
    } catch (err) {
      this.#uses.failed(err);
      return undefined;
    }
  }
}
