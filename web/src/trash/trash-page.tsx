import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { filesChanged } from '../api/batch.ts';
import { emptyTrash, trashQuery } from '../api/trash.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { usePageActs } from '../parts/page-acts.ts';
import { Empty, ErrorNotice, Skeleton } from '../parts/states.tsx';
import { toast } from '../parts/toasts.tsx';
import { useTitle } from '../parts/use-title.ts';
import { words } from '../words/en.ts';
import { TrashRow } from './trash-row.tsx';
import './trash.css';

/** `/trash`: what was deleted and can still be brought back. */
export function TrashPage() {
  useTitle(words.trash.title);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(trashQuery);
  const items = data?.pages.flatMap((page) => page.items);
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>{words.trash.title}</h1>
          <p>{words.trash.lead}</p>
        </div>
        {items !== undefined && items.length > 0 && <EmptyButton />}
      </header>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {items === undefined && !error && <Skeleton height={180} />}
      {items?.length === 0 && (
        <Empty icon="trash" title={words.trash.nothing}>
          {words.trash.nothingText}
        </Empty>
      )}
      {items !== undefined && items.length > 0 && (
        <ul className="card rows">
          {items.map((item) => (
            <TrashRow key={item.id} item={item} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button isPending={isFetchingNextPage} onPress={() => fetchNextPage()}>
          {words.trash.more}
        </Button>
      )}
    </div>
  );
}

function EmptyButton() {
  const [isAsking, setAsking] = useState(false);
  usePageActs([{ label: words.trash.empty, icon: 'trash', run: () => setAsking(true) }]);
  const empty = async () => {
    const { itemsDeleted } = await emptyTrash();
    toast(words.trash.emptied(itemsDeleted));
    filesChanged();
  };
  return (
    <>
      <Button icon="trash" onPress={() => setAsking(true)}>
        {words.trash.empty}
      </Button>
      {isAsking && (
        <Confirm
          title={words.trash.emptyTitle}
          text={words.trash.emptyText}
          act={words.trash.empty}
          typed={{ value: words.trash.typed, label: words.trash.typeLabel }}
          onConfirm={empty}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
