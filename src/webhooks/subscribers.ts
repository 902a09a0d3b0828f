import type { Kysely } from 'kysely';
import type { Bus } from '../cluster/cluster.ts';
import type { Schema } from '../db/schema.ts';
import { FailureLog, type Log } from '../log.ts';
import type { NewMessage, Outbox } from '../outbox/outbox.ts';
import { isWithin } from '../path.ts';
import type { EventType, Webhook, WebhookEvent } from './webhook.ts';
import type { WebhookRows } from './webhook-rows.ts';

export interface SubscribersOptions {
  webhooks: WebhookRows;
  outbox: Outbox;
  bus: Bus;
  log: Log;
  /** Is given all webhooks, whenever they may have changed. */
  onKnown(webhooks: readonly Webhook[]): void;
  /** Is told how many deliveries were written down. */
  onTold(count: number): void;
}

const RETRY_MS = 1000;

/**
 * Who wants to hear of what. Each node remembers all webhooks, so that a change that nobody wants to hear of costs nothing; what is
 * remembered is read again when a node says that it has changed.
 */
export class Subscribers {
  readonly #options: SubscribersOptions;
  readonly #use: FailureLog;
  readonly #endings: (() => void)[] = [];
  /** Undefined while nobody knows. */
  #known: readonly Webhook[] | undefined;
  /** Rises whenever what is being read may be older than the last change. */
  #version = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: SubscribersOptions) {
    this.#options = options;
    this.#use = new FailureLog(options.log, {
      fails: 'webhooks cannot be read',
      works: 'webhooks can be read again',
    });
    const { bus } = options;
    const forget = () => void this.#read();
    this.#endings.push(
      bus.subscribe(({ kind }) => kind === 'webhooks' && forget()),
      bus.onResync(forget),
    );
  }

  /** Reads them for the first time, or tries again later. */
  start(): Promise<void> {
    return this.#read();
  }

  stop(): void {
    for (const end of this.#endings) end();
    this.#version++;
    clearTimeout(this.#retry);
  }

  /** This node has changed them: it knows, and the others hear of it, when this resolves. */
  async changed(): Promise<void> {
    await this.#read();
    await this.#options.bus.publish({ kind: 'webhooks' });
  }

  /** Whether somebody may want to hear of such an event. */
  isWanted(type: EventType): boolean {
    return this.#known?.some(({ enabled, events }) => enabled && events.includes(type)) ?? true;
  }

  /** Writes down who is to hear of events, in the transaction of what they tell of. */
  async tell(db: Kysely<Schema>, events: readonly WebhookEvent[]): Promise<void> {
    if (!events.some(({ type }) => this.isWanted(type))) return;
    const webhooks = this.#known ?? (await this.#options.webhooks.list(db));
    const timestamp = new Date().toISOString();
    const deliveries = events.flatMap((event): NewMessage[] => {
      const { type, data } = event;
      const listening = webhooks.filter((webhook) => hears(webhook, event));
      const payload = JSON.stringify({ type, timestamp, data });
      return listening.map(({ id }) => ({ target: id, event: type, payload }));
    });
    await this.#options.outbox.add(deliveries, 0, db);
    if (deliveries.length > 0) this.#options.onTold(deliveries.length);
  }

  async #read(): Promise<void> {
    this.#known = undefined;
    this.#version++;
    clearTimeout(this.#retry);
    const version = this.#version;
    try {
      const known = await this.#options.webhooks.list();
      this.#use.succeeded();
      if (version !== this.#version) return;
      this.#known = known;
      this.#options.onKnown(known);
    } catch (error) {
      this.#use.failed(error);
      if (version === this.#version) this.#retry = setTimeout(() => void this.#read(), RETRY_MS).unref();
    }
  }
}

/** What happens to a folder happens to those that are in it. */
function hears({ enabled, events, folder }: Webhook, { type, paths, isFolder }: WebhookEvent): boolean {
  if (!enabled || !events.includes(type)) return false;
  return paths.some((path) => isWithin(path, folder) || (isFolder && isWithin(folder, path)));
}
