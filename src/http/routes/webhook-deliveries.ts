import { z } from 'zod';
import { readCursor, writeCursor } from '../../library/cursor.ts';
import { DELIVERY_STATUSES } from '../../webhooks/webhook.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import { wholeNumber } from '../bodies/query-forms.ts';
import { defineEndpoint, type Endpoint } from '../endpoints/endpoint.ts';
import { delivery, shownDelivery } from './webhook-json.ts';

const params = z.object({ id: z.string() });
const deliveryParams = params.extend({ deliveryId: z.string() });
const query = z.object({
  limit: wholeNumber(1, 200).prefault('50').describe('Number of deliveries.'),
  cursor: z.string().optional().describe('The nextCursor of the previous page.'),
  status: z.enum(DELIVERY_STATUSES).optional(),
});
const page = z.object({
  deliveries: z.array(delivery),
  nextCursor: z.string().nullable().describe('The cursor of the next page; null on the last one.'),
});
const one = z.object({ success: z.boolean(), delivery });

const cursorForm = z.tuple([z.int().min(0)]);
const tag = 'Webhooks';
const access = { access: 'admin', noStore: true } as const;

/** Deliveries of a webhook. */
export function deliveryEndpoints(webhooks: Webhooks): readonly Endpoint[] {
  const test = defineEndpoint('POST /webhooks/:id/test', {
    ...access,
    openapi: {
      id: 'testWebhook',
      tag,
      summary: 'Sends the event `webhook.test`.',
      errors: [404, 409, 503],
      description: 'Sent once, for any events of the webhook. The log of deliveries shows the result.',
    },
    schemas: { params, response: { 200: one } },
    handle: async ({ params }) => ({ success: true, delivery: shownDelivery(await webhooks.test(params.id)) }),
  });
  const list = defineEndpoint('GET /webhooks/:id/deliveries', {
    ...access,
    openapi: { id: 'listWebhookDeliveries', tag, summary: 'Lists deliveries, the newest first.', errors: [400, 404] },
    schemas: { params, query, response: { 200: page } },
    async handle({ params, query: { limit, cursor, status } }) {
      const [before] = cursor === undefined ? [] : readCursor(cursor, cursorForm);
      const found = await webhooks.deliveries(params.id, { limit: limit + 1, before, status });
      const last = found.length > limit ? found[limit - 1] : undefined;
      const deliveries = found.slice(0, limit).map(shownDelivery);
      return { deliveries, nextCursor: last ? writeCursor([last.sequence]) : null };
    },
  });
  const redeliver = defineEndpoint('POST /webhooks/:id/deliveries/:deliveryId/redeliver', {
    ...access,
    openapi: {
      id: 'redeliverToWebhook',
      tag,
      summary: 'Repeats a finished delivery.',
      errors: [404, 409, 503],
      description: 'With the same `webhook-id`, and as many attempts as a new delivery.',
    },
    schemas: { params: deliveryParams, response: { 200: one } },
    async handle({ params: { id, deliveryId } }) {
      return { success: true, delivery: shownDelivery(await webhooks.redeliver(id, deliveryId)) };
    },
  });
  return [test, list, redeliver];
}
