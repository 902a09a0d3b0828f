import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCan } from '../api/access.ts';
import { filesChanged } from '../api/batch.ts';
import { emptyTrash, trashQuery } from '../api/trash.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { usePageActions } from '../components/page-actions.ts';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { useTitle } from '../components/use-title.ts';
import { messages } from '../messages/en.ts';
import { TrashRow } from './trash-row.tsx';
import './trash.css';

/** `/trash`: deleted items. */
export function TrashPage() {
  useTitle(messages.trash.title);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(trashQuery);
  const canManage = useCan('manage');
  const items = data?.pages.flatMap((page) => page.items);
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>{messages.trash.title}</h1>
          <p>{messages.trash.lead}</p>
        </div>
        {canManage && items !== undefined && items.length > 0 && <EmptyButton />}
      </header>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {items === undefined && !error && <Skeleton height={180} />}
      {items?.length === 0 && (
        <Empty icon="trash" title={messages.trash.nothing}>
          {messages.trash.nothingText}
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
          {messages.trash.more}
        </Button>
      )}
    </div>
  );
}

function EmptyButton() {
  const [isConfirming, setConfirming] = useState(false);
  usePageActions([{ label: messages.trash.empty, icon: 'trash', run: () => setConfirming(true) }]);
  const empty = async () => {
    const { itemsDeleted } = await emptyTrash();
    toast(messages.trash.emptied(itemsDeleted));
    filesChanged();
  };
  return (
    <>
      <Button icon="trash" onPress={() => setConfirming(true)}>
        {messages.trash.empty}
      </Button>
      {isConfirming && (
        <Confirm
          title={messages.trash.emptyTitle}
          text={messages.trash.emptyText}
          action={messages.trash.empty}
          typed={{ value: messages.trash.typed, label: messages.trash.typeLabel }}
          onConfirm={empty}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  );
}
