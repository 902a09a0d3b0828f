import type { UsageGroup } from '../api/usage.ts';
import { dayIn } from '../components/day.ts';
import type { Measure } from './measures.ts';
import { isMeasure } from './measures.ts';

/** Search parameters of the page. Without days, it shows the last 30. */
export interface UsageSearch {
  by?: Exclude<UsageGroup, 'day'> | undefined;
  measure?: Measure | undefined;
  /** Number of days up to today. */
  days?: number | undefined;
  /** First and last day in UTC, instead of `days`. */
  from?: string | undefined;
  to?: string | undefined;
}

/** Choices of days up to today. */
export const SPANS = [7, 30, 90, 365] as const;
export const USUAL_SPAN = 30;

export const readUsageSearch = ({ by, measure, days, from, to }: Record<string, unknown>): UsageSearch => ({
  by: by === 'space' || by === 'key' ? by : undefined,
  measure: isMeasure(measure) ? measure : undefined,
  days: SPANS.find((span) => span === days && span !== USUAL_SPAN),
  from: dayIn(from),
  to: dayIn(to),
});
