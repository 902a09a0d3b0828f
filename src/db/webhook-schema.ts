export interface WebhookSchema {
  webhook: WebhookRow;
}

/** A subscriber to events. */
export interface WebhookRow {
  id: string;
  url: string;
  /** JSON: the types of the subscribed events. */
  events: string;
  /** Only events in this folder; empty for all. */
  folder: string;
  enabled: number;
  /** Reason why the service disabled it; null otherwise. */
  disabledReason: string | null;
  /** The signing secret: `whsec_` and base64. */
  secret: string;
  /** The previous secret, which also signs until then. */
  previousSecret: string | null;
  previousUntil: string | null;
  /** Start of the current series of failures. */
  failingSince: string | null;
  createdAt: string;
}
