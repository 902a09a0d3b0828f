import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useCan } from '../api/access.ts';
import { redirectsQuery } from '../api/redirects.ts';
import { Button } from '../components/button.tsx';
import { usePageActions } from '../components/page-actions.ts';
import { PageHeader } from '../components/page-header.tsx';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
import { redirectsMessages } from '../messages/redirects.ts';
import { AddDialog } from './add-dialog.tsx';
import { RedirectRow } from './redirect-row.tsx';
import './redirects.css';

/** `/redirects`: previous paths whose URLs keep working. */
export function RedirectsPage() {
  const { to } = useSearch({ from: '/shell/redirects' });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(redirectsQuery(to));
  const canManage = useCan('manage');
  const redirects = data?.pages.flatMap((page) => page.redirects);
  return (
    <div className="page">
      <PageHeader title={redirectsMessages.title} lead={redirectsMessages.lead} documentation="redirects">
        {canManage && <AddButton />}
      </PageHeader>
      {to !== undefined && (
        <p className="redirects-filter">
          {redirectsMessages.leadingTo(to)} · <Link to="/redirects">{redirectsMessages.all}</Link>
        </p>
      )}
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {redirects === undefined && !error && <Skeleton height={180} />}
      {redirects?.length === 0 && (
        <Empty icon="redirect" title={to === undefined ? redirectsMessages.nothing : redirectsMessages.noneLeading(to)}>
          {redirectsMessages.nothingText}
        </Empty>
      )}
      {redirects !== undefined && redirects.length > 0 && (
        <ul className="card rows">
          {redirects.map((redirect) => (
            <RedirectRow key={redirect.from} redirect={redirect} canManage={canManage} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button isPending={isFetchingNextPage} onPress={() => fetchNextPage()}>
          {redirectsMessages.more}
        </Button>
      )}
    </div>
  );
}

function AddButton() {
  const [isAdding, setAdding] = useState(false);
  usePageActions([{ label: redirectsMessages.add, icon: 'plus', run: () => setAdding(true) }]);
  return (
    <>
      <Button variant="main" icon="plus" onPress={() => setAdding(true)}>
        {redirectsMessages.add}
      </Button>
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
    </>
  );
}
