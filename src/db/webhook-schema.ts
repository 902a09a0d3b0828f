export interface WebhookSchema {
  webhook: WebhookRow;
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
