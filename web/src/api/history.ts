import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { Answers } from './types.ts';

export type Sample = Answers['getHistory']['samples'][number];

/** Selectable time spans of the history. */
export const HISTORY_MINUTES = [60, 360, 1440] as const;

/** Interval between samples. */
const STEP_MS = 60_000;

export const historyQuery = (minutes: number) =>
  queryOptions({
    queryKey: ['history', minutes],
    queryFn: ({ signal }) => call('getHistory', `stats/history?minutes=${minutes}`, { signal }),
    refetchInterval: STEP_MS,
    placeholderData: keepPreviousData,
  });
