import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { queryOf } from './base.ts';
import { call } from './call.ts';
import type { Webhook, WebhookDelivery } from './types.ts';

export type WebhookEvent = Webhook['events'][number];

export const EVENTS = [
  'file.stored',
  'file.moved',
  'file.deleted',
  'redirect.created',
  'redirect.deleted',
  'job.completed',
  'job.error',
] as const satisfies readonly WebhookEvent[];

export interface WebhookFields {
  url: string;
  events: readonly WebhookEvent[];
  folder: string;
}

/** Poll interval for new deliveries. */
const POLL_MS = 5000;
const PAGE = 20;

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: async ({ signal }) => (await call('listWebhooks', 'webhooks', { signal })).webhooks,
  refetchInterval: POLL_MS,
});

/** Deliveries of a webhook, newest first. */
export const deliveriesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', id, 'deliveries'],
    queryFn: ({ signal, pageParam }) =>
      call('listWebhookDeliveries', `${pathOf(id)}/deliveries${queryOf({ limit: PAGE, cursor: pageParam })}`, {
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: POLL_MS,
  });

export const createWebhook = (fields: WebhookFields) =>
  call('createWebhook', 'webhooks', { method: 'POST', json: fields });

export const updateWebhook = (id: string, change: Partial<WebhookFields> & { enabled?: boolean }) =>
  call('updateWebhook', pathOf(id), { method: 'PATCH', json: change });

export const deleteWebhook = (id: string) => call('deleteWebhook', pathOf(id), { method: 'DELETE' });

export const rotateSecret = (id: string) =>
  call('rotateWebhookSecret', `${pathOf(id)}/rotate-secret`, { method: 'POST', json: {} });

export const testWebhook = (id: string) => call('testWebhook', `${pathOf(id)}/test`, { method: 'POST', json: {} });

export const redeliver = (id: string, delivery: WebhookDelivery['id']) =>
  call('redeliverToWebhook', `${pathOf(id)}/deliveries/${encodeURIComponent(delivery)}/redeliver`, {
    method: 'POST',
    json: {},
  });

const pathOf = (id: string) => `webhooks/${encodeURIComponent(id)}`;
