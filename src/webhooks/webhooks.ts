import type { Kysely } from 'kysely';
import type { Bus } from '../cluster/cluster.ts';
import type { Schema } from '../db/schema.ts';
import { conflict, notFound } from '../errors.ts';
import type { Log } from '../log.ts';
import { type MessagePage, Outbox } from '../outbox/outbox.ts';
import {
  assertReachable,
  type Guard,
  logUnreachable,
  parseOutgoingUrl,
  unreachable,
} from '../outgoing/guarded-request.ts';
import { quote } from '../path.ts';
import { MAX_DELIVERY_DELAY_MS } from './schedule.ts';
import { Subscribers } from './subscribers.ts';
import { type Delivery, TEST_EVENT, type Webhook, type WebhookFields, type WebhookPatch } from './webhook.ts';
import { WebhookRows } from './webhook-rows.ts';
import { WebhookSender, type WebhookSenderOptions } from './webhook-sender.ts';

export interface WebhookSettings {
  /** Timeout of an attempt, in ms. */
  timeoutMs: number;
  /** A webhook with more pending deliveries is disabled. */
  maxWaiting: number;
  /** Retention of deliveries, in ms. */
  keepMs: number;
}

export interface WebhooksOptions extends Pick<WebhookSenderOptions, 'pollMs' | 'pauseMs'> {
  db: Kysely<Schema>;
  bus: Bus;
  log: Log;
  guard: Guard;
  settings: WebhookSettings;
  /** Unix ms, instead of the clock of the database. */
  now?: (() => number) | undefined;
}

/** A webhook, and the number of its pending deliveries. */
export type WebhookState = Webhook & { waiting: number };

const MAX_WEBHOOKS = 20;
const MAX_URL_LENGTH = 2048;
/** Maximum number of ended deliveries that are stored per webhook. */
const MAX_LOGGED = 10_000;
const TIDY_INTERVAL_MS = 300_000;
/** Number of new deliveries after which the limit of pending ones is checked. */
const NOTIFIED_PER_CHECK = 1000;

