import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { auditQuery } from '../api/audit.ts';
import { Button } from '../components/button.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
import { auditMessages } from '../messages/audit.ts';
import { type AuditSearch, filterOf, isFiltered } from './address.ts';
import { EntryRow } from './entry-row.tsx';
import { FilterBar } from './filter-bar.tsx';
import { useActors } from './use-actors.ts';
import './audit.css';

/** `/audit`: who changed what. */
export function AuditPage() {
  const search = useSearch({ from: '/shell/audit' });
  const navigate = useNavigate();
  const show = (next: AuditSearch) => void navigate({ to: '/audit', search: next });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    auditQuery(filterOf(search)),
  );
  const entries = data?.pages.flatMap((page) => page.entries);
  const actors = useActors();
  const hasFilter = isFiltered(search);
  return (
    <div className="page">
      <PageHeader title={auditMessages.title} lead={auditMessages.lead} documentation="audit" />
      <FilterBar search={search} actors={actors} entries={entries ?? []} onChange={show} />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {entries === undefined && !error && <Skeleton height={320} />}
      {entries?.length === 0 && (
        <Empty
          icon="list"
          title={hasFilter ? auditMessages.noMatch : auditMessages.empty}
          action={hasFilter && <Button onPress={() => show({})}>{auditMessages.clear}</Button>}
        >
          {hasFilter ? auditMessages.noMatchText : auditMessages.emptyText}
        </Empty>
      )}
      {entries !== undefined && entries.length > 0 && (
        <ul className="card rows">
          {entries.map((entry) => (
            <EntryRow
              key={entry.id}
              entry={entry}
              names={actors.names}
              onFilter={(change) => show({ ...search, ...change })}
            />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button isPending={isFetchingNextPage} onPress={() => fetchNextPage()}>
          {auditMessages.more}
        </Button>
      )}
    </div>
  );
}
