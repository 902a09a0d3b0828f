import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import { ApiError } from './error.ts';
import type { Answers } from './types.ts';

export type Space = Answers['listSpaces']['spaces'][number];

/** Id of the library in the list of spaces. */
export const LIBRARY = 'default';

/** Spaces that the signed-in person may enter, the library first. At the host of a space only itself. */
export const spacesQuery = queryOptions({
  queryKey: ['spaces', 'mine'],
  queryFn: async ({ signal }): Promise<readonly Space[]> => {
    try {
      return (await call('listSpaces', 'spaces', { signal, isForInstallation: true })).spaces;
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) return [];
      throw error;
    }
  },
  staleTime: 60_000,
});
