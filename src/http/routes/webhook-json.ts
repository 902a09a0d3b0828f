import { z } from 'zod';
import type { WebhookState } from '../../webhooks/managed-webhooks.ts';
import { DELIVERY_STATUSES, type Delivery, EVENT_TYPES } from '../../webhooks/webhook.ts';

const time = z.iso.datetime();

const fields = z.object({
  url: z.string().describe('http or https, on the public internet.'),
  events: z.array(z.enum(EVENT_TYPES)).min(1).describe('Subscribed events.'),
  folder: z.string().describe('Only events in this folder; empty for all.'),
  enabled: z.boolean(),
});

// A misspelt folder would send the events of all folders.
export const createBody = fields.partial({ folder: true, enabled: true }).strict();

export const updateBody = fields
  .partial()
  .strict()
  .refine((change) => Object.values(change).some((one) => one !== undefined), {
    error: 'expected "url", "events", "folder" or "enabled", received none of them',
  });

/** Response schema of a webhook, without its secret. */
export const webhook = fields
  .extend({
    id: z.string(),
    disabledReason: z.string().nullable().describe('Reason of an automatic disabling.'),
    failingSince: time.nullable().describe('Time since which all attempts have failed.'),
    waiting: z.number().int().min(0).describe('Pending deliveries.'),
    createdAt: time,
  })
  .meta({ id: 'Webhook' });

export const secret = z.string().describe('Signs the requests: `whsec_` and base64. Returned only in this response.');

const attempt = z.object({
  at: time,
  responseStatus: z.number().int().nullable().describe('Null without a response.'),
  durationMs: z.number().int().min(0),
  error: z.string().nullable().describe('Null if it was received.'),
});

export const delivery = z
  .object({
    id: z.string().describe('The header `webhook-id` of each attempt.'),
    event: z.string(),
    createdAt: time,
    status: z.enum(DELIVERY_STATUSES),
    nextAttemptAt: time.nullable().describe('Null if no attempt is left or needed.'),
    attempts: z.array(attempt).describe('The last sixteen, the oldest first.'),
    payload: z.record(z.string(), z.unknown()).describe('The body of the request.'),
  })
  .meta({ id: 'WebhookDelivery' });

export function shownWebhook(state: WebhookState): z.output<typeof webhook> {
  const { id, url, events, folder, enabled, disabledReason, failingSince, waiting, createdAt } = state;
  return {
    id,
    url,
    events: [...events],
    folder,
    enabled,
    waiting,
    disabledReason: disabledReason ?? null,
    failingSince: failingSince?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}

export function shownDelivery(one: Delivery): z.output<typeof delivery> {
  const { id, event, status, createdAt, dueAt, attempts, payload } = one;
  return {
    id,
    event,
    status,
    createdAt: createdAt.toISOString(),
    attempts: [...attempts],
    nextAttemptAt: status === 'pending' ? dueAt.toISOString() : null,
    payload: JSON.parse(payload) as Record<string, unknown>,
  };
}
