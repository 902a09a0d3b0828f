import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await call('listSessions', 'api/auth/sessions', { signal })).sessions,
});

/** @throws ApiError 401 for a wrong password */
export const changePassword = (change: { currentPassword: string; newPassword: string; revokeOthers: boolean }) =>
  call('changePassword', 'api/auth/change-password', { method: 'POST', json: change });

export const updateAccount = (change: { name?: string; email?: string; currentPassword?: string }) =>
  call('updateAccount', 'api/auth/account', { method: 'PATCH', json: change });

export const endSession = (id: string) =>
  call('endSession', `api/auth/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' });

export const endOtherSessions = () => call('endOtherSessions', 'api/auth/sessions', { method: 'DELETE' });
