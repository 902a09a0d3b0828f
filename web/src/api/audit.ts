import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { queryOf } from './base.ts';
import { call } from './call.ts';
import type { Answers } from './types.ts';

export type AuditEntry = Answers['listAuditEntries']['entries'][number];
export type AuditAction = AuditEntry['action'];

export interface AuditFilter {
  /** An action, or a family such as `key`. */
  action?: string | undefined;
  /** Id of a user or a key. */
  actor?: string | undefined;
  target?: string | undefined;
  /** Times in UTC: from inclusive, to exclusive. */
  from?: string | undefined;
  to?: string | undefined;
}

const PAGE = 50;

/** Entries of the audit log, newest first. */
export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ signal, pageParam }) =>
      call('listAuditEntries', `audit${queryOf({ ...filter, limit: PAGE, cursor: pageParam })}`, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
