import { FailureLog, type Log } from '../log.ts';
import type { Attempt, ClaimedMessage, Outbox } from '../outbox/outbox.ts';
import type { Guard } from '../outgoing/guarded-request.ts';
import { Consumer, type Failure } from '../queue/consumer.ts';
import { waitAfter } from './schedule.ts';
import { type Reply, sendMessage } from './send.ts';
import { TEST_EVENT, type Webhook } from './webhook.ts';
import type { WebhookRows } from './webhook-rows.ts';

export interface WebhookSenderOptions {
  webhooks: WebhookRows;
  outbox: Outbox;
  log: Log;
  guard: Guard;
  /** Limit of an attempt, in ms. */
  timeoutMs: number;
  /** Called after a webhook was disabled. */
  onDisabled(): Promise<void>;
  /** Interval of polls for deliveries of other nodes, in ms. */
  pollMs?: number | undefined;
  /** Pause after a failure, in ms; it doubles with each that follows, up to a minute. */
  pauseMs?: number | undefined;
}

type DeliveryConsumer = Consumer<ClaimedMessage>;

/** Concurrent requests to a webhook. While they fail, there is one. */
const CONCURRENCY = 4;
const MAX_PAUSE_MS = 60_000;
/** Age of failures, in ms, from which a webhook without a received delivery is disabled. */
const MAX_FAILING_MS = 3 * 86_400_000;
/** Time for which a lease outlasts an attempt, in ms. */
const LEASE_MARGIN_MS = 30_000;
/** Maximum number of attempts that are stored with a delivery. */
const MAX_LOGGED = 16;

const GONE = 410;
const GONE_REASON = 'The receiver answered 410 Gone: it wants to hear nothing any more.';
const FAILING_REASON = 'Nothing was received for days.';

/**
 * Sends deliveries, with a consumer for each enabled webhook, so that a slow or failing receiver delays no other one.
 */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  /** Attempts of this process since its start. */
  readonly attempts: Record<'delivered' | 'failed' | 'given_up', number> = { delivered: 0, failed: 0, given_up: 0 };
  readonly #consumers = new Map<string, DeliveryConsumer>();
  readonly #ending = new Set<Promise<void>>();
  #isOpen = false;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
  }

  /** Lets `follow` start consumers. */
  open(): void {
    this.#isOpen = true;
  }

  /** Starts and stops consumers; nothing before `open`. @param webhooks all webhooks */
  follow(webhooks: readonly Webhook[]): void {
    if (!this.#isOpen) return;
    const enabled = new Set(webhooks.filter((webhook) => webhook.enabled).map(({ id }) => id));
    for (const [id, consumer] of this.#consumers) {
      if (enabled.has(id)) continue;
      this.#consumers.delete(id);
      this.#stop(consumer, AbortSignal.timeout(this.#options.timeoutMs));
    }
    for (const id of enabled) if (!this.#consumers.has(id)) this.#consumers.set(id, this.#start(id));
  }

  /** Checks for deliveries now. */
  wake(): void {
    for (const consumer of this.#consumers.values()) consumer.wake();
  }

  /** Stops. Requests in progress may end until the deadline. The rest is left to other nodes and to the next start. */
  async close(deadline: AbortSignal): Promise<void> {
    this.#isOpen = false;
    for (const consumer of this.#consumers.values()) this.#stop(consumer, deadline);
    this.#consumers.clear();
    await Promise.all(this.#ending);
  }

  #start(webhook: string): DeliveryConsumer {
    const { outbox, log, timeoutMs, pollMs = 10_000, pauseMs = 1000 } = this.#options;
    const outages = new FailureLog(log.child({ webhook }), {
      fails: 'deliveries cannot be read',
      works: 'deliveries can be read again',
    });
    const consumer = new Consumer<ClaimedMessage>({
      claim: (max) => outbox.claim(webhook, { max, leaseMs: timeoutMs + LEASE_MARGIN_MS }),
      nextDueIn: () => outbox.nextDueIn(webhook),
      handle: (delivery, signal) => this.#deliver(delivery, signal, outages),
      concurrency: CONCURRENCY,
      pollMs,
      pause: { firstMs: pauseMs, maxMs: MAX_PAUSE_MS },
      outages,
    });
    consumer.start();
    return consumer;
  }

  #stop(consumer: DeliveryConsumer, deadline: AbortSignal): void {
    const ending = consumer.stop(deadline).finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  async #deliver(delivery: ClaimedMessage, signal: AbortSignal, outages: FailureLog): Promise<Failure | undefined> {
    const { webhooks, outbox, guard, timeoutMs } = this.#options;
    const { id, target, payload } = delivery;
    const address = await outages.attempt(() => webhooks.address(target));
    // The delivery is claimed again when its lease has expired.
    if (!address) return {};
    const at = new Date().toISOString();
    const startedAt = performance.now();
    let reply: Reply;
    try {
      reply = await sendMessage({ ...address, id, payload }, { guard, timeoutMs, signal });
    } catch (error) {
      if (!signal.aborted) throw error;
      await outages.attempt(() => outbox.release([delivery]));
      return undefined;
    }
    const durationMs = Math.round(performance.now() - startedAt);
    const attempt = { at, durationMs, responseStatus: reply.status ?? null, error: reply.error ?? null };
    if (reply.error === undefined) {
      this.attempts.delivered++;
      await outages.attempt(() => this.#recordSuccess(delivery, attempt));
      return undefined;
    }
    await this.#recordFailure(delivery, attempt, reply, outages);
    return { retryAfterMs: reply.retryAfterMs };
  }

  async #recordSuccess(delivery: ClaimedMessage, attempt: Attempt): Promise<void> {
    const { webhooks, outbox } = this.#options;
    await outbox.end([delivery], extendLog(delivery, attempt), 'delivered');
    await webhooks.noteReceived(delivery.target);
  }

  async #recordFailure(
    delivery: ClaimedMessage,
    attempt: Attempt,
    { status, retryAfterMs }: Reply,
    outages: FailureLog,
  ): Promise<void> {
    const { outbox, log } = this.#options;
    const { id, target, event, tries } = delivery;
    const isTest = event === TEST_EVENT;
    const retryInMs = status === GONE || isTest ? undefined : waitAfter(tries, retryAfterMs);
    const isAbandoned = retryInMs === undefined;
    this.attempts[isAbandoned ? 'given_up' : 'failed']++;
    log.warn({ webhook: target, delivery: id, tries, reason: attempt.error }, 'a webhook has not received an event');
    await outages.attempt(async () => {
      await outbox.end([delivery], extendLog(delivery, attempt), isAbandoned ? 'failed' : { retryInMs });
      if (status === GONE) await this.#disable(target, GONE_REASON);
      else if (!isTest) await this.#noteFailing(target, isAbandoned);
    });
  }

  /** A short outage disables no webhook: a delivery has to have failed from its first attempt to its last. */
  async #noteFailing(webhook: string, isAbandoned: boolean): Promise<void> {
    const failingMs = await this.#options.webhooks.noteFailed(webhook);
    if (isAbandoned && failingMs >= MAX_FAILING_MS) await this.#disable(webhook, FAILING_REASON);
  }

  async #disable(webhook: string, reason: string): Promise<void> {
    const { webhooks, onDisabled, log } = this.#options;
    await webhooks.disable(webhook, reason);
    log.error({ webhook, reason }, 'a webhook is disabled');
    await onDisabled();
  }
}

const extendLog = ({ attempts }: ClaimedMessage, attempt: Attempt) => [...attempts, attempt].slice(-MAX_LOGGED);
