import type { Generated } from 'kysely';

export interface WebhookSchema {
  webhook: WebhookRow;
  webhook_delivery: WebhookDeliveryRow;
}

/** Whoever wants to hear of events. */
export interface WebhookRow {
  id: string;
  url: string;
  /** JSON: the types of events that are wanted. */
  events: string;
  /** Only what happens in this folder; empty for everything. */
  folder: string;
  enabled: number;
  /** Why it was disabled, when nobody asked for it. */
  disabledReason: string | null;
  /** What signs, `whsec_` and base64. */
  secret: string;
  /** The secret before, which signs too until then. */
  previousSecret: string | null;
  previousUntil: string | null;
  /** Since when nothing was received. */
  failingSince: string | null;
  createdAt: string;
}

/** What a webhook was told, or is still to be told. */
export interface WebhookDeliveryRow {
  /** The order of creation: a lower number is older. */
  sequence: Generated<number>;
  id: string;
  webhook: string;
  /** The type of the event. */
  event: string;
  /** The body of the request. */
  payload: string;
  status: 'pending' | 'delivered' | 'failed';
  /** How many attempts have begun since it was last asked for. */
  attempts: number;
  /** JSON: how the last attempts ended. */
  log: string;
  /** Not to be claimed before. */
  dueAt: string;
  /** The attempt that is under way, and until when. */
  lease: string | null;
  leaseUntil: string | null;
  createdAt: string;
  endedAt: string | null;
}