/** Delivers events of files and jobs to subscribed webhooks. */
export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #webhooks: WebhookRows;
  readonly #outbox: Outbox;
  readonly #subscribers: Subscribers;
  readonly #sender: WebhookSender;
  #tidying: NodeJS.Timeout | undefined;
  #unchecked = 0;

  constructor(options: WebhooksOptions) {
    const { db, bus, log, guard, settings, now, pollMs, pauseMs } = options;
    this.#options = options;
    this.#webhooks = new WebhookRows(db, now);
    this.#outbox = new Outbox(db, { maxWaitMs: MAX_DELIVERY_DELAY_MS, now });
    this.#subscribers = new Subscribers({
      webhooks: this.#webhooks,
      outbox: this.#outbox,
      bus,
      log,
      onKnown: (webhooks) => this.#sender.follow(webhooks),
      onNotified: (count) => this.#noteNotified(count),
    });
    this.#sender = new WebhookSender({
      webhooks: this.#webhooks,
      outbox: this.#outbox,
      log,
      guard,
      timeoutMs: settings.timeoutMs,
      onDisabled: () => this.#subscribers.changed(),
      pollMs,
      pauseMs,
    });
  }

  /** Attempts of this node since its start. */
  get attempts(): WebhookSender['attempts'] {
    return this.#sender.attempts;
  }

  /** Starts sending. Events before the start are recorded all the same. */
  async start(): Promise<void> {
    this.#tidying = setInterval(() => void this.#tidy(), TIDY_INTERVAL_MS).unref();
    this.#sender.open();
    await this.#subscribers.start();
  }

  async stop(deadline: AbortSignal): Promise<void> {
    clearInterval(this.#tidying);
    this.#subscribers.stop();
    await this.#sender.close(deadline);
  }

  readonly isSubscribed: Subscribers['isSubscribed'] = (type) => this.#subscribers.isSubscribed(type);
  readonly notify: Subscribers['notify'] = (db, events) => this.#subscribers.notify(db, events);

  /** Wakes the sender, after recorded events may have been committed. */
  readonly wake = (): void => this.#sender.wake();

  /**
   * @returns it with its secret, which is never shown again
   * @throws HttpProblem 400 for the URL, 409 when there are too many
   */
  async create(fields: WebhookFields): Promise<{ webhook: WebhookState; secret: string }> {
    await this.#checkUrl(fields.url);
    const made = await this.#webhooks.add(fields, MAX_WEBHOOKS);
    if (!made)
      throw conflict(`There are ${MAX_WEBHOOKS} webhooks already, and there can be no more.`, 'webhook_conflict');
    await this.#subscribers.changed();
    return { secret: made.secret, webhook: { ...made.webhook, waiting: 0 } };
  }

  async list(): Promise<WebhookState[]> {
    const [webhooks, waiting] = await Promise.all([this.#webhooks.list(), this.#outbox.waiting()]);
    return webhooks.map((webhook) => ({ ...webhook, waiting: waiting.get(webhook.id) ?? 0 }));
  }

  /** @throws HttpProblem 404 */
  async find(id: string): Promise<WebhookState> {
    // PostgreSQL cannot be queried for a text with NUL.
    const webhook = id.includes('\0') ? undefined : await this.#webhooks.find(id);
    if (!webhook) throw unknownWebhook(id);
    return { ...webhook, waiting: (await this.#outbox.waiting()).get(id) ?? 0 };
  }

  /** @throws HttpProblem 400 for the URL, 404 */
  async update(id: string, fields: WebhookPatch): Promise<WebhookState> {
    await this.find(id);
    if (fields.url !== undefined) await this.#checkUrl(fields.url);
    await this.#webhooks.update(id, fields);
    await this.#subscribers.changed();
    return this.find(id);
  }

  /** @throws HttpProblem 404 */
  async remove(id: string): Promise<void> {
    await this.find(id);
    await this.#webhooks.remove(id);
    await this.#subscribers.changed();
  }

  /** @returns the new secret, and until when the old one signs too @throws HttpProblem 404 */
  async rotateSecret(id: string): Promise<{ secret: string; previousUntil: Date }> {
    await this.find(id);
    const rotated = await this.#webhooks.rotateSecret(id);
    if (!rotated) throw unknownWebhook(id);
    return rotated;
  }

  /** Sends an event without content, once. @throws HttpProblem 404, 409 for a disabled webhook */
  async test(id: string): Promise<Delivery> {
    await this.#requireEnabled(id);
    const data = { message: 'This is a test.' };
    const payload = JSON.stringify({ type: TEST_EVENT, timestamp: new Date().toISOString(), data });
    const [delivery = ''] = await this.#outbox.add([{ target: id, event: TEST_EVENT, payload }]);
    this.wake();
    return this.#requireDelivery(id, delivery);
  }

  /** Lists the newest first. @throws HttpProblem 404 */
  async deliveries(id: string, page: MessagePage): Promise<Delivery[]> {
    await this.find(id);
    return this.#outbox.page(id, page);
  }

  /** @throws HttpProblem 404, 409 for one that is disabled or a delivery that has not ended */
  async redeliver(id: string, delivery: string): Promise<Delivery> {
    await this.#requireEnabled(id);
    await this.#requireDelivery(id, delivery);
    if (!(await this.#outbox.redeliver(id, delivery)))
      throw conflict('The delivery has not ended: it is being sent, or will be.', 'webhook_conflict');
    this.wake();
    return this.#requireDelivery(id, delivery);
  }

  /** Returns the number of pending deliveries, of all nodes. */
  async waiting(): Promise<number> {
    let sum = 0;
    for (const count of (await this.#outbox.waiting()).values()) sum += count;
    return sum;
  }

  async #checkUrl(text: string): Promise<void> {
    const url = parseOutgoingUrl(text, MAX_URL_LENGTH);
    try {
      await assertReachable(url, this.#options.guard);
    } catch (cause) {
      const problem = unreachable(url, cause);
      logUnreachable(this.#options.log, problem);
      throw problem;
    }
  }

  async #requireEnabled(id: string): Promise<void> {
    if (!(await this.find(id)).enabled)
      throw conflict('The webhook is disabled: nothing is sent to it.', 'webhook_conflict');
  }

  async #requireDelivery(webhook: string, id: string): Promise<Delivery> {
    const delivery = id.includes('\0') ? undefined : await this.#outbox.find(webhook, id);
    if (!delivery) throw notFound(`The webhook has no delivery with the id ${quote(id)}.`);
    return delivery;
  }

  #noteNotified(count: number): void {
    this.#unchecked += count;
    if (this.#unchecked < NOTIFIED_PER_CHECK) return;
    this.#unchecked = 0;
    void this.#boundWaiting().catch((err) => this.#options.log.debug({ err }, 'deliveries cannot be counted'));
  }

  async #tidy(): Promise<void> {
    const { settings, log } = this.#options;
    try {
      await this.#boundWaiting();
      const limits = { ageMs: settings.keepMs, max: MAX_LOGGED };
      for (const { id } of await this.#webhooks.list()) await this.#outbox.removeEnded(id, limits);
      await this.#outbox.removeOld(settings.keepMs);
    } catch (err) {
      log.debug({ err }, 'deliveries cannot be tidied up');
    }
  }

  /** Disables receivers that do not keep up, which must not fill the database. */
  async #boundWaiting(): Promise<void> {
    const { maxWaiting } = this.#options.settings;
    for (const [id, count] of await this.#outbox.waiting()) {
      if (count <= maxWaiting) continue;
      const reason = `More than ${maxWaiting} deliveries waited for it (WEBHOOK_QUEUE_MAX).`;
      if (await this.#webhooks.disable(id, reason)) await this.#subscribers.changed();
    }
  }
}

const unknownWebhook = (id: string) => notFound(`There is no webhook with the id ${quote(id)}.`, 'webhook_not_found');
