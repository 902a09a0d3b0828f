import type { Log } from '../log.ts';
import type { Guard } from '../outgoing/guarded-request.ts';
import type { DeliveryRows } from './delivery-rows.ts';
import { type AttemptCounts, Lane } from './lane.ts';
import { sendMessage } from './send.ts';
import type { Webhook } from './webhook.ts';
import type { WebhookRows } from './webhook-rows.ts';

export interface LanesOptions {
  webhooks: WebhookRows;
  deliveries: DeliveryRows;
  log: Log;
  guard: Guard;
  counts: AttemptCounts;
  /** How long an attempt may take, in milliseconds. */
  timeoutMs: number;
  onDisabled(): Promise<void>;
  pollMs?: number | undefined;
  pauseMs?: number | undefined;
}

/** A webhook that has received nothing for so long is disabled. */
const FAILING_MS = 3 * 86_400_000;
/** A process that has claimed a delivery and dies, or hangs, is given this much more than an attempt takes. */
const LEASE_MARGIN_MS = 30_000;

/** A lane for each webhook that is enabled. */
export class Lanes {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<string, Lane>();
  readonly #ending = new Set<Promise<void>>();
  #isOpen = false;

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  /** Until then, nothing is sent. */
  open(): void {
    this.#isOpen = true;
  }

  /** @param webhooks all that there are */
  follow(webhooks: readonly Webhook[]): void {
    if (!this.#isOpen) return;
    const enabled = new Set(webhooks.filter((webhook) => webhook.enabled).map(({ id }) => id));
    for (const [id, lane] of this.#lanes) {
      if (enabled.has(id)) continue;
      this.#lanes.delete(id);
      this.#end(lane, AbortSignal.timeout(this.#options.timeoutMs));
    }
    for (const id of enabled) if (!this.#lanes.has(id)) this.#lanes.set(id, this.#begin(id));
  }

  /** There may be something to send. */
  wake(): void {
    for (const lane of this.#lanes.values()) lane.ring();
  }

  async close(deadline: AbortSignal): Promise<void> {
    this.#isOpen = false;
    for (const lane of this.#lanes.values()) this.#end(lane, deadline);
    this.#lanes.clear();
    await Promise.all(this.#ending);
  }

  #begin(id: string): Lane {
    const { guard, timeoutMs, ...options } = this.#options;
    return new Lane(id, {
      ...{ ...options, leaseMs: timeoutMs + LEASE_MARGIN_MS, failingMs: FAILING_MS },
      send: (message, signal) => sendMessage(message, { guard, timeoutMs, signal }),
    });
  }

  #end(lane: Lane, deadline: AbortSignal): void {
    const ending = lane.stop(deadline).finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
