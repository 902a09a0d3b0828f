import { z } from 'zod';
import type { AuditAction, AuditDetail } from '../../audit/audit-entry.ts';
import { readCursor, writeCursor } from '../../library/cursor.ts';
import { parsePath, ROOT } from '../../path.ts';
import type { WebhookManagement } from '../../webhooks/managed-webhooks.ts';
import { DELIVERY_STATUSES, type Webhook } from '../../webhooks/webhook.ts';
import { wholeNumber } from '../bodies/query-forms.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import { type AuditTrail, changedFields } from '../observe/audit-trail.ts';
import { createBody, delivery, secret, shownDelivery, shownWebhook, updateBody, webhook } from './webhook-json.ts';

const params = z.object({ id: z.string() });
const one = z.object({ success: z.boolean(), webhook });
const done = z.object({ success: z.boolean(), message: z.string() });
const rotated = z.object({
  success: z.boolean(),
  secret,
  previousUntil: z.iso.datetime().describe('Time until which the previous secret also signs.'),
});
const deliveryParams = params.extend({ deliveryId: z.string() });
const deliveryQuery = z.object({
  limit: wholeNumber(1, 200).prefault('50').describe('Number of deliveries.'),
  cursor: z.string().optional().describe('The nextCursor of the previous page.'),
  status: z.enum(DELIVERY_STATUSES).optional(),
});
const deliveryPage = z.object({
  deliveries: z.array(delivery),
  nextCursor: z.string().nullable().describe('The cursor of the next page; null on the last one.'),
});
const oneDelivery = z.object({ success: z.boolean(), delivery });

const cursorForm = z.tuple([z.int().min(0)]);
const tag = 'Webhooks';
/** Responses are for this client only, so no cache may store them. */
const access = { access: 'admin', noStore: true } as const;

/** `/webhooks/...`: webhooks and their deliveries. */
export function webhookRoutes({ services: { webhooks }, trail }: RouteContext): readonly Endpoint[] {
  return [
    ...allWebhooks(webhooks, trail),
    ...oneWebhook(webhooks),
    ...webhookChanges(webhooks, trail),
    ...deliveryEndpoints(webhooks),
  ];
}

function allWebhooks(webhooks: WebhookManagement, trail: AuditTrail): readonly Endpoint[] {
  const create = defineEndpoint('POST /webhooks', {
    ...access,
    audit: 'webhook.created',
    openapi: {
      id: 'createWebhook',
      tag,
      summary: 'Creates a webhook.',
      errors: [409, 503],
      description: 'Only public addresses are allowed, and those in `OUTGOING_PRIVATE_NETWORKS`.',
    },
    schemas: { body: createBody, response: { 200: one.extend({ secret }) } },
    async handle(request) {
      const { body } = request;
      const fields = { ...body, enabled: body.enabled ?? true, folder: parsePath(body.folder ?? ROOT) };
      const made = await webhooks.create(fields, trail.within(request, eventOf('webhook.created')));
      return { success: true, webhook: shownWebhook(made.webhook), secret: made.secret };
    },
  });
  const list = defineEndpoint('GET /webhooks', {
    ...access,
    openapi: { id: 'listWebhooks', tag, summary: 'Lists the webhooks, the oldest first.' },
    schemas: { response: { 200: z.object({ webhooks: z.array(webhook) }) } },
    handle: async () => ({ webhooks: (await webhooks.list()).map(shownWebhook) }),
  });
  return [create, list];
}

function oneWebhook(webhooks: WebhookManagement): readonly Endpoint[] {
  const get = defineEndpoint('GET /webhooks/:id', {
    ...access,
    openapi: { id: 'getWebhook', tag, summary: 'Returns a webhook.', errors: [404] },
    schemas: { params, response: { 200: z.object({ webhook }) } },
    handle: async ({ params }) => ({ webhook: shownWebhook(await webhooks.find(params.id)) }),
  });
  return [get];
}

