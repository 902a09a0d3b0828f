import type { AuditFilter } from '../api/audit.ts';
import { dayIn } from '../components/day.ts';

/** Search parameters of the page: the filter, with days of the reader's time zone. */
export interface AuditSearch {
  action?: string | undefined;
  actor?: string | undefined;
  target?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export const readAuditSearch = ({ action, actor, target, from, to }: Record<string, unknown>): AuditSearch => ({
  action: textIn(action),
  actor: textIn(actor),
  target: textIn(target),
  from: dayIn(from),
  to: dayIn(to),
});

/** The filter of a request. The last day is part of it. */
export function filterOf({ from, to, ...rest }: AuditSearch): AuditFilter {
  return {
    ...rest,
    from: from && startOf(from, 0),
    to: to && startOf(to, 1),
  };
}

export const isFiltered = (search: AuditSearch): boolean => Object.values(search).some((value) => value !== undefined);

/** First moment of a local day, or of one after it. */
function startOf(day: string, daysLater: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + daysLater).toISOString();
}

// The router reads a number from digits.
function textIn(value: unknown): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return text === '' ? undefined : text;
}
