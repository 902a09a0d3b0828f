import type { Kysely, Transaction } from 'kysely';
import type { Bus } from '../cluster/cluster.ts';
import type { Schema } from '../db/schema.ts';
import type { Log } from '../log.ts';
import { Outbox } from '../outbox/outbox.ts';
import type { Guard } from '../outgoing/guarded-request.ts';
import { ManagedWebhooks, type WebhookManagement } from './managed-webhooks.ts';
import { MAX_DELIVERY_DELAY_MS } from './schedule.ts';
import { Subscribers } from './subscribers.ts';
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

/** Maximum number of ended deliveries that are stored per webhook. */
const MAX_LOGGED = 10_000;
const TIDY_INTERVAL_MS = 300_000;
/** Number of new deliveries after which the limit of pending ones is checked. */
const NOTIFIED_PER_CHECK = 1000;

/**
 * Delivers events of files and jobs to subscribed webhooks, of the installation and of spaces. It manages those of the
 * installation.
 */
export class Webhooks implements WebhookManagement {
  readonly #options: WebhooksOptions;
  readonly #webhooks: WebhookRows;
  readonly #outbox: Outbox;
  readonly #subscribers: Subscribers;
  readonly #sender: WebhookSender;
  /** Those of the installation. */
  readonly #own: ManagedWebhooks;
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
    this.#own = this.#manage('');
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

  readonly create: ManagedWebhooks['create'] = (fields, within) => this.#own.create(fields, within);
  readonly list: ManagedWebhooks['list'] = () => this.#own.list();
  readonly find: ManagedWebhooks['find'] = (id) => this.#own.find(id);
  readonly update: ManagedWebhooks['update'] = (id, fields, within) => this.#own.update(id, fields, within);
  readonly remove: ManagedWebhooks['remove'] = (id, within) => this.#own.remove(id, within);
  readonly rotateSecret: ManagedWebhooks['rotateSecret'] = (id, within) => this.#own.rotateSecret(id, within);
  readonly test: ManagedWebhooks['test'] = (id) => this.#own.test(id);
  readonly deliveries: ManagedWebhooks['deliveries'] = (id, page) => this.#own.deliveries(id, page);
  readonly redeliver: ManagedWebhooks['redeliver'] = (id, delivery) => this.#own.redeliver(id, delivery);

  /** The webhooks of a space. Those of others, and of the installation, do not exist there. */
  inSpace(space: string): WebhookManagement {
    return this.#manage(space);
  }

  /** Removes the webhooks of a space, in the transaction that deletes it. When that is committed, call `changed`. */
  removeOf(transaction: Transaction<Schema>, space: string): Promise<void> {
    return this.#webhooks.removeOf(transaction, space);
  }

  /** Reports a change of webhooks to this node and the others, which then send nothing more to removed ones. */
  changed(): Promise<void> {
    return this.#subscribers.changed();
  }

  /** Returns the number of pending deliveries, of all nodes. */
  async waiting(): Promise<number> {
    let sum = 0;
    for (const count of (await this.#outbox.waiting()).values()) sum += count;
    return sum;
  }

  #manage(space: string): ManagedWebhooks {
    const { guard, log } = this.#options;
    return new ManagedWebhooks(
      { webhooks: this.#webhooks, outbox: this.#outbox, subscribers: this.#subscribers, wake: this.wake, guard, log },
      space,
    );
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
