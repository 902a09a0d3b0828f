import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { ApiKey } from './types.ts';

export type Permission = ApiKey['permissions'][number];

export const PERMISSIONS = ['read', 'upload', 'manage', 'admin'] as const satisfies readonly Permission[];

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async ({ signal }) => (await call('listApiKeys', 'api-keys/list', { signal })).keys,
});

/** @param expiresIn seconds */
export const createKey = (key: { name: string; permissions: readonly Permission[]; expiresIn: number }) =>
  call('createApiKey', 'api-keys/create', { method: 'POST', json: key });

export const updateKey = (id: string, change: { name?: string; enabled?: boolean }) =>
  call('updateApiKey', `api-keys/${encodeURIComponent(id)}`, { method: 'PATCH', json: change });

export const revokeKey = (id: string) =>
  call('deleteApiKey', `api-keys/${encodeURIComponent(id)}`, { method: 'DELETE' });
