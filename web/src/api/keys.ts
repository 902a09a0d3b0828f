import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { ApiKey } from './types.ts';

export type Permission = ApiKey['permissions'][number];
export type RateLimit = Pick<NonNullable<ApiKey['rateLimit']>, 'max' | 'window'>;
export interface KeyLimits extends Pick<ApiKey, 'remaining'> {
  rateLimit: RateLimit | null;
}

export const PERMISSIONS = ['read', 'upload', 'manage', 'admin'] as const satisfies readonly Permission[];

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async ({ signal }) => (await call('listApiKeys', 'api-keys/list', { signal })).keys,
});

interface NewKey extends KeyLimits {
  name: string;
  /** Id; only from the library, and without it for the whole installation. */
  space?: string;
  permissions: readonly Permission[];
  /** Seconds. */
  expiresIn: number;
}

export const createKey = (key: NewKey) => call('createApiKey', 'api-keys/create', { method: 'POST', json: key });

export const updateKey = (id: string, change: Partial<KeyLimits & Pick<ApiKey, 'name' | 'enabled'>>) =>
  call('updateApiKey', `api-keys/${encodeURIComponent(id)}`, { method: 'PATCH', json: change });

export const revokeKey = (id: string) =>
  call('deleteApiKey', `api-keys/${encodeURIComponent(id)}`, { method: 'DELETE' });
