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

/** Both cards show parts of it: one request serves them. */
const activityOf = (days: number) => ({
  queryKey: ['activity', days],
  queryFn: ({ signal }: { signal: AbortSignal }) => call('getActivity', `stats/activity?days=${days}`, { signal }),
});

const samplesOf = (minutes: number) => ({
  queryKey: ['history', minutes],
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<{ samples: readonly Sample[] }> =>
    call('getHistory', `stats/history?minutes=${minutes}`, { signal }),
});

const repeated = { refetchInterval: STEP_MS, placeholderData: keepPreviousData };

export const historyQuery = (minutes: number) =>
  queryOptions<{ samples: readonly Sample[] }>({
    ...(isOfAllNodes(minutes) ? activityOf(minutes / DAY_MINUTES) : samplesOf(minutes)),
    ...repeated,
  });

/** Errors of all nodes by code. */
export const refusalsQuery = (days: number) =>
  queryOptions({ ...activityOf(days), ...repeated, select: ({ refusals }) => refusals });