function webhookChanges(webhooks: WebhookManagement, trail: AuditTrail): readonly Endpoint[] {
  const update = defineEndpoint('PATCH /webhooks/:id', {
    ...access,
    audit: 'webhook.updated',
    openapi: {
      id: 'updateWebhook',
      tag,
      summary: 'Changes, enables or disables a webhook.',
      errors: [404, 503],
      description: 'While disabled, no events are recorded for it. Pending deliveries are sent when it is enabled.',
    },
    schemas: { params, body: updateBody, response: { 200: one } },
    async handle(request) {
      const { params, body } = request;
      const folder = body.folder === undefined ? undefined : parsePath(body.folder);
      const within = trail.within(request, eventOf('webhook.updated', { changed: changedFields(body) }));
      const webhook = await webhooks.update(params.id, { ...body, folder }, within);
      return { success: true, webhook: shownWebhook(webhook) };
    },
  });
  const remove = defineEndpoint('DELETE /webhooks/:id', {
    ...access,
    audit: 'webhook.deleted',
    openapi: { id: 'deleteWebhook', tag, summary: 'Deletes a webhook with its deliveries.', errors: [404, 503] },
    schemas: { params, response: { 200: done } },
    async handle(request) {
      await webhooks.remove(request.params.id, trail.within(request, eventOf('webhook.deleted')));
      return { success: true, message: 'Webhook deleted.' };
    },
  });
  const rotate = defineEndpoint('POST /webhooks/:id/rotate-secret', {
    ...access,
    audit: 'webhook.secret_rotated',
    openapi: {
      id: 'rotateWebhookSecret',
      tag,
      summary: 'Gives a webhook a new secret.',
      errors: [404, 503],
      description: 'For 24 hours, requests are also signed with the previous secret.',
    },
    schemas: { params, response: { 200: rotated } },
    async handle(request) {
      const within = trail.within(request, eventOf('webhook.secret_rotated'));
      const { secret, previousUntil } = await webhooks.rotateSecret(request.params.id, within);
      return { success: true, secret, previousUntil: previousUntil.toISOString() };
    },
  });
  return [update, remove, rotate];
}

/** The entry of a change. The path and the query of the URL may be secrets of its receiver. */
function eventOf(action: AuditAction, more: AuditDetail = {}) {
  return ({ id, url, events, folder, enabled }: Webhook) => ({
    action,
    target: id,
    detail: { origin: new URL(url).origin, events, folder, enabled, ...more },
  });
}

/** Deliveries of a webhook. */
function deliveryEndpoints(webhooks: WebhookManagement): readonly Endpoint[] {
  const test = defineEndpoint('POST /webhooks/:id/test', {
    ...access,
    audit: 'webhook.tested',
    outcome: ({ params }) => ({ target: params.id }),
    openapi: {
      id: 'testWebhook',
      tag,
      summary: 'Sends the event `webhook.test`.',
      errors: [404, 409, 503],
      description: 'Sent once, for any events of the webhook. The log of deliveries shows the result.',
    },
    schemas: { params, response: { 200: oneDelivery } },
    handle: async ({ params }) => ({ success: true, delivery: shownDelivery(await webhooks.test(params.id)) }),
  });
  const list = defineEndpoint('GET /webhooks/:id/deliveries', {
    ...access,
    openapi: { id: 'listWebhookDeliveries', tag, summary: 'Lists deliveries, the newest first.', errors: [404] },
    schemas: { params, query: deliveryQuery, response: { 200: deliveryPage } },
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
    audit: 'webhook.redelivered',
    outcome: ({ params }) => ({ target: params.id, detail: { delivery: params.deliveryId } }),
    openapi: {
      id: 'redeliverToWebhook',
      tag,
      summary: 'Repeats a finished delivery.',
      errors: [404, 409, 503],
      description: 'With the same `webhook-id`, and as many attempts as a new delivery.',
    },
    schemas: { params: deliveryParams, response: { 200: oneDelivery } },
    async handle({ params: { id, deliveryId } }) {
      return { success: true, delivery: shownDelivery(await webhooks.redeliver(id, deliveryId)) };
    },
  });
  return [test, list, redeliver];
}
