import { z } from 'zod';
import { ROOT } from '../../path.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import { deliveryEndpoints } from './webhook-deliveries.ts';
import { createBody, readFolder, secret, shownWebhook, updateBody, webhook } from './webhook-json.ts';

const params = z.object({ id: z.string() });
const one = z.object({ success: z.boolean(), webhook });
const done = z.object({ success: z.boolean(), message: z.string() });
const rotated = z.object({
  success: z.boolean(),
  secret,
  previousUntil: z.iso.datetime().describe('Time until which the previous secret also signs.'),
});

const tag = 'Webhooks';
/** Responses are for this client only, so no cache may store them. */
const access = { access: 'admin', noStore: true } as const;

/** `/webhooks/...`: webhooks and their deliveries. */
export function webhookRoutes({ services: { webhooks } }: RouteContext): readonly Endpoint[] {
  return [...allWebhooks(webhooks), ...oneWebhook(webhooks), ...deliveryEndpoints(webhooks)];
}

function allWebhooks(webhooks: Webhooks): readonly Endpoint[] {
  const create = defineEndpoint('POST /webhooks', {
    ...access,
    openapi: {
      id: 'createWebhook',
      tag,
      summary: 'Creates a webhook.',
      errors: [400, 409, 503],
      description: 'Only public addresses are allowed, and those in `OUTGOING_PRIVATE_NETWORKS`.',
    },
    schemas: { body: createBody, response: { 200: one.extend({ secret }) } },
    async handle({ body }) {
      const made = await webhooks.create({
        ...body,
        enabled: body.enabled ?? true,
        folder: readFolder(body.folder ?? ROOT),
      });
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

function oneWebhook(webhooks: Webhooks): readonly Endpoint[] {
  const get = defineEndpoint('GET /webhooks/:id', {
    ...access,
    openapi: { id: 'getWebhook', tag, summary: 'Returns a webhook.', errors: [404] },
    schemas: { params, response: { 200: z.object({ webhook }) } },
    handle: async ({ params }) => ({ webhook: shownWebhook(await webhooks.find(params.id)) }),
  });
  const update = defineEndpoint('PATCH /webhooks/:id', {
    ...access,
    openapi: {
      id: 'updateWebhook',
      tag,
      summary: 'Changes, enables or disables a webhook.',
      errors: [400, 404, 503],
      description: 'While disabled, no events are recorded for it. Pending deliveries are sent when it is enabled.',
    },
    schemas: { params, body: updateBody, response: { 200: one } },
    async handle({ params, body }) {
      const folder = body.folder === undefined ? undefined : readFolder(body.folder);
      const webhook = await webhooks.update(params.id, { ...body, folder });
      return { success: true, webhook: shownWebhook(webhook) };
    },
  });
  const remove = defineEndpoint('DELETE /webhooks/:id', {
    ...access,
    openapi: { id: 'deleteWebhook', tag, summary: 'Deletes a webhook with its deliveries.', errors: [404, 503] },
    schemas: { params, response: { 200: done } },
    async handle({ params }) {
      await webhooks.remove(params.id);
      return { success: true, message: 'Webhook deleted.' };
    },
  });
  const rotate = defineEndpoint('POST /webhooks/:id/rotate-secret', {
    ...access,
    openapi: {
      id: 'rotateWebhookSecret',
      tag,
      summary: 'Gives a webhook a new secret.',
      errors: [404, 503],
      description: 'For 24 hours, requests are also signed with the previous secret.',
    },
    schemas: { params, response: { 200: rotated } },
    async handle({ params }) {
      const { secret, previousUntil } = await webhooks.rotateSecret(params.id);
      return { success: true, secret, previousUntil: previousUntil.toISOString() };
    },
  });
  return [get, update, remove, rotate];
}
