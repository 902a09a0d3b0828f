import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { queryOf } from './base.ts';
import { call } from './call.ts';
import type { Answers } from './types.ts';

export type Usage = Answers['readUsage'];
export type UsageRow = Usage['rows'][number];
export type UsageGroup = 'day' | 'space' | 'key';

export interface UsageRange {
  /** First and last day in UTC, such as `2026-11-27`. */
  from: string;
  to: string;
}

/** Usage in the library, or in the space of the page. */
export const usageReportQuery = (by: UsageGroup, { from, to }: UsageRange) =>
  queryOptions({
    queryKey: ['usage report', by, from, to],
    queryFn: ({ signal }) => call('readUsage', `usage${queryOf({ by, from, to })}`, { signal }),
    placeholderData: keepPreviousData,
  });
