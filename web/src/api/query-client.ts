import { onlineManager, QueryClient } from '@tanstack/react-query';
import { ApiError } from './error.ts';

const MAX_RETRIES = 3;

/** Transient errors are retried, honouring `Retry-After`. Others are shown immediately. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 60_000,
      retry: (count, error) => error instanceof ApiError && error.isPassing && count < MAX_RETRIES,
      retryDelay: (attempt, error) => waitOf(error) ?? 1000 * 2 ** attempt,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

// Data read before the connection was lost may be outdated, however recent it is.
onlineManager.subscribe((isOnline) => {
  if (isOnline) void queryClient.invalidateQueries();
});

/** Delay in ms requested by the service. */
function waitOf(error: unknown): number | undefined {
  return error instanceof ApiError && error.retryAfter !== undefined ? error.retryAfter * 1000 : undefined;
}
