import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { Answers } from './types.ts';

type MinuteSample = Answers['getHistory']['samples'][number];
type HourSample = Answers['getActivity']['samples'][number];

/** Sample of a minute of this node, or of an hour of all nodes, which has no memory and no jobs. */
export type Sample = HourSample & Partial<Pick<MinuteSample, 'rss' | 'jobs'>>;

export type Refusal = Answers['getActivity']['refusals'][number];

const DAY_MINUTES = 1440;

/** Selectable time spans in minutes. Beyond a day they are those of all nodes. */
export const HISTORY_MINUTES = [60, 360, DAY_MINUTES, 30 * DAY_MINUTES] as const;

export const isOfAllNodes = (minutes: number): boolean => minutes > DAY_MINUTES;

/** Interval between samples of a node. */
const STEP_MS = 60_000;

export const historyQuery = (minutes: number) =>
  queryOptions({
    queryKey: ['history', minutes],
    queryFn: async ({ signal }): Promise<{ samples: Sample[] }> =>
      isOfAllNodes(minutes)
        ? call('getActivity', `stats/activity?days=${minutes / DAY_MINUTES}`, { signal })
        : call('getHistory', `stats/history?minutes=${minutes}`, { signal }),
    refetchInterval: STEP_MS,
    placeholderData: keepPreviousData,
  });

/** Errors of all nodes by code. */
export const refusalsQuery = (days: number) =>
  queryOptions({
    queryKey: ['refusals', days],
    queryFn: ({ signal }) => call('getActivity', `stats/activity?days=${days}`, { signal }),
    select: ({ refusals }) => refusals,
    refetchInterval: STEP_MS,
    placeholderData: keepPreviousData,
  });
