import { onlineManager, QueryClient } from '@tanstack/react-query';
import { ApiError } from './error.ts';

const MAX_RETRIES = 3;

/** What is passing is tried again, after as long as the service says. Everything else is shown at once. */
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

// Whatever was read before the line was cut may have changed, however short ago that was.
onlineManager.subscribe((isOnline) => {
  if (isOnline) void queryClient.invalidateQueries();
});

/** Milliseconds that the service asks to wait. */
function waitOf(error: unknown): number | undefined {
  return error instanceof ApiError && error.retryAfter !== undefined ? error.retryAfter * 1000 : undefined;
}
