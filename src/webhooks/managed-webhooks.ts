import type { Within } from '../db/locks.ts';
import { conflict, notFound } from '../errors.ts';
import type { Log } from '../log.ts';
import type { MessagePage, Outbox } from '../outbox/outbox.ts';
import {
  assertReachable,
  type Guard,
  logUnreachable,
  parseOutgoingUrl,
  unreachable,
} from '../outgoing/guarded-request.ts';
import { quote } from '../path.ts';
import type { Subscribers } from './subscribers.ts';
import { type Delivery, TEST_EVENT, type Webhook, type WebhookFields, type WebhookPatch } from './webhook.ts';
import type { WebhookRows } from './webhook-rows.ts';

/** A webhook, and the number of its pending deliveries. */
export type WebhookState = Webhook & { waiting: number };

export interface ManagedWebhooksParts {
  webhooks: WebhookRows;
  outbox: Outbox;
  subscribers: Pick<Subscribers, 'changed'>;
  /** Wakes the sender, after deliveries were added. */
  wake(): void;
  guard: Guard;
  log: Log;
}

/** Creates, changes, lists and deletes webhooks, and repeats deliveries. */
export type WebhookManagement = Pick<ManagedWebhooks, keyof ManagedWebhooks>;

/** Maximum of a space, and of the installation. */
const MAX_WEBHOOKS = 20;
const MAX_URL_LENGTH = 2048;

/** The webhooks of a space, or with an empty name those of the installation. */
export class ManagedWebhooks {
  readonly #parts: ManagedWebhooksParts;
  readonly #space: string;

  constructor(parts: ManagedWebhooksParts, space: string) {
    this.#parts = parts;
    this.#space = space;
  }

  /**
   * @param within called in the transaction of the change, as in the other methods
   * @returns it with its secret, which is never shown again
   * @throws HttpProblem 400 for the URL, 409 when there are too many
   */
  async create(fields: WebhookFields, within?: Within<Webhook>): Promise<{ webhook: WebhookState; secret: string }> {
    await this.#checkUrl(fields.url);
    const made = await this.#parts.webhooks.add(fields, MAX_WEBHOOKS, this.#space, within);
    if (!made)
      throw conflict(`There are ${MAX_WEBHOOKS} webhooks already, and there can be no more.`, 'webhook_conflict');
    await this.#parts.subscribers.changed();
    return { secret: made.secret, webhook: { ...made.webhook, waiting: 0 } };
  }

  async list(): Promise<WebhookState[]> {
    const [webhooks, waiting] = await Promise.all([
      this.#parts.webhooks.listOf(this.#space),
      this.#parts.outbox.waiting(),
    ]);
    return webhooks.map((webhook) => ({ ...webhook, waiting: waiting.get(webhook.id) ?? 0 }));
  }

  /** @throws HttpProblem 404 */
  async find(id: string): Promise<WebhookState> {
    // PostgreSQL cannot be queried for a text with NUL.
    const webhook = id.includes('\0') ? undefined : await this.#parts.webhooks.find(id, this.#space);
    if (!webhook) throw unknownWebhook(id);
    return { ...webhook, waiting: (await this.#parts.outbox.waiting()).get(id) ?? 0 };
  }

  /** @throws HttpProblem 400 for the URL, 404 */
  async update(id: string, fields: WebhookPatch, within?: Within<Webhook>): Promise<WebhookState> {
    await this.find(id);
    if (fields.url !== undefined) await this.#checkUrl(fields.url);
    await this.#parts.webhooks.update(id, fields, this.#space, within);
    await this.#parts.subscribers.changed();
    return this.find(id);
  }

  /** @throws HttpProblem 404 */
  async remove(id: string, within?: Within<Webhook>): Promise<void> {
    await this.find(id);
    await this.#parts.webhooks.remove(id, within);
    await this.#parts.subscribers.changed();
  }

  /** @returns the new secret, and until when the old one signs too @throws HttpProblem 404 */
  async rotateSecret(id: string, within?: Within<Webhook>): Promise<{ secret: string; previousUntil: Date }> {
    await this.find(id);
    const rotated = await this.#parts.webhooks.rotateSecret(id, within);
    if (!rotated) throw unknownWebhook(id);
    return rotated;
  }

  /** Sends an event without content, once. @throws HttpProblem 404, 409 for a disabled webhook */
  async test(id: string): Promise<Delivery> {
    await this.#requireEnabled(id);
    const data = { message: 'This is a test.' };
    const payload = JSON.stringify({ type: TEST_EVENT, timestamp: new Date().toISOString(), data });
    const [delivery = ''] = await this.#parts.outbox.add([{ target: id, event: TEST_EVENT, payload }]);
    this.#parts.wake();
    return this.#requireDelivery(id, delivery);
  }

  /** Lists the newest first. @throws HttpProblem 404 */
  async deliveries(id: string, page: MessagePage): Promise<Delivery[]> {
    await this.find(id);
    return this.#parts.outbox.page(id, page);
  }

  /** @throws HttpProblem 404, 409 for one that is disabled or a delivery that has not ended */
  async redeliver(id: string, delivery: string): Promise<Delivery> {
    await this.#requireEnabled(id);
    await this.#requireDelivery(id, delivery);
    if (!(await this.#parts.outbox.redeliver(id, delivery)))
      throw conflict('The delivery has not ended: it is being sent, or will be.', 'webhook_conflict');
    this.#parts.wake();
    return this.#requireDelivery(id, delivery);
  }

  async #checkUrl(text: string): Promise<void> {
    const url = parseOutgoingUrl(text, MAX_URL_LENGTH);
    try {
      await assertReachable(url, this.#parts.guard);
    } catch (cause) {
      const problem = unreachable(url, cause);
      logUnreachable(this.#parts.log, problem);
      throw problem;
    }
  }

  async #requireEnabled(id: string): Promise<void> {
    if (!(await this.find(id)).enabled)
      throw conflict('The webhook is disabled: nothing is sent to it.', 'webhook_conflict');
  }

  async #requireDelivery(webhook: string, id: string): Promise<Delivery> {
    const delivery = id.includes('\0') ? undefined : await this.#parts.outbox.find(webhook, id);
    if (!delivery) throw notFound(`The webhook has no delivery with the id ${quote(id)}.`);
    return delivery;
  }
}

const unknownWebhook = (id: string) => notFound(`There is no webhook with the id ${quote(id)}.`, 'webhook_not_found');
