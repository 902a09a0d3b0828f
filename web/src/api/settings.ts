import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { Answers } from './types.ts';

export type Setting = Answers['getSettings']['settings'][number];

/** Configuration of the service; constant until a restart. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => call('getSettings', 'settings', { signal }),
  staleTime: 60_000,
});
