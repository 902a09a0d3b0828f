import type { Kysely } from 'kysely';
import type { Bus } from '../cluster/cluster.ts';
import type { Schema } from '../db/schema.ts';
import { FailureLog, type Log } from '../log.ts';
import type { NewMessage, Outbox } from '../outbox/outbox.ts';
import { isWithin } from '../path.ts';
import { EVENT_TYPES, type EventType, type Webhook, type WebhookEvent } from './webhook.ts';
import type { WebhookRows } from './webhook-rows.ts';

export interface SubscribersOptions {
  webhooks: WebhookRows;
  outbox: Outbox;
  bus: Bus;
  log: Log;
  /** Called with all webhooks, whenever they may have changed. */
  onKnown(webhooks: readonly Webhook[]): void;
  /** Called with the number of recorded deliveries. */
  onNotified(count: number): void;
}

const RETRY_MS = 1000;

const CROSSINGS: readonly EventType[] = ['file.stored', 'file.deleted'];

/**
 * Subscriptions of webhooks to events. Each node caches all webhooks, so that a change without a subscriber costs
 * nothing; the cache is read again when a node reports a change of webhooks.
 */
export class Subscribers {
  readonly #options: SubscribersOptions;
  readonly #use: FailureLog;
  readonly #endings: (() => void)[] = [];
  /** Undefined while unknown. */
  #known: WebhookIndex | undefined;
  /** Incremented whenever a read in progress may be older than the last change. */
  #version = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: SubscribersOptions) {
    this.#options = options;
    this.#use = new FailureLog(options.log, {
      fails: 'webhooks cannot be read',
      works: 'webhooks can be read again',
    });
    const { bus } = options;
    const invalidate = () => void this.#read();
    this.#endings.push(
      bus.subscribe(({ kind }) => kind === 'webhooks' && invalidate()),
      bus.onResync(invalidate),
    );
  }

  /** Reads the webhooks for the first time. Never rejects: failed reads are retried. */
  start(): Promise<void> {
    return this.#read();
  }

  stop(): void {
    for (const end of this.#endings) end();
    this.#version++;
    clearTimeout(this.#retry);
  }

  /**
   * Reports a change of webhooks by this node. When this resolves, this node has read it, and the others are notified.
   */
  async changed(): Promise<void> {
    await this.#read();
    await this.#options.bus.publish({ kind: 'webhooks' });
  }

  /** True if a webhook has subscribed to such events, or if the webhooks are unknown. */
  isSubscribed(type: EventType): boolean {
    return this.#known?.has(type) ?? true;
  }

  /** Records the deliveries of events, in the transaction of the change that they report. */
  async notify(db: Kysely<Schema>, events: readonly WebhookEvent[]): Promise<void> {
    if (!events.some(({ type }) => this.isSubscribed(type))) return;
    const index = this.#known ?? createIndex(await this.#options.webhooks.list(db));
    const timestamp = new Date().toISOString();
    const deliveries = events.flatMap((event) => {
      const groups = index.get(event.type) ?? [];
      return groups.flatMap((group) => deliveriesOf(event, group, timestamp));
    });
    await this.#options.outbox.add(deliveries, 0, db);
    if (deliveries.length > 0) this.#options.onNotified(deliveries.length);
  }

  async #read(): Promise<void> {
    this.#known = undefined;
    this.#version++;
    clearTimeout(this.#retry);
    const version = this.#version;
    try {
      const webhooks = await this.#options.webhooks.list();
      this.#use.succeeded();
      if (version !== this.#version) return;
      this.#known = createIndex(webhooks);
      this.#options.onKnown(webhooks);
    } catch (error) {
      this.#use.failed(error);
      if (version === this.#version) this.#retry = setTimeout(() => void this.#read(), RETRY_MS).unref();
    }
  }
}

/** Enabled webhooks by the events that they may hear, each group those of one space or of the installation. */
type WebhookIndex = ReadonlyMap<EventType, readonly (readonly Webhook[])[]>;

function createIndex(webhooks: readonly Webhook[]): WebhookIndex {
  const enabled = webhooks.filter((webhook) => webhook.enabled);
  const index = new Map<EventType, Webhook[][]>();
  for (const type of EVENT_TYPES) {
    const listening = enabled.filter((webhook) => mayHear(webhook, type));
    if (listening.length > 0) index.set(type, [...Map.groupBy(listening, ({ space }) => space?.id).values()]);
  }
  return index;
}

/** A move across the border of a space stores or deletes something for its webhooks. */
function mayHear({ space, events }: Webhook, type: EventType): boolean {
  if (events.includes(type)) return true;
  return space !== undefined && type === 'file.moved' && events.some((heard) => CROSSINGS.includes(heard));
}

/** @param webhooks those of one space, or of the installation */
function deliveriesOf(event: WebhookEvent, webhooks: readonly Webhook[], timestamp: string): NewMessage[] {
  const space = webhooks[0]?.space;
  const own = space === undefined ? event : event.inSpace?.(space);
  if (!own) return [];
  const { type, data } = own;
  const payload = JSON.stringify({ type, timestamp, data });
  return webhooks.filter((webhook) => hears(webhook, own)).map(({ id }) => ({ target: id, event: type, payload }));
}

/** True for an event in the folder of the webhook; an event of a folder includes everything in it. */
function hears({ events, folder }: Webhook, { type, paths, isFolder }: WebhookEvent): boolean {
  if (!events.includes(type)) return false;
  return paths.some((path) => isWithin(path, folder) || (isFolder && isWithin(folder, path)));
}
