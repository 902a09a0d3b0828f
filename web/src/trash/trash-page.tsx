import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCan } from '../api/access.ts';
import { filesChanged } from '../api/batch.ts';
import { emptyTrash, everyItem, type TrashOrder, trashQuery } from '../api/trash.ts';
import type { TrashItem } from '../api/types.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { usePageActions } from '../components/page-actions.ts';
import { PageHeader } from '../components/page-header.tsx';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { trashMessages } from '../messages/trash.ts';
import { NOTHING, present, toggled } from './selection.ts';
import { TrashBar } from './trash-bar.tsx';
import { TrashRow } from './trash-row.tsx';
import { useMany } from './use-many.ts';
import './trash.css';

/** `/trash`: deleted items. */
export function TrashPage() {
  const [order, setOrder] = useState<TrashOrder>({ sort: 'deleted', order: 'desc' });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...trashQuery(order),
    placeholderData: keepPreviousData,
  });
  const canManage = useCan('manage');
  const items = data?.pages.flatMap((page) => page.items);
  const many = useMany();
  const hasItems = items !== undefined && items.length > 0;
  return (
    <div className="page">
      <PageHeader title={trashMessages.title} lead={trashMessages.lead} documentation="trash">
        {canManage && hasItems && (
          <AllActions isBusy={many.progress !== undefined} onRestore={() => many.run('restore', everyItem)} />
        )}
      </PageHeader>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {items === undefined && !error && <Skeleton height={180} />}
      {items?.length === 0 && (
        <Empty icon="trash" title={trashMessages.nothing}>
          {trashMessages.nothingText}
        </Empty>
      )}
      {hasItems && <Items items={items} order={order} many={many} onOrder={setOrder} />}
      {hasNextPage && (
        <Button isPending={isFetchingNextPage} onPress={() => fetchNextPage()}>
          {trashMessages.more}
        </Button>
      )}
    </div>
  );
}

interface ItemsProps {
  items: readonly TrashItem[];
  order: TrashOrder;
  many: ReturnType<typeof useMany>;
  onOrder(order: TrashOrder): void;
}

function Items({ items, order, many: { progress, run }, onOrder }: ItemsProps) {
  const [selection, setSelection] = useState(NOTHING);
  const shown = items.map(({ id }) => id);
  const { ids } = present(selection, shown);
  const change = (kind: 'restore' | 'remove') => {
    void run(kind, () => [[...ids]]);
    setSelection(NOTHING);
  };
  return (
    <div className="trash">
      <TrashBar
        order={order}
        selected={ids.size}
        shown={items.length}
        progress={progress}
        onOrder={onOrder}
        onSelectAll={(isSelected) => setSelection(isSelected ? { ids: new Set(shown), anchor: undefined } : NOTHING)}
        onRestore={() => change('restore')}
        onRemove={() => change('remove')}
      />
      <ul className="card rows">
        {items.map((item) => (
          <TrashRow
            key={item.id}
            item={item}
            isSelected={ids.has(item.id)}
            onSelect={(isRange) => setSelection((old) => toggled(present(old, shown), item.id, shown, isRange))}
          />
        ))}
      </ul>
    </div>
  );
}

/** Actions for everything in the trash, also for what is not shown yet. */
function AllActions({ isBusy, onRestore }: { isBusy: boolean; onRestore(): Promise<void> }) {
  const [confirming, setConfirming] = useState<'restore' | 'empty'>();
  const close = () => setConfirming(undefined);
  usePageActions(
    isBusy
      ? []
      : [
          { label: trashMessages.restoreAll, icon: 'undo', run: () => setConfirming('restore') },
          { label: trashMessages.empty, icon: 'trash', run: () => setConfirming('empty') },
        ],
  );
  const empty = async () => {
    const { itemsDeleted } = await emptyTrash();
    toast(trashMessages.emptied(itemsDeleted));
    filesChanged();
  };
  return (
    <>
      <Button icon="undo" isDisabled={isBusy} onPress={() => setConfirming('restore')}>
        {trashMessages.restoreAll}
      </Button>
      <Button icon="trash" isDisabled={isBusy} onPress={() => setConfirming('empty')}>
        {trashMessages.empty}
      </Button>
      {confirming === 'restore' && (
        <Confirm
          title={trashMessages.restoreAllTitle}
          text={trashMessages.restoreAllText}
          action={trashMessages.restoreAll}
          isDangerous={false}
          onConfirm={async () => void onRestore()}
          onClose={close}
        />
      )}
      {confirming === 'empty' && (
        <Confirm
          title={trashMessages.emptyTitle}
          text={trashMessages.emptyText}
          action={trashMessages.empty}
          typed={{ value: trashMessages.typed, label: trashMessages.typeLabel }}
          onConfirm={empty}
          onClose={close}
        />
      )}
    </>
  );
}
