import type { UsageRange } from '../api/usage.ts';
import { dayOf } from '../components/day.ts';
import { USUAL_SPAN, type UsageSearch } from './address.ts';

const DAY_MS = 86_400_000;
/** Limit of the service. */
export const MAX_DAYS = 400;

/** Days that the page shows. */
export function rangeOf({ from, to, days = USUAL_SPAN }: UsageSearch, now = Date.now()): UsageRange {
  const last = to ?? dayOf(now);
  return { from: from ?? dayOf(Date.parse(last) - (days - 1) * DAY_MS), to: last };
}

/** Number of days; 0 or less when the first is after the last. */
export function countDays({ from, to }: UsageRange): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
}

/** All days of a range, also those without usage. */
export function daysIn(range: UsageRange): string[] {
  const first = Date.parse(range.from);
  return Array.from({ length: Math.max(0, countDays(range)) }, (_, index) => dayOf(first + index * DAY_MS));
}
