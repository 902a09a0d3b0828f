import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { Answers } from './types.ts';

export type Setting = Answers['getSettings']['settings'][number];

/** How the service was configured; that changes only with a start. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => call('getSettings', 'settings', { signal }),
  staleTime: 60_000,
});
