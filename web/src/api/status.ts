import { queryOptions } from '@tanstack/react-query';
import { serviceAnswered, serviceFailed } from './availability.ts';
import { urlOf } from './base.ts';
import { call } from './call.ts';
import { ApiError } from './error.ts';
import type { Answers } from './types.ts';

export const versionQuery = queryOptions({
  queryKey: ['version'],
  queryFn: ({ signal }) => call('getVersion', 'api/version', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const statsQuery = queryOptions({
  queryKey: ['stats'],
  queryFn: ({ signal }) => call('getStorageStats', 'storage/stats', { signal }),
});

export const usageQuery = queryOptions({
  queryKey: ['usage', ''],
  queryFn: ({ signal }) => call('getUsage', 'storage/usage', { signal }),
});

type Ready = Answers['getReadiness'];

/** Readiness report. A 503 carries one too; `unhealthyReason` then explains it. */
export interface Readiness {
  checks: Ready['checks'];
  checkedAt: Ready['checkedAt'];
  unhealthyReason?: string;
}

export const readinessQuery = queryOptions({
  queryKey: ['readiness'],
  queryFn: ({ signal }) => readReadiness(signal),
  // The next request shows an outage. Retries would delay that, and the page asks again anyway.
  refetchInterval: ({ state }) => (state.data?.checkedAt ? 5000 : 1000),
  retry: false,
});

async function readReadiness(signal: AbortSignal): Promise<Readiness> {
  const answer = await fetch(urlOf('readyz'), { signal }).catch(() => undefined);
  if (answer) serviceAnswered(answer);
  else if (!signal.aborted) serviceFailed();
  const body = await answer?.json().catch(() => undefined);
  if (body?.checks === undefined) throw new ApiError(0, 'The service cannot be reached.');
  return {
    checks: body.checks,
    checkedAt: body.checkedAt,
    ...(answer?.ok === false && { unhealthyReason: body.message }),
  };
}

export const recalculateStats = () =>
  call('recalculateStorageStats', 'storage/stats/recalculate', { method: 'POST', json: {} });

export const clearCache = () => call('clearCache', 'storage/cache/clear', { method: 'POST', json: {} });
